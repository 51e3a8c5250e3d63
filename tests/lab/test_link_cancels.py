# SPDX-License-Identifier: GPL-2.0-or-later
"""Cancels over a link: none is lost, and both sessions can be used after each.

Nothing is published about how Oracle passes a break on: what is tested is the lab's way. The client
breaks in either mode; the local server passes it on in-band and takes the remote side's error.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass

import pytest

from polltrace.scenarios.plan.network_path import NetworkPath
from polltrace.scenarios.run.network.relay import relay
from tests.waiting import until

from .conftest import CANCELS, FOR_EVER, ROW_LOCK, RunningStatement, Session
from .links import (
    CANCELLED,
    FROM_DBLINK,
    LOTSLIOS_FAR,
    REMOTE_SESSIONS,
    ROWS_FAR,
    LinkedLabs,
    far_session,
    in_the_middle,
    started,
)

DELAY_S = 0.02
WAITING = 10


@pytest.fixture(params=["out-of-band", "in-band"])
def session(labs: LinkedLabs, request: pytest.FixtureRequest) -> Session:
    """A session, once in each break mode."""
    return labs.local.connect(disable_oob=request.param == "in-band")


@dataclass
class LinkCall:
    """What is cancelled: starts a call, and returns it when the remote side is in its middle."""

    session: Session
    watcher: Session
    sid: int

    def executing(self) -> RunningStatement:
        statement = started(self.session, LOTSLIOS_FAR, n=FOR_EVER)
        in_the_middle(self.watcher, self.sid, statement)
        return statement

    def sending(self) -> RunningStatement:
        self.session.cursor.arraysize = self.session.cursor.prefetchrows = 5000
        sent = "bytes sent via SQL*Net to client"
        before = self.watcher.statistic_of(self.sid, sent)
        statement = started(self.session, ROWS_FAR)
        until(
            lambda: self.watcher.statistic_of(self.sid, sent) - before > 1 << 20,
            "a megabyte of rows",
        )
        return statement


STATES: dict[str, tuple[Callable[[LinkCall], RunningStatement], float]] = {
    "the remote side executes": (LinkCall.executing, 0.0),
    "the link is sending rows": (LinkCall.sending, 0.0),
    "the link is 20 ms long": (LinkCall.executing, DELAY_S),
}


@pytest.mark.parametrize("state", STATES)
def test_no_cancel_is_lost(labs: LinkedLabs, session: Session, state: str) -> None:
    begin, delay_s = STATES[state]
    watcher = labs.remote.connect()
    with ExitStack() as stack:
        if delay_s:
            path = NetworkPath(round_trip_s=delay_s)
            port = stack.enter_context(relay(("127.0.0.1", labs.remote.port), path))
            session.cursor.execute("drop database link far")
            labs.link(session, "far", port)
        assert session.rows("select * from dual@far") == [("X",)]
        sid, spid = far_session(watcher)
        call = LinkCall(session, watcher, sid)
        for _ in range(CANCELS):
            statement = begin(call)
            session.connection.cancel()
            assert statement.join()
            assert statement.error.startswith(CANCELLED)
            assert session.one("select 1 from dual") == 1
            assert session.rows("select dummy from dual@far") == [("X",)]
        # Each has arrived, and both are still the same sessions. Where rows are being sent, a
        # cancel may come between two fetches, and ends the call without the remote side.
        arrived = watcher.statistic_of(sid, "lab breaks")
        assert arrived == CANCELS or (begin is LinkCall.sending and 0 < arrived < CANCELS)
        assert far_session(watcher) == (sid, spid)


@pytest.mark.parametrize("in_band", [False, True], ids=["out-of-band", "in-band"])
def test_no_cancel_of_a_wait_for_a_lock_is_lost(labs: LinkedLabs, in_band: bool) -> None:
    """A server that waits for a lock checks its client once in three seconds: several sessions wait
    and are cancelled together, or this would take minutes."""
    watcher, holder = labs.remote.connect(), labs.remote.connect()
    holder.cursor.execute("create table locked (a number(5))")
    holder.cursor.execute("insert into locked values (1)")
    holder.connection.commit()
    holder.rows("select a from locked for update")
    sessions = [labs.local.connect(disable_oob=in_band) for _ in range(WAITING)]
    for each in sessions:
        each.rows("select * from dual@far")
    far = watcher.rows(REMOTE_SESSIONS)
    assert len(far) == WAITING
    waiting = (
        "select count(*) from v$session where program like 'oracle@%' and state = 'WAITING'"
        f" and event = '{ROW_LOCK}'"
    )
    for _ in range(CANCELS // WAITING):
        statements = [started(each, "select a from locked@far for update") for each in sessions]
        until(lambda: watcher.one(waiting) == WAITING, "all of them waiting")
        for each in sessions:
            each.connection.cancel()
        for each, statement in zip(sessions, statements, strict=True):
            assert statement.join()
            assert statement.error.startswith(CANCELLED)
            assert each.one("select 1 from dual") == 1
            assert each.rows("select dummy from dual@far") == [("X",)]
    assert sorted(watcher.rows(REMOTE_SESSIONS)) == sorted(far)
    assert [watcher.statistic_of(int(sid), "lab breaks") for sid, _ in far] == [
        CANCELS // WAITING
    ] * WAITING
    holder.connection.rollback()
    assert sessions[0].rows("select a from locked@far for update") == [(1,)]


def test_the_remote_side_hears_by_polling(labs: LinkedLabs, session: Session) -> None:
    """As any in-band server does; the session that the client cancels may be out-of-band."""
    session.rows("select * from dual@far")
    watcher = labs.remote.connect()
    sid, _ = far_session(watcher)
    statement = LinkCall(session, watcher, sid).executing()
    session.connection.cancel()
    assert statement.join()
    assert watcher.statistic_of(sid, "lab break polls") > 0


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


def test_waits_of_a_break(labs: LinkedLabs, session: Session) -> None:
    session.rows("select * from dual@far")
    watcher, here = labs.remote.connect(), labs.local.connect()
    sid, _ = far_session(watcher)
    own = session.sid
    statement = started(session, LOTSLIOS_FAR, n=FOR_EVER)
    in_the_middle(watcher, sid, statement)
    event = "select event from v$session where sid = :sid and state = 'WAITING'"
    assert here.rows(event, sid=own) == [(FROM_DBLINK,)]
    session.connection.cancel()
    assert statement.join()
    assert statement.error.startswith(CANCELLED)
    total = "select total_waits from v$session_event where sid = :sid and event = :event"
    assert here.one(total, sid=own, event="SQL*Net break/reset to dblink") > 0
