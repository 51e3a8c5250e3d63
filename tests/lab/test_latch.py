# SPDX-License-Identifier: GPL-2.0-or-later
"""Latches of running servers: who holds one, who waits for it, and what a kill leaves behind."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import oracledb
import pytest

from tests.waiting import PATIENCE_S, until

from .conftest import Lab, RunningStatement, Session

QUERY = "select /*+ result_cache */ count(*) from t"
HOLDERS = "select sid, name, laddr from v$latchholder"
LATCH = (
    "select latch#, addr, misses, spin_gets, sleep1 + sleep2 + sleep3 + sleep4, sleeps, wait_time"
    " from v$latch where name = 'Result Cache: RC Latch'"
)


@pytest.fixture
def stopped_holder(lab: Lab) -> Iterator[tuple[int, Session]]:
    """A server that was stopped while it held the latch, and its session."""
    watcher, holder = lab.connect(), lab.connect()
    pid, sid, over = holder.spid, holder.sid, threading.Event()

    def get_it_often() -> None:
        with contextlib.suppress(oracledb.Error):  # it will be killed
            while not over.is_set():
                holder.cursor.execute("call dbms_result_cache.flush()")

    thread = threading.Thread(target=get_it_often)
    thread.start()

    def stopped_with_it() -> bool:
        os.kill(pid, signal.SIGSTOP)
        stat = Path(f"/proc/{pid}/stat")
        until(lambda: stat.read_text().rpartition(")")[2].split()[0] == "T", "a stopped server")
        if any(row[0] == sid for row in watcher.rows(HOLDERS)):
            return True
        os.kill(pid, signal.SIGCONT)
        return False

    end = time.monotonic() + PATIENCE_S
    while not stopped_with_it():
        assert time.monotonic() < end
        time.sleep(0.0007)
    yield pid, watcher
    over.set()
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
    thread.join()


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
    [[number, of_latch, misses, *_]] = watcher.rows(LATCH)
    assert (p1, p2) == (of_latch, number)
    assert of_latch == address
    assert p3 >= 1
    os.kill(pid, signal.SIGKILL)
    assert statement.join(1.0)
    assert statement.error == ""
    event = "select total_waits from v$session_event where sid = :sid and event = 'latch free'"
    assert watcher.one(event, sid=sid) >= 1
    [[_, _, after, spins, slept, sleeps, waited_us]] = watcher.rows(LATCH)
    assert after == spins + slept > misses
    assert slept >= 1
    assert sleeps >= p3
    assert waited_us > 0
    assert watcher.rows(HOLDERS) == []
    where = "select sum(nwfail_count), sum(wtr_slp_count) from v$latch_misses"
    assert watcher.rows(where) == [(after, sleeps)]


def test_no_latch_has_children(lab: Lab) -> None:
    session = lab.connect()
    assert session.rows("select * from v$latch_children") == []
    assert session.rows("select latch#, hash from v$latchname") == [(373, 1545889529)]
