# SPDX-License-Identifier: GPL-2.0-or-later
"""v$active_session_history: who was active at each second, on what."""

from __future__ import annotations

import datetime
from typing import Any

from tests.waiting import until

from .conftest import FOR_EVER, LOTSLIOS, ROW_LOCK, Lab, Session

OF = "from v$active_session_history where session_id = :sid"
SAMPLES = "select max(sample_id) from v$active_session_history"


def sampled(watcher: Session, sid: int, least: int = 2) -> list[tuple[Any, ...]]:
    """Wait until session `sid` is in `least` samples; their columns that all rows have."""
    columns = "sample_id, session_state, event, wait_class, sql_id, session_serial#"
    until(lambda: watcher.one(f"select count(*) {OF}", sid=sid) >= least, "samples")
    return watcher.rows(f"select {columns} {OF} order by sample_id", sid=sid)


def test_a_session_on_a_processor(lab: Lab) -> None:
    session, watcher = lab.connect(), lab.connect()
    session.connection.module, session.connection.action = "billing", "close"
    sid = session.sid
    statement = lab.running(session, LOTSLIOS, n=FOR_EVER)
    rows = sampled(watcher, sid, 3)
    sql_id, serial, program = watcher.rows(
        "select sql_id, serial#, program from v$session where sid = :sid", sid=sid
    )[0]
    # One row a sample, and no sample without it.
    first = rows[0][0]
    assert [row[0] for row in rows] == list(range(first, first + len(rows)))
    assert {row[1:] for row in rows} == {("ON CPU", None, None, sql_id, serial)}
    about = "module, action, program, blocking_session, blocking_session_status, wait_class_id"
    assert set(watcher.rows(f"select {about} {OF}", sid=sid)) == {
        ("billing", "close", program, None, "NOT IN WAIT", None)
    }
    times = [at for (at,) in watcher.rows(f"select sample_time {OF} order by sample_id", sid=sid)]
    assert times == sorted(set(times))
    now = watcher.one("select cast(systimestamp as timestamp) from dual")
    assert datetime.timedelta(0) <= now - times[-1] < datetime.timedelta(minutes=2)
    # As tools ask: seconds by what the session did.
    top = watcher.rows(
        "select nvl(event, session_state) activity, sql_id, count(*) seconds"
        " from gv$active_session_history where inst_id = 1 and session_id = :sid"
        " and sample_time > sysdate - 5 / 1440 group by nvl(event, session_state), sql_id",
        sid=sid,
    )
    assert [row[:2] for row in top] == [("ON CPU", sql_id)]
    assert top[0][2] >= 3
    session.connection.cancel()
    assert statement.join()


def test_a_session_that_waits_for_a_lock(lab: Lab) -> None:
    holder, waiter, watcher = lab.connect(), lab.connect(), lab.connect()
    holder.cursor.execute("create table t (n number)")
    holder.cursor.execute("insert into t values (1)")
    sid = waiter.sid
    statement = lab.waiting(waiter, "insert into t values (2)")
    states = {row[1:4] for row in sampled(watcher, sid)}
    assert states == {("WAITING", ROW_LOCK, "Application")}
    about = (
        "blocking_session, blocking_session_serial#, blocking_session_status, p1text, p1,"
        " wait_class_id, event_id"
    )
    serial = watcher.one("select serial# from v$session where sid = :sid", sid=holder.sid)
    assert set(watcher.rows(f"select {about} {OF}", sid=sid)) == {
        (holder.sid, serial, "VALID", "name|mode", 0x54580006, 4217450380, 310662678)
    }
    holder.connection.rollback()
    assert statement.join()


def test_who_waits_for_a_client_or_sleeps_is_not_active(lab: Lab) -> None:
    idle, sleeper, busy, watcher = (lab.connect() for _ in range(4))
    sids = idle.sid, sleeper.sid
    sleep = lab.active(sleeper, "begin dbms_session.sleep(600); end;")
    event = "select event from v$session where sid = :sid and state = 'WAITING'"
    until(lambda: watcher.rows(event, sid=sids[1]) == [("PL/SQL lock timer",)], "its sleep")
    began = watcher.one(f"select nvl(({SAMPLES}), 0) from dual")
    sid = busy.sid
    statement = lab.running(busy, LOTSLIOS, n=FOR_EVER)
    last = sampled(watcher, sid)[-1][0]
    assert last > began + 1
    count = f"select count(*) {OF} and sample_id > :began + 1"
    assert [watcher.one(count, sid=each, began=began) for each in sids] == [0, 0]
    for session, running in ((busy, statement), (sleeper, sleep)):
        session.connection.cancel()
        assert running.join()


def test_a_history_without_active_sessions_is_empty(lab: Lab) -> None:
    assert lab.connect().rows("select event from v$active_session_history") == []
