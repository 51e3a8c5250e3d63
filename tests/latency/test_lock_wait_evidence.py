# SPDX-License-Identifier: GPL-2.0-or-later
"""Whether a session waits for locks, by what was seen of it; and what follows for a cancel."""

from __future__ import annotations

import subprocess
from dataclasses import replace

import pytest

from polltrace.latency.lock_wait_evidence import (
    counted_lock_waits,
    sampled_lock_waits,
    watched_waits,
)
from polltrace.latency.wait_sampler import Waits
from polltrace.overhead.lock_waits import LockWaits
from polltrace.servers.activity import Activity, Waited, activity_change
from tests.waiting import is_asleep, until

READ, PREAD, SEMTIMEDOP, NANOSLEEP = "0 0x7 0", "17 0x9 0", "220 0x1 0", "230 0x0 0"
ROW_LOCK = "enq: TX - row lock contention"
AT_REST = Activity(
    at_s=100.0,
    status="ACTIVE",
    waiting=False,
    event="SQL*Net message from client",
    event_s=0.0,
    blocker=None,
    sql_id="a5ks9fhw2v9s1",
    sql_text="select * from dual",
    executing=True,
    waited={"SQL*Net message from client": Waited(3, 9.5)},
    statistics={"consistent gets": 7.0},
)


def sampled(*texts: str, times: int = 20) -> Waits:
    waits = Waits()
    for text in texts * times:
        waits.add(text)
    return waits


@pytest.mark.parametrize(
    ("texts", "times", "seen", "words"),
    [
        (("running", READ, PREAD), 20, False, "none of 60 samples"),
        (("running", READ, SEMTIMEDOP), 20, True, "20 of 60 samples found it asleep"),
        (("running", READ, NANOSLEEP), 1, True, "1 of 3 samples found it asleep"),
        (("running", READ), 2, None, "4 samples of its waits are too few"),
    ],
)
def test_by_samples(texts: tuple[str, ...], times: int, seen: bool | None, words: str) -> None:
    found = sampled_lock_waits(sampled(*texts, times=times))
    assert found.observed is seen
    assert words in found.by


def test_the_database_knows_better_than_samples() -> None:
    assert counted_lock_waits(AT_REST) == LockWaits(
        False, "V$SESSION_EVENT has no enq: wait since it logged on"
    )
    before = replace(AT_REST, waited={**AT_REST.waited, ROW_LOCK: Waited(2, 6.25)})
    found = counted_lock_waits(before)
    assert found is not None
    assert (found.observed, found.by) == (
        True,
        f"V$SESSION_EVENT has 6.2 s of {ROW_LOCK} since it logged on",
    )
    # A wait that has not ended is not in V$SESSION_EVENT yet.
    first = replace(AT_REST, waiting=True, event=ROW_LOCK, event_s=2.0)
    assert first.lock_waits == {ROW_LOCK: Waited(1, 2.0)}
    # What could not be read proves nothing.
    assert counted_lock_waits(replace(AT_REST, unread=["v$session_event: ORA-00942"])) is None


def test_a_session_without_lock_waits_is_bounded_less_closely() -> None:
    limits = [LockWaits(seen, "").limit_s for seen in (True, None, False)]
    assert limits == [120.0, 120.0, 900.0]


def test_a_process_that_sleeps_is_seen() -> None:
    with subprocess.Popen(["sleep", "600"]) as process:
        try:
            until(lambda: is_asleep(process.pid), "its sleep")
            with watched_waits(process.pid) as watch:
                until(lambda: watch.waits.samples > 0, "a sample")
        finally:
            process.kill()
    assert watch.lock_waits.observed is True
    assert "in clock_nanosleep" in watch.lock_waits.by


def test_an_unreadable_process_is_unknown() -> None:
    with watched_waits(2**22 - 1) as watch:
        pass
    assert watch.lock_waits.observed is None
    assert "no process" in watch.lock_waits.by


def test_changes_are_those_of_the_time_between() -> None:
    now = replace(
        AT_REST,
        at_s=102.0,
        waited={**AT_REST.waited, ROW_LOCK: Waited(2, 1.5)},
        statistics={"consistent gets": 207.0, "execute count": 1.0, "db block gets": 0.0},
    )
    change = activity_change(AT_REST, now)
    assert change.seconds == 2.0
    assert change.waited == [(ROW_LOCK, Waited(2, 1.5))]
    assert change.statistics == [("consistent gets", 200.0), ("execute count", 1.0)]
