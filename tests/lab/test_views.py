# SPDX-License-Identifier: GPL-2.0-or-later
"""The V$ views: Oracle's names and columns, and figures that add up."""

from __future__ import annotations

import time
from typing import Any

import pytest

from tests.waiting import until

from .conftest import (
    FOR_EVER,
    FROM_CLIENT,
    LOTSLIOS,
    ROW_LOCK,
    SLICES_OF,
    Lab,
    Session,
    in_each_mode,
    settle,
)

TO_CLIENT = "SQL*Net message to client"
MORE_TO_CLIENT = "SQL*Net more data to client"
BREAK_RESET = "SQL*Net break/reset to client"

EVENTS = (
    "select event, total_waits, total_timeouts, time_waited_micro from v$session_event"
    " where sid = :sid"
)
TIMES = "select stat_name, value from v$sess_time_model where sid = :sid"


def waits(session: Session, sid: int) -> dict[str, tuple[int, int, int]]:
    """Of each event: how often, how often in vain, and microseconds."""
    return {event: (n, outs, us) for event, n, outs, us in session.rows(EVENTS, sid=sid)}


def waited(session: Session, sid: int, event: str) -> tuple[int, int, int]:
    return waits(session, sid).get(event, (0, 0, 0))


@pytest.mark.parametrize(
    ("view", "columns"),
    [
        (
            "v$session",
            "saddr, sid, serial#, audsid, paddr, user#, username, command, taddr, lockwait, status,"
            " server, schema#, schemaname, osuser, process, machine, port, terminal, program, type,"
            " sql_address, sql_hash_value, sql_id, sql_child_number, sql_exec_start, prev_sql_id,"
            " plsql_entry_object_id, plsql_entry_subprogram_id, plsql_object_id,"
            " plsql_subprogram_id, module, action, client_info, row_wait_obj#, row_wait_file#,"
            " row_wait_block#, row_wait_row#, logon_time, last_call_et, failed_over,"
            " resource_consumer_group, current_queue_duration, client_identifier,"
            " blocking_session_status, blocking_instance, blocking_session,"
            " final_blocking_session, seq#, event#, event, p1text, p1, p1raw, p2text, p2, p2raw,"
            " p3text, p3, p3raw, wait_class_id, wait_class#, wait_class, wait_time,"
            " seconds_in_wait, state, wait_time_micro, time_since_last_wait_micro, service_name,"
            " sql_trace, ecid, con_id",
        ),
        (
            "v$process",
            "addr, pid, sosid, spid, stid, execution_type, pname, username, serial#, terminal,"
            " program, traceid, tracefile, background, latchwait, latchspin, pga_used_mem,"
            " pga_alloc_mem, pga_freeable_mem, pga_max_mem, con_id",
        ),
        ("v$sql", "sql_text, sql_id, hash_value, address, child_number, command_type, con_id"),
        ("v$mystat", "sid, statistic#, value, con_id"),
        ("v$sesstat", "sid, statistic#, value, con_id"),
        ("v$statname", "statistic#, name, class, stat_id, display_name, con_id"),
        ("v$sysstat", "statistic#, name, class, value, stat_id, con_id"),
        (
            "v$session_event",
            "sid, event, total_waits, total_timeouts, time_waited, average_wait, max_wait,"
            " time_waited_micro, event_id, wait_class_id, wait_class#, wait_class, con_id",
        ),
        (
            "v$system_event",
            "event, total_waits, total_timeouts, time_waited, average_wait, time_waited_micro,"
            " event_id, wait_class_id, wait_class#, wait_class, con_id",
        ),
        (
            "v$event_name",
            "event#, event_id, name, parameter1, parameter2, parameter3, wait_class_id,"
            " wait_class#, wait_class, display_name, con_id",
        ),
        ("v$sess_time_model", "sid, stat_id, stat_name, value, con_id"),
        ("v$sys_time_model", "stat_id, stat_name, value, con_id"),
        (
            "v$session_wait",
            "sid, seq#, event, p1text, p1, p1raw, p2, p3, wait_class_id, wait_class, wait_time,"
            " seconds_in_wait, state, wait_time_micro",
        ),
        (
            "v$parameter",
            "num, name, type, value, display_value, isdefault, isses_modifiable,"
            " issys_modifiable, ismodified, description",
        ),
        (
            "v$latch",
            "addr, latch#, level#, name, hash, gets, misses, sleeps, immediate_gets,"
            " immediate_misses, waiters_woken, waits_holding_latch, spin_gets, sleep1, sleep2,"
            " sleep3, sleep4, wait_time, con_id",
        ),
        ("v$latchname", "latch#, name, display_name, hash, con_id"),
        (
            "v$latch_misses",
            "parent_name, nwfail_count, sleep_count, wtr_slp_count, longhold_count,"
            " location, con_id",
        ),
        ("v$result_cache_statistics", "id, name, value, con_id"),
        ("v$version", "banner, banner_full, banner_legacy, con_id"),
        (
            "v$instance",
            "instance_number, instance_name, host_name, version, startup_time, status, parallel,"
            " thread#, archiver, logins, database_status, instance_role, active_state, blocked,"
            " con_id, edition",
        ),
    ],
)
def test_columns(lab: Lab, view: str, columns: str) -> None:
    session = lab.connect()
    rows = session.rows(f"select {columns} from {view}")
    assert rows
    names = [column[0] for column in session.cursor.description]
    assert names == [name.strip().upper() for name in columns.split(",")]
    # On every instance of a cluster, and under the name that grants are given on.
    global_rows = session.rows(f"select inst_id, {columns} from g{view}")
    assert {row[0] for row in global_rows} == {1}
    assert session.one(f"select count(*) from sys.v_${view[2:]}") >= len(rows)


