# SPDX-License-Identifier: GPL-2.0-or-later
"""Breaks over a link, and what is left when one of its ends dies.

Nothing is published about how Oracle passes a break on: what is tested is the lab's way. The client
breaks in either mode; the local server passes it on in-band and takes the remote side's error.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import oracledb
import pytest

from polltrace.scenarios.plan.network_path import NetworkPath
from polltrace.scenarios.run.network.relay import relay
from tests.waiting import until

from .conftest import CANCELS, LOTSLIOS, ROW_LOCK, SOON_S, RunningStatement, Session, ended
from .links import FROM_DBLINK, LinkedLabs, linked_labs

REMOTE_SESSIONS = (
    "select s.sid, p.spid from v$session s, v$process p"
    " where s.paddr = p.addr and s.program like 'oracle@%'"
)
LOTSLIOS_FAR = LOTSLIOS.replace("sys.obj$ a", "sys.obj$@far a").replace(
    "sys.obj$ b", "sys.obj$@far b"
)
LOTSLIOS_FAR = LOTSLIOS_FAR.replace("sys.obj$ c", "sys.obj$@far c").replace(
    "sys.obj$ d", "sys.obj$@far d"
)
FOR_EVER = 2_000_000
CANCELLED = "ORA-01013"


@pytest.fixture
def labs(oralab: Path, tmp_path: Path) -> Iterator[LinkedLabs]:
    made = linked_labs(oralab, tmp_path / "local", tmp_path / "remote")
    yield made
    made.local.stop()
    made.remote.stop()


@pytest.fixture(params=["out-of-band", "in-band"])
def session(labs: LinkedLabs, request: pytest.FixtureRequest) -> Session:
    """A session whose link is open, once in each break mode."""
    made = labs.local.connect(disable_oob=request.param == "in-band")
    assert made.rows("select * from dual@far") == [("X",)]
    return made


def far_session(watcher: Session) -> tuple[int, int]:
    """SID and server process of the link's session."""
    [(sid, spid)] = watcher.rows(REMOTE_SESSIONS)
    return int(sid), int(spid)


def started(session: Session, sql: str, **binds: object) -> RunningStatement:
    statement = RunningStatement(session)
    statement.start(sql, **binds)
    return statement


def in_the_middle(watcher: Session, sid: int, statement: RunningStatement) -> None:
    gets = watcher.statistic_of(sid, "consistent gets")

    def reads() -> bool:
        assert statement.thread.is_alive(), statement.error
        return watcher.statistic_of(sid, "consistent gets") - gets >= 1000

    until(reads, "a thousand remote gets")


def expect_cancelled(session: Session, statement: RunningStatement) -> None:
    session.connection.cancel()
    assert statement.join()
    assert statement.error.startswith(CANCELLED)
    assert session.one("select 1 from dual") == 1
    assert session.rows("select dummy from dual@far") == [("X",)]


