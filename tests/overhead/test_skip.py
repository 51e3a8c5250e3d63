# SPDX-License-Identifier: GPL-2.0-or-later
"""The skip in force: from a burst, from the file, and the finding where they differ."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import pytest

from polltrace.breaks.sqlnet import BreakSettings
from polltrace.overhead.skip import MeasuredSkip, measured_skip, skip_in_force
from polltrace.profiles.frames import Burst

SETTINGS = BreakSettings(
    path=Path("/u01/sqlnet.ora"),
    file="sqlnet.ora",
    break_poll_skip=3,
    disable_oob=False,
    skip_is_default=False,
    changed_at=1000.0,
)


@pytest.mark.parametrize(
    ("calls", "polls", "skip"),
    [(20_001, 6667, 3), (997, 997, 1), (20_000, 20, 1000), (20_000, 0, None), (5, 6, None)],
)
def test_checks_per_poll(calls: int, polls: int, skip: int | None) -> None:
    burst = Burst(calls, polls, 0.02)
    assert measured_skip(burst) == (MeasuredSkip(skip, calls / polls, burst) if skip else None)
    assert measured_skip(None) is None


def test_the_measured_skip_counts_and_a_difference_is_a_finding() -> None:
    same = skip_in_force(SETTINGS, Burst(3000, 1000, 0.1), started_at=2000.0)
    assert (same.value, same.finding) == (3, "")
    assert same.how == "measured: 3,000 checks made 1,000 break polls"
    assert same.measured == MeasuredSkip(3, 3.0, Burst(3000, 1000, 0.1))
    other = skip_in_force(SETTINGS, Burst(10_000, 1000, 0.1), started_at=2000.0)
    assert (other.value, other.configured) == (10, 3)
    assert other.finding == (
        "in force is 10, but configured 3 (/u01/sqlnet.ora): the process read another file, or its "
        "engine follows other rules"
    )


def test_a_file_changed_after_the_process_started_explains_the_difference() -> None:
    late = skip_in_force(SETTINGS, Burst(10_000, 1000, 0.1), started_at=900.0)
    changed, started = (
        time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(at)) for at in (1000.0, 900.0)
    )
    edited = (
        f"/u01/sqlnet.ora was changed {changed}, after the process started ({started}); "
        "the process still uses the old settings"
    )
    assert late.finding == f"in force is 10, but configured 3 (/u01/sqlnet.ora): {edited}"
    same = skip_in_force(SETTINGS, Burst(3000, 1000, 0.1), started_at=900.0)
    assert same.finding == f"{edited}, which gave the same skip"
    assert skip_in_force(SETTINGS, None, started_at=900.0).finding == edited
    # Within a second of the start it is not known which came first.
    assert skip_in_force(SETTINGS, None, started_at=999.5).finding == ""


def test_an_unmeasured_skip_is_marked() -> None:
    inferred = skip_in_force(SETTINGS, None, why_not="its program has no symbol nsmore2recv")
    assert (inferred.value, inferred.measured, inferred.configured) == (3, None, 3)
    assert inferred.how == (
        "not measured (its program has no symbol nsmore2recv) but inferred: /u01/sqlnet.ora"
    )
    default = skip_in_force(replace(SETTINGS, path=None, skip_is_default=True), Burst(9, 0, 0.2))
    assert default.how == (
        "not measured (no break poll while checks were counted) but inferred: "
        "there is no sqlnet.ora, so the default"
    )
    nobody = skip_in_force(SETTINGS, None)
    assert "(no break poll while checks were counted)" in nobody.how
    failed = skip_in_force(SETTINGS, Burst(0, 0, 0.0, "no uprobe here"))
    assert "not measured (no uprobe here) but" in failed.how


def test_the_default_is_not_taken_for_configured_where_the_file_was_not_read() -> None:
    unread = replace(SETTINGS, skip_is_default=True, problem="it is a FIFO", changed_at=None)
    inferred = skip_in_force(unread, None, why_not="no uprobe here")
    assert (inferred.value, inferred.configured) == (3, None)
    assert inferred.how.endswith("the default, as /u01/sqlnet.ora is not readable: it is a FIFO")
    measured = skip_in_force(unread, Burst(10_000, 1000, 0.1))
    assert (measured.value, measured.configured) == (10, None)
    assert measured.finding == (
        "whether that is the configured skip is not known: "
        "/u01/sqlnet.ora is not readable: it is a FIFO"
    )
