# SPDX-License-Identifier: GPL-2.0-or-later
"""What to change: exact lines for the cause and the skip, and how to take each back."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import PurePosixPath

import pytest

from polltrace.breaks.why import Cause
from polltrace.overhead.advice import Advice, Extras
from polltrace.overhead.advice_report import advice_text, changes
from polltrace.overhead.forecast import CancelLimits, recommended
from polltrace.profiles.frames import Bucket, Burst
from tests.overhead.test_advice import IDLE, advised
from tests.watch.samples import server

FILE = PurePosixPath("/u01/network/admin/sqlnet.ora")
GAPS = (Bucket(9_900, 10_100, 1000),)


def in_band(cause: Cause, *, is_default: bool = False, burst: Burst | None = None) -> Advice:
    settings = replace(server(102).settings, path=FILE, skip_is_default=is_default)
    found = advised(
        of=replace(server(102), settings=settings), extras=Extras(gaps=GAPS, burst=burst)
    )
    return replace(found, why=replace(found.why, cause=cause))


def all_text(found: Advice) -> list[str]:
    return [
        " | ".join([each.title, *(f"{label}: {text}" for label, text in each.sentences())])
        for each in changes(found, recommended(found.forecast))
    ]


def test_the_change_that_ends_polling_comes_before_the_skip() -> None:
    cure, skip = all_text(in_band(Cause.SERVER))
    assert cure.startswith("Out-of-band breaks: 6.3 % of its CPU saved [")
    assert f"change: {FILE} on the server: DISABLE_OOB=OFF" in cure
    assert f"undo: {FILE}: DISABLE_OOB=ON" in cure
    assert skip.startswith("BREAK_POLL_SKIP=30: ")
    assert f"change: {FILE} on the server: BREAK_POLL_SKIP=30" in skip
    assert "'polltrace advise -p PID' says BREAK_POLL_SKIP=30 is in force" in skip
    assert skip.endswith(f"undo: {FILE}: BREAK_POLL_SKIP=3")


def test_each_change_states_the_cancel_latency_after_it() -> None:
    cure, skip = all_text(in_band(Cause.SERVER))
    assert "cancel: at once, also while it waits for a row lock" in cure
    assert "cancel: up to 0.1 ms while it runs and up to 90 s while it waits for a row lock" in skip
    assert "(now 9 s)" in skip


def test_a_skip_that_is_too_high_is_lowered() -> None:
    """Within limits that the one in force does not keep; what that costs is not called saved."""
    high = in_band(Cause.UNKNOWN, burst=Burst(100_000, 1_000, 0.02))
    assert high.skip == 100
    best = recommended(high.forecast, CancelLimits(1, 90))
    assert best is not None
    (change,) = changes(high, best)
    assert best.saved_pct.value < 0
    size = best.saved_pct.negated
    assert change.title == (
        f"BREAK_POLL_SKIP=30: {size.value:.1f} % of its CPU more "
        f"[{size.low:.1f}, {size.high:.1f}], and quicker cancels"
    )
    assert change.cancels.endswith("up to 90 s while it waits for a row lock (now 5 min)")
    text = " ".join(advice_text(high, CancelLimits(1, 90)).split())
    assert f"BREAK_POLL_SKIP=30 in the server's {FILE} costs {size.value:.2f} % [" in text
    assert "; at BREAK_POLL_SKIP=30 it would take" in text


def test_a_default_is_restored_by_leaving_the_line_out() -> None:
    assert all_text(in_band(Cause.SERVER, is_default=True))[1].endswith(
        f"undo: {FILE}: take the line out; 3 is the default"
    )


def test_the_file_gets_back_what_it_had_not_what_was_measured() -> None:
    seven = in_band(Cause.SERVER, burst=Burst(7_000, 1_000, 0.02))
    assert seven.skip == 7
    assert all_text(seven)[1].endswith(f"undo: {FILE}: BREAK_POLL_SKIP=3")
    settings = replace(seven.server.settings, problem="permission denied")
    unread = replace(seven, server=replace(seven.server, settings=settings))
    assert "which could not be read" in all_text(unread)[1]


def test_each_driver_has_its_own_setting() -> None:
    cure = all_text(in_band(Cause.CLIENT))[0]
    for words in ("DISABLE_OOB=OFF", "oracle.net.disableOob=false", "ENABLE_OOB=true", "TCPS"):
        assert words in cure


@pytest.mark.parametrize("cause", [Cause.PATH, Cause.CLIENT, Cause.SERVER])
def test_the_path_is_tested_before_urgent_data_is_relied_on(cause: Cause) -> None:
    advice = in_band(cause)
    change = changes(advice, recommended(advice.forecast))[0]
    assert change.sentences()[0] == ("before", change.before)
    assert "'polltrace oob-check HOST:PORT' on the client's host" in change.before
    assert ("go-ora" in change.before) is False
    assert ("python-oracledb thin" in change.before) is (cause is not Cause.PATH)
    by_cancel = "'polltrace oob-check --cancel DSN' on the client's host: no cancel may be lost"
    assert by_cancel in change.check


def test_with_no_client_testing_its_path_every_cancel_is_at_stake() -> None:
    advice = in_band(Cause.CLIENT)
    settings = replace(advice.server.settings, disable_oob_auto=True)
    advice = replace(advice, server=replace(advice.server, settings=settings))
    change = changes(advice, None)[0]
    assert change.before.endswith("unless urgent data is carried, every cancel would be lost")


def test_no_change_is_proposed_without_a_known_cause() -> None:
    (only,) = all_text(in_band(Cause.UNKNOWN))
    assert only.startswith("BREAK_POLL_SKIP=30")


def test_there_is_nothing_to_change_without_polls_or_a_better_skip() -> None:
    assert changes(advised(load=IDLE, poll_cost=None, stacks=[]), None) == []
    found = in_band(Cause.UNKNOWN)
    now = next(each for each in found.forecast if each.break_poll_skip == found.skip)
    assert changes(found, now) == []


def test_a_number_and_its_unit_stay_on_one_line() -> None:
    """However long the names before it are, no line begins with a unit."""
    for length in range(40):
        found = replace(in_band(Cause.SERVER), server=replace(server(102), instance="x" * length))
        lines = advice_text(found, CancelLimits()).splitlines()
        assert not [line for line in lines if re.match(r"  (%|ns|ms|s|min)\b|  %", line)]
