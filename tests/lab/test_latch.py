# SPDX-License-Identifier: GPL-2.0-or-later
"""Latches of running servers: who holds one, who waits for it, and what a kill leaves behind."""

from __future__ import annotations

import os
import signal

from tests.waiting import until

from .conftest import HOLDERS, Lab, RunningStatement, Session
from .result_cache import latch_of

QUERY = "select /*+ result_cache */ count(*) from t"
LATCH = "select latch#, addr from v$latch where name = 'Result Cache: RC Latch'"


def test_a_session_waits_for_a_holder_until_that_is_killed(
    lab: Lab, stopped_holder: tuple[int, Session]
) -> None:
    pid, watcher = stopped_holder
    [[_, name, address]] = watcher.rows(HOLDERS)
    assert name == "Result Cache: RC Latch"
    waiting = lab.connect()
    sid = waiting.sid
    waiting.cursor.execute("create table t (n number)")
    statement = RunningStatement(waiting)
    statement.start(QUERY)
    waits = "select event, p1raw, p2, p3 from v$session_wait where sid = :sid and state = 'WAITING'"
    until(
        lambda: [row[0] for row in watcher.rows(waits, sid=sid)] == ["latch free"],
        "a session that waits for the latch",
    )
    [[_, p1, p2, p3]] = watcher.rows(waits, sid=sid)
    [[number, of_latch]] = watcher.rows(LATCH)
    misses = latch_of(watcher).misses
    assert (p1, p2) == (of_latch, number)
    assert of_latch == address
    assert p3 >= 1
    os.kill(pid, signal.SIGKILL)
    assert statement.join(1.0)
    assert statement.error == ""
    event = "select total_waits from v$session_event where sid = :sid and event = 'latch free'"
    assert watcher.one(event, sid=sid) >= 1
    after = latch_of(watcher)
    assert after.misses == after.spin_gets + after.slept > misses
    assert after.slept >= 1
    assert after.sleeps >= p3
    assert after.wait_us > 0
    assert watcher.rows(HOLDERS) == []
    where = "select sum(nwfail_count), sum(wtr_slp_count) from v$latch_misses"
    assert watcher.rows(where) == [(after.misses, after.sleeps)]


def test_no_latch_has_children(lab: Lab) -> None:
    session = lab.connect()
    assert session.rows("select * from v$latch_children") == []
    assert session.rows("select latch#, hash from v$latchname") == [(373, 1545889529)]