def test_every_call_is_a_message_each_way(lab: Lab) -> None:
    watcher, session = lab.connect(), lab.connect()
    sid = session.sid
    trips = "SQL*Net roundtrips to/from client"
    settle(watcher, sid)
    before, began = waits(watcher, sid), watcher.statistic_of(sid, trips)
    for _ in range(101):
        session.connection.ping()
    settle(watcher, sid)
    after, ended = waits(watcher, sid), watcher.statistic_of(sid, trips)

    assert ended - began == 101
    # The message it waits for now is in no total yet.
    assert after[FROM_CLIENT][0] - before[FROM_CLIENT][0] == 101
    assert after[TO_CLIENT][0] - before[TO_CLIENT][0] == 101


def test_time_adds_up(lab: Lab) -> None:
    watcher = lab.connect()
    began = time.monotonic()
    session = lab.connect()
    sid = session.sid
    session.rows(LOTSLIOS, n=20_000)
    settle(watcher, sid)
    time.sleep(0.3)
    session.rows(LOTSLIOS, n=5_000)
    settle(watcher, sid)
    times, events = dict(watcher.rows(TIMES, sid=sid)), waits(watcher, sid)
    elapsed_us = (time.monotonic() - began) * 1e6

    assert 0 < times["DB CPU"] <= times["DB time"] <= elapsed_us
    assert times["parse time elapsed"] + times["sql execute elapsed time"] <= times["DB time"]
    # Nearly all of the work; of the elapsed time anything may go to other processes.
    assert times["sql execute elapsed time"] > 0.5 * times["DB CPU"]
    idle = events[FROM_CLIENT][2]
    assert idle >= 300_000
    assert times["DB time"] + idle <= elapsed_us
    # Time that is neither a call nor a wait for one is negligible.
    not_idle = sum(us for event, (_, _, us) in events.items() if event != FROM_CLIENT)
    assert not_idle <= times["DB time"]


def test_a_running_call_counts(lab: Lab) -> None:
    watcher, session = lab.connect(), lab.connect()
    sid = session.sid
    statement = lab.running(session, LOTSLIOS, n=FOR_EVER)
    seen = [dict(watcher.rows(TIMES, sid=sid))]

    def goes_on() -> bool:
        time.sleep(0.2)
        seen.append(dict(watcher.rows(TIMES, sid=sid)))
        return bool(seen[-1]["DB CPU"] > seen[0]["DB CPU"])

    until(goes_on, "more CPU time")
    state = watcher.rows(
        "select status, state, event, sql_id, wait_time_micro from v$session where sid = :s", s=sid
    )
    session.connection.cancel()
    assert statement.join()

    assert seen[-1]["DB time"] - seen[0]["DB time"] >= 200_000
    assert seen[-1]["DB CPU"] <= seen[-1]["DB time"]
    [(status, how, event, sql_id, micro)] = state
    assert (status, event) == ("ACTIVE", FROM_CLIENT)
    assert how in ("WAITED SHORT TIME", "WAITED KNOWN TIME")  # by how slow the client was
    assert sql_id is not None
    assert micro >= 0