def test_the_remote_side_executes(labs: LinkedLabs, session: Session) -> None:
    watcher = labs.remote.connect()
    sid, spid = far_session(watcher)
    for _ in range(CANCELS // 2):
        statement = started(session, LOTSLIOS_FAR, n=FOR_EVER)
        in_the_middle(watcher, sid, statement)
        expect_cancelled(session, statement)
    # It heard of all of them by polling the link, as any in-band server, and is the same session.
    assert far_session(watcher) == (sid, spid)
    assert watcher.statistic_of(sid, "lab breaks") == CANCELS // 2
    assert watcher.statistic_of(sid, "lab break polls") > 0


def test_the_remote_side_waits_for_a_lock(labs: LinkedLabs, session: Session) -> None:
    watcher, holder = labs.remote.connect(), labs.remote.connect()
    holder.cursor.execute("create table locked (a number(5))")
    holder.cursor.execute("insert into locked values (1)")
    holder.connection.commit()
    assert holder.rows("select a from locked for update") == [(1,)]
    sid, _ = far_session(watcher)
    state = "select event from v$session where sid = :sid and state = 'WAITING'"
    for _ in range(CANCELS // 6):
        statement = started(session, "select a from locked@far for update")
        until(lambda: watcher.rows(state, sid=sid) == [(ROW_LOCK,)], "a wait for the lock")
        expect_cancelled(session, statement)
    holder.connection.rollback()
    assert session.rows("select a from locked@far for update") == [(1,)]
    session.connection.rollback()


def test_the_link_is_sending_rows(labs: LinkedLabs, session: Session) -> None:
    watcher = labs.remote.connect()
    rows = (
        "select rpad(a.object_name, 1000), b.object_name from all_objects@far a, all_objects@far b"
    )
    sid, _ = far_session(watcher)
    received = "bytes sent via SQL*Net to client"
    session.cursor.arraysize = session.cursor.prefetchrows = 5000
    for _ in range(CANCELS // 4):
        before = watcher.statistic_of(sid, received)
        statement = started(session, rows)

        def sends(before: int = before) -> bool:
            return watcher.statistic_of(sid, received) - before > 1 << 20

        until(sends, "a megabyte of rows")
        expect_cancelled(session, statement)


@contextmanager
def delayed(labs: LinkedLabs, session: Session, round_trip_s: float) -> Iterator[None]:
    with relay(("127.0.0.1", labs.remote.port), NetworkPath(round_trip_s=round_trip_s)) as port:
        labs.link(session, "slow", port)
        yield
        session.connection.rollback()
        session.cursor.execute("drop database link slow")


def test_a_link_that_is_20_ms_away(labs: LinkedLabs, session: Session) -> None:
    watcher = labs.remote.connect()
    session.connection.commit()
    session.cursor.execute("alter session close database link far")
    with delayed(labs, session, 0.02):
        assert session.rows("select * from dual@slow") == [("X",)]
        sid, _ = far_session(watcher)
        for _ in range(CANCELS // 6):
            statement = started(session, LOTSLIOS_FAR.replace("@far", "@slow"), n=FOR_EVER)
            in_the_middle(watcher, sid, statement)
            session.connection.cancel()
            assert statement.join()
            assert statement.error.startswith(CANCELLED)
            assert session.rows("select dummy from dual@slow") == [("X",)]


def test_cancels_at_any_moment(labs: LinkedLabs, session: Session) -> None:
    """Also those that cross the answer: the driver gives them to the next call."""
    query = "select object_id, rpad(object_name, 200) from all_objects@far where rownum <= 3000"
    session.cursor.arraysize = session.cursor.prefetchrows = 300
    whole = time.monotonic()
    expected = session.rows(query)
    whole = time.monotonic() - whole
    for i in range(CANCELS * 2):
        statement = started(session, query)
        time.sleep(whole * i / CANCELS / 2)
        session.connection.cancel()
        assert statement.join()
        assert statement.error == "" or statement.error.startswith(CANCELLED)
        again = started(session, query)  # it may get the break, which then crossed an answer
        assert again.join()
        assert again.error == "" or again.error.startswith(CANCELLED)
        assert session.rows(query) == expected


def test_a_silent_remote_side_is_given_up(labs: LinkedLabs) -> None:
    labs.local.sqlnet_ora("SQLNET.RECV_TIMEOUT = 1\n")
    session, watcher = labs.local.connect(), labs.remote.connect()
    session.rows("select * from dual@far")
    _, spid = far_session(watcher)
    os.kill(spid, signal.SIGSTOP)
    try:
        with pytest.raises(oracledb.DatabaseError, match=r"ORA-02068(?s:.*)ORA-12609"):
            session.rows("select * from dual@far")
    finally:
        os.kill(spid, signal.SIGCONT)
    assert ended(spid, within_s=SOON_S)
    until(lambda: not watcher.rows(REMOTE_SESSIONS), "the session's end")
    assert session.rows("select * from dual@far") == [("X",)]  # over a new connection
    assert far_session(watcher)[1] != spid


def test_a_cancel_is_answered_though_the_remote_side_is_silent(labs: LinkedLabs) -> None:
    labs.local.sqlnet_ora("SQLNET.RECV_TIMEOUT = 2\n")
    session, watcher = labs.local.connect(), labs.remote.connect()
    session.rows("select * from dual@far")
    _, spid = far_session(watcher)
    os.kill(spid, signal.SIGSTOP)
    try:
        statement = started(session, "select count(*) from all_objects@far")
        session.connection.cancel()
        assert statement.join()
        assert statement.error.startswith((CANCELLED, "ORA-02068"))
    finally:
        os.kill(spid, signal.SIGCONT)
    assert session.one("select 1 from dual") == 1


def test_a_killed_remote_server(labs: LinkedLabs) -> None:
    session, watcher = labs.local.connect(), labs.remote.connect()
    session.rows("select * from dual@far")
    sid, spid = far_session(watcher)
    statement = started(session, LOTSLIOS_FAR, n=FOR_EVER)
    in_the_middle(watcher, sid, statement)
    os.kill(spid, signal.SIGKILL)
    assert statement.join()
    assert statement.error.startswith("ORA-02068")
    until(lambda: watcher.rows(REMOTE_SESSIONS) == [], "the end of the remote session")
    assert session.rows("select * from dual@far") == [("X",)]


def test_a_killed_local_server_leaves_no_session_and_no_lock(labs: LinkedLabs) -> None:
    session, watcher = labs.local.connect(), labs.remote.connect()
    watcher.cursor.execute("create table locked (a number(5))")
    watcher.cursor.execute("insert into locked values (1)")
    watcher.connection.commit()
    assert session.rows("select a from locked@far for update") == [(1,)]
    [_, spid] = far_session(watcher)
    os.kill(session.spid, signal.SIGKILL)
    assert ended(spid, within_s=SOON_S)
    assert watcher.rows("select a from locked for update") == [(1,)]


def test_a_client_that_is_gone(labs: LinkedLabs) -> None:
    """Its server waits for the link: it ends, and so does the remote statement."""
    session, watcher = labs.local.connect(), labs.remote.connect()
    session.rows("select * from dual@far")
    sid, spid = far_session(watcher)
    local = session.spid
    child = os.fork()
    if child == 0:  # pragma: no cover - killed
        lonely = labs.local.connect()
        lonely.rows("select * from dual@far")
        os.kill(os.getpid(), signal.SIGSTOP)
        lonely.rows(LOTSLIOS_FAR, n=FOR_EVER)
        os._exit(0)
    os.waitpid(child, os.WUNTRACED)
    others = {int(s): int(p) for s, p in watcher.rows(REMOTE_SESSIONS)}
    del others[sid]
    [(its_sid, its_spid)] = others.items()
    os.kill(child, signal.SIGCONT)
    until(lambda: watcher.statistic_of(its_sid, "consistent gets") > 1000, "remote gets")
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    assert ended(its_spid, within_s=SOON_S)
    # The listener takes an ended process's session out of v$session when it hears of it.
    until(lambda: len(watcher.rows(REMOTE_SESSIONS)) == 1, "the session's end")
    assert session.rows("select * from dual@far") == [("X",)]
    assert (session.spid, far_session(watcher)) == (local, (sid, spid))


def test_waits_of_a_break(labs: LinkedLabs, session: Session) -> None:
    watcher, here = labs.remote.connect(), labs.local.connect()
    sid, _ = far_session(watcher)
    own = session.sid
    statement = started(session, LOTSLIOS_FAR, n=FOR_EVER)
    in_the_middle(watcher, sid, statement)
    event = "select event from v$session where sid = :sid and state = 'WAITING'"
    assert here.rows(event, sid=own) == [(FROM_DBLINK,)]
    expect_cancelled(session, statement)
    total = "select total_waits from v$session_event where sid = :sid and event = :event"
    assert here.one(total, sid=own, event="SQL*Net break/reset to dblink") > 0
