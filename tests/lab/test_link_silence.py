# SPDX-License-Identifier: GPL-2.0-or-later
"""A remote side that says nothing more, or something false: nobody waits for it for ever."""

from __future__ import annotations

import os
import re
import signal
import socket
import threading

import pytest

from polltrace.scenarios.run.lost_client import cut_off
from polltrace.servers.client_socket import duplicate_socket
from polltrace.servers.servers import servers
from tests.waiting import PATIENCE_S, until

from .conftest import ROW_LOCK, SOON_S, RunningStatement, Session, ended
from .links import CANCELLED, REMOTE_SESSIONS, LinkedLabs, between, far_session, started


def error_of(session: Session, query: str) -> list[str]:
    """The numbers of the errors that the query ends with; it must end."""
    errors: list[str] = []

    def run() -> None:
        try:
            session.rows(query)
        except Exception as error:
            errors.extend(re.findall(r"ORA-\d+(?=:)", str(error)))

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(PATIENCE_S)
    assert not thread.is_alive(), "the query does not end"
    return errors


def test_a_silent_remote_side_is_given_up(labs: LinkedLabs) -> None:
    labs.local.sqlnet_ora("SQLNET.RECV_TIMEOUT = 1\n")
    session, watcher = labs.local.connect(), labs.remote.connect()
    session.rows("select * from dual@far")
    _, spid = far_session(watcher)
    os.kill(spid, signal.SIGSTOP)
    try:
        assert error_of(session, "select * from dual@far") == ["ORA-02068", "ORA-12609"]
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


@pytest.mark.parametrize("heard", [0, 8, 45, 100, 400, 1000])
def test_a_logon_that_falls_silent(labs: LinkedLabs, heard: int) -> None:
    """After ACCEPT it is a lost connection; before, the remote side was not reached."""
    labs.local.sqlnet_ora("SQLNET.OUTBOUND_CONNECT_TIMEOUT = 1\n")

    def until_then(data: bytes, before: int) -> bytes | None:
        return data[: heard - before] if before < heard else None

    session = labs.local.connect()
    with between(labs.remote.port, until_then) as port:
        labs.link(session, "silent", port)
        accepted = heard >= 45
        expected = ["ORA-02068", "ORA-12170"] if accepted else ["ORA-12170"]
        assert error_of(session, "select * from dual@silent") == expected
    assert session.rows("select * from dual@far") == [("X",)]


def test_a_remote_side_that_does_not_know_the_password(labs: LinkedLabs) -> None:
    """It answers the logon as if it did: its proof is false."""
    told = []

    def false_proof(data: bytes, before: int) -> bytes:
        key = data.find(b"AUTH_SVR_RESPONSE")
        if key < 0:
            return data
        digit = re.compile(rb"[0-9A-F]{64}").search(data, key)
        assert digit is not None
        at = digit.start() + 40
        told.append(before)
        return data[:at] + (b"0" if data[at : at + 1] != b"0" else b"1") + data[at + 1 :]

    session = labs.local.connect()
    with between(labs.remote.port, false_proof) as port:
        labs.link(session, "false", port)
        errors = error_of(session, "select * from dual@false")
        assert errors == ["ORA-02068", "ORA-03106"]
    assert told
    assert session.rows("select * from v$dblink") == []


def test_closing_a_link_to_a_silent_side(labs: LinkedLabs) -> None:
    session, watcher = labs.local.connect(), labs.remote.connect()
    session.rows("select * from dual@far")
    session.connection.commit()
    _, spid = far_session(watcher)
    os.kill(spid, signal.SIGSTOP)
    try:
        assert error_of(session, "alter session close database link far") == []
        assert session.rows("select * from v$dblink") == []
    finally:
        os.kill(spid, signal.SIGCONT)
    assert ended(spid, within_s=SOON_S)


def keepalive_of(pid: int, fd: int) -> tuple[int, int, int]:
    """Seconds until the first probe, between two, and their number; set to a second each, and two,
    for a test cannot wait for minutes."""
    options = (socket.TCP_KEEPIDLE, socket.TCP_KEEPINTVL, socket.TCP_KEEPCNT)
    duplicate = duplicate_socket(pid, fd)
    assert duplicate is not None
    with duplicate:
        assert duplicate.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
        idle, interval, count = (duplicate.getsockopt(socket.IPPROTO_TCP, each) for each in options)
        for option, value in zip(options, (1, 1, 2), strict=True):
            duplicate.setsockopt(socket.IPPROTO_TCP, option, value)
    return idle, interval, count


def waiting_for_a_lock(labs: LinkedLabs, session: Session) -> RunningStatement:
    """A remote query, and the remote side sends nothing while it waits."""
    watcher, holder = labs.remote.connect(), labs.remote.connect()
    holder.cursor.execute("create table locked (a number(5))")
    holder.cursor.execute("insert into locked values (1)")
    holder.connection.commit()
    holder.rows("select a from locked for update")
    sid, _ = far_session(watcher)
    state = "select event from v$session where sid = :sid and state = 'WAITING'"
    statement = started(session, "select a from locked@far for update")
    until(lambda: watcher.rows(state, sid=sid) == [(ROW_LOCK,)], "a wait for the lock")
    return statement


@pytest.mark.usefixtures("root")
def test_a_remote_host_that_is_gone(labs: LinkedLabs) -> None:
    """Dead connection detection: nothing comes from there, not even an end of the connection."""
    labs.local.sqlnet_ora("SQLNET.EXPIRE_TIME = 2\n")
    session, watcher = labs.local.connect(), labs.remote.connect()
    session.rows("select * from dual@far")
    near, far = session.spid, far_session(watcher)[1]
    [server] = servers([near])
    [link] = [each for each in server.sockets if each.peer.endswith(f":{labs.remote.port}")]
    assert keepalive_of(near, link.fd) == (120, 6, 10)
    statement = waiting_for_a_lock(labs, session)
    cut_off(far)
    assert statement.join()
    assert statement.error.startswith("ORA-02068")
    assert session.one("select 1 from dual") == 1


@pytest.mark.usefixtures("root")
def test_a_local_host_that_is_gone(labs: LinkedLabs) -> None:
    """The remote server finds its client gone, and its locks go with it."""
    labs.remote.sqlnet_ora("SQLNET.EXPIRE_TIME = 3\n")
    session, watcher = labs.local.connect(), labs.remote.connect()
    watcher.cursor.execute("create table locked (a number(5))")
    watcher.cursor.execute("insert into locked values (1)")
    watcher.connection.commit()
    session.rows("select a from locked@far for update")
    far = far_session(watcher)[1]
    [server] = servers([far])
    assert server.socket is not None
    assert keepalive_of(far, server.socket.fd) == (180, 6, 10)
    cut_off(session.spid)
    until(lambda: not watcher.rows(REMOTE_SESSIONS), "the end of the remote session")
    assert watcher.rows("select a from locked for update nowait") == [(1,)]