def test_an_idle_session_waits_for_its_client(lab: Lab) -> None:
    watcher, session = lab.connect(), lab.connect()
    sid = session.sid
    seconds = "select seconds_in_wait from v$session where sid = :s"
    until(lambda: watcher.one(seconds, s=sid) >= 1, "a second of waiting")
    [row] = watcher.rows(
        "select status, state, event, wait_class, wait_class#, wait_time, seconds_in_wait"
        " from v$session where sid = :s",
        s=sid,
    )
    assert row[:6] == ("INACTIVE", "WAITING", FROM_CLIENT, "Idle", 6, 0)
    assert 1 <= row[6] <= 60


def test_sql_id_is_oracles(lab: Lab) -> None:
    watcher, session = lab.connect(), lab.connect()
    sid = session.sid
    session.rows("select * from dual")
    assert watcher.rows("select sql_id, sql_hash_value from v$session where sid = :s", s=sid) == [
        ("a5ks9fhw2v9s1", 942515969)
    ]


def test_a_statement_has_its_text_once(lab: Lab) -> None:
    watcher, sessions = lab.connect(), [lab.connect(), lab.connect()]
    sids = [session.sid for session in sessions]  # which is a statement, too
    text = "select sql_text from v$sql where sql_id = (select sql_id from v$session where sid = :s)"
    # GIVEN two sessions with one statement, of two lines
    for session in sessions:
        session.rows("select *\n from\tdual")
    for sid in sids:
        assert watcher.rows(text, s=sid) == [("select *  from dual",)]
    # AND one that is longer than the column, whose last character would be cut in two
    long = f"select '{'x' * 990}aéé' from dual"
    assert len(long[:1000].encode()) == 1001
    session = sessions[0]
    session.rows(long)
    assert watcher.rows(text, s=sids[0]) == [(long[:999],)]


@in_each_mode
def test_breaks_are_waits(lab: Lab, session: Session) -> None:
    watcher, sid = lab.connect(), session.sid
    assert waited(watcher, sid, BREAK_RESET)[0] == 0
    statement = lab.running(session, LOTSLIOS, n=FOR_EVER)
    session.connection.cancel()
    assert statement.join()
    settle(watcher, sid)
    assert waited(watcher, sid, BREAK_RESET)[0] in (2, 3)  # two markers out, one awaited


def test_a_row_lock_is_waited_for_in_slices(lab: Lab) -> None:
    watcher, holder, waiter = lab.connect(), lab.connect(), lab.connect()
    holder.cursor.execute("create table t (n number primary key)")
    holder.cursor.execute("insert into t values (1)")
    holder.connection.commit()
    holder.cursor.execute("update t set n = 2")
    sid = waiter.sid
    statement = lab.waiting(waiter, "update t set n = 3")

    def a_slice_later() -> list[tuple[Any, ...]]:
        """The row of a session that waits again; between two slices it waits for nothing."""
        if not watcher.one(SLICES_OF, sid=sid, event=ROW_LOCK):
            return []
        return watcher.rows(
            "select state, wait_class, p1text, p1raw, blocking_session_status, blocking_session,"
            " seconds_in_wait from v$session where sid = :s and state = 'WAITING'",
            s=sid,
        )

    [row] = until(a_slice_later, "the second slice")
    holder.connection.commit()
    assert statement.join()
    settle(watcher, sid)
    count, timeouts, us = waited(watcher, sid, ROW_LOCK)

    assert row[:3] == ("WAITING", "Application", "name|mode")
    assert row[3].hex().upper() == "0000000054580006"
    assert row[4:6] == ("VALID", holder.sid)
    assert row[6] >= 3
    assert timeouts >= 1
    assert count == timeouts + 1
    assert us >= 3_000_000
    times = dict(watcher.rows(TIMES, sid=sid))
    assert times["DB time"] >= us
    assert times["DB CPU"] < us


def test_the_past_stays_in_the_system(lab: Lab) -> None:
    watcher = lab.connect()
    watcher.connection.ping()
    totals = "select total_waits from v$system_event where event = :e"
    before = watcher.one(totals, e=TO_CLIENT)
    for _ in range(3):
        session = lab.connect()
        session.connection.ping()
        session.connection.close()
    assert watcher.one(totals, e=TO_CLIENT) >= before + 6
    system = dict(watcher.rows("select stat_name, value from v$sys_time_model"))
    mine = dict(watcher.rows(TIMES, sid=watcher.sid))
    assert system["DB time"] > mine["DB time"]
