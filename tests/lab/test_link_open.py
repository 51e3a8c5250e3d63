# SPDX-License-Identifier: GPL-2.0-or-later
"""OPEN of a query over a link: it is executed there, and rows come with each FETCH alone."""

from __future__ import annotations

import os
import signal
from typing import Any

import oracledb
import pytest

from tests.waiting import until

from .conftest import FOR_EVER, Session, settle
from .links import (
    CANCELLED,
    FROM_DBLINK,
    LOTSLIOS_FAR,
    REMOTE_SESSIONS,
    LinkedLabs,
    far_session,
    in_the_middle,
    started,
    waits,
)

OPEN = "begin open :c for select n from numbers@far where n <= :n order by n; end;"


@pytest.fixture
def numbers(labs: LinkedLabs) -> LinkedLabs:
    """The remote side has NUMBERS, 1 to 50."""
    remote = labs.remote.connect()
    remote.cursor.execute("create table numbers (n number(5))")
    remote.cursor.execute("insert into numbers select level from dual connect by level <= 50")
    remote.connection.commit()
    return labs


def opened(session: Session, n: int) -> Any:
    """The client's end of a cursor that a block has opened."""
    cursor = session.connection.cursor()
    session.cursor.execute(OPEN, c=cursor, n=n)
    return cursor


@pytest.mark.parametrize(("array_size", "fetches"), [(1, 41), (7, 6), (41, 1), (100, 1)])
def test_a_fetch_brings_as_many_rows_as_it_asks_for(
    numbers: LinkedLabs, array_size: int, fetches: int
) -> None:
    session, watcher = numbers.local.connect(), numbers.local.connect()
    sid = session.sid
    opened(session, 1).close()
    settle(watcher, sid)
    before = waits(watcher, sid)[FROM_DBLINK]
    cursor = opened(session, 41)
    settle(watcher, sid)
    executed = waits(watcher, sid)[FROM_DBLINK]
    cursor.arraysize = cursor.prefetchrows = array_size
    assert cursor.fetchall() == [(n,) for n in range(1, 42)]
    settle(watcher, sid)
    # The table is described, then the query; its execution brings no row.
    assert executed - before == 3
    # The last fetch may not have met the end.
    assert fetches <= waits(watcher, sid)[FROM_DBLINK] - executed <= fetches + 1


def test_rows_are_those_of_the_open(numbers: LinkedLabs) -> None:
    """Whatever is committed there, and ended or changed here, before the first FETCH."""
    session, remote = numbers.local.connect(), numbers.remote.connect()
    first, second = opened(session, 3), opened(session, 4)
    remote.cursor.execute("delete from numbers")
    remote.connection.commit()
    session.cursor.execute("create table meanwhile (a number)")
    session.cursor.execute("insert into meanwhile values (1)")
    session.connection.commit()
    session.cursor.execute("insert into meanwhile values (2)")
    session.connection.rollback()
    assert second.fetchall() == [(1,), (2,), (3,), (4,)]
    assert first.fetchall() == [(1,), (2,), (3,)]
    assert opened(session, 4).fetchall() == []


def test_a_cursor_that_is_opened_again_has_its_new_rows(numbers: LinkedLabs) -> None:
    session = numbers.local.connect()
    found = session.cursor.var(str)
    session.cursor.execute(
        "declare cursor c(p number) is select n from numbers@far where n = p; a number;"
        " s varchar2(100); begin open c(1); close c; open c(2); fetch c into a; s := a; close c;"
        " for r in c(3) loop s := s || ' ' || r.n; end loop; open c(4); close c;"
        " for r in c(5) loop s := s || ' ' || r.n; end loop; open c(60); fetch c into a;"
        " if c%notfound then s := s || ' none'; end if; close c; :s := s; end;",
        s=found,
    )
    assert found.getvalue() == "2 3 5 none"


def test_an_open_that_fails_fails_as_the_open(numbers: LinkedLabs) -> None:
    session = numbers.local.connect()
    found = session.cursor.var(str)
    session.cursor.execute(
        "declare c sys_refcursor; begin open c for select n from numbers@far where n = :x;"
        " :s := 'opened'; exception when others then :s := sqlerrm; end;",
        x="no number",
        s=found,
    )
    assert found.getvalue().startswith("ORA-01722")
    assert opened(session, 1).fetchall() == [(1,)]


@pytest.mark.parametrize("in_band", [False, True], ids=["out-of-band", "in-band"])
def test_an_open_is_cancelled(numbers: LinkedLabs, in_band: bool) -> None:
    session, watcher = numbers.local.connect(disable_oob=in_band), numbers.remote.connect()
    session.rows("select * from dual@far")
    sid, _ = far_session(watcher)
    block = f"declare c sys_refcursor; begin open c for {LOTSLIOS_FAR}; close c; end;"
    statement = started(session, block, n=FOR_EVER)
    in_the_middle(watcher, sid, statement)
    session.connection.cancel()
    assert statement.join()
    assert statement.error.startswith(CANCELLED)
    assert opened(session, 2).fetchall() == [(1,), (2,)]


def test_a_link_that_is_lost_between_open_and_fetch(numbers: LinkedLabs) -> None:
    session, watcher = numbers.local.connect(), numbers.remote.connect()
    cursor = opened(session, 3)
    _, spid = far_session(watcher)
    os.kill(spid, signal.SIGKILL)
    until(lambda: watcher.rows(REMOTE_SESSIONS) == [], "the end of the remote session")
    with pytest.raises(oracledb.DatabaseError, match="ORA-02068"):
        cursor.fetchall()
    session.connection.rollback()
    assert opened(session, 3).fetchall() == [(1,), (2,), (3,)]


def test_a_client_that_executes_without_fetching(numbers: LinkedLabs) -> None:
    session, watcher = numbers.local.connect(), numbers.local.connect()
    sid = session.sid
    session.rows("select * from dual@far")
    cursor = session.connection.cursor()
    cursor.prefetchrows = 0
    cursor.arraysize = 10
    cursor.execute("select n from numbers@far where n <= 20 order by n")
    settle(watcher, sid)
    before = waits(watcher, sid)[FROM_DBLINK]
    assert cursor.fetchmany(10) == [(n,) for n in range(1, 11)]
    settle(watcher, sid)
    assert waits(watcher, sid)[FROM_DBLINK] - before == 1
    assert cursor.fetchall() == [(n,) for n in range(11, 21)]
