# SPDX-License-Identifier: GPL-2.0-or-later
"""Queries that are fetched half: each keeps its own snapshot, and no other's."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import oracledb
import pytest

from .conftest import FOR_EVER, LOTSLIOS, Lab, RunningStatement, Session

ROWS = 1009
COUNT = "select count(*) from t"
FILL = f"insert into t select level, 'row ' || level from dual connect by level <= {ROWS}"
WANTED = [(n, f"row {n}") for n in range(1, ROWS + 1)]


@pytest.fixture
def reader(lab: Lab) -> Session:
    session = lab.connect()
    session.cursor.execute("create table t (n number, v varchar2(20))")
    session.cursor.execute(FILL)
    session.connection.commit()
    return session


def half(session: Session, sql: str = "select n, v from t", **binds: object) -> Iterator[Any]:
    """The query's rows, of which the server has been asked for three."""
    cursor = session.connection.cursor()
    cursor.arraysize = 3
    cursor.prefetchrows = 0
    cursor.execute(sql, binds)
    return iter(cursor)


def first(rows: Iterator[Any], count: int = 2) -> list[Any]:
    return [next(rows) for _ in range(count)]


def test_each_statement_sees_what_was_committed_when_it_began(lab: Lab, reader: Session) -> None:
    other = lab.connect()
    # GIVEN three queries fetched half, with a commit before each
    halves = []
    for n in range(3):
        rows = half(reader)
        halves.append((first(rows), rows, n))
        other.cursor.execute("insert into t values (-1 - :n, 'late')", n=n)
        other.connection.commit()
        # THEN the next statement sees the commit
        assert reader.one(COUNT) == ROWS + n + 1
    # AND so does a change
    reader.cursor.execute("update t set v = 'new' where n < 4")
    assert reader.cursor.rowcount == 3 + 3
    reader.cursor.execute("delete t where n > 500")
    reader.connection.commit()
    assert other.one(COUNT) == 503
    # AND each of the queries goes on with the state that it began with
    for seen, rows, late in halves:
        assert [*seen, *rows] == [*WANTED, *((-1 - n, "late") for n in range(late))]


@pytest.mark.parametrize(
    "sql",
    [
        "select obj#, name from sys.obj$ where rownum <= 2003",
        "select statistic#, value from v$mystat",
        "select level, 'x' from dual connect by level <= 3001",
    ],
    ids=["SYS's table", "V$ view", "DUAL"],
)
def test_queries_of_other_tables_hold_no_snapshot_either(
    lab: Lab, reader: Session, sql: str
) -> None:
    other = lab.connect()
    expected = len(reader.rows(sql))
    rows = half(reader, sql)
    seen = len(first(rows))
    assert reader.one(COUNT) == ROWS
    other.cursor.execute("insert into t values (0, null)")
    other.connection.commit()
    assert reader.one(COUNT) == ROWS + 1
    reader.cursor.execute("delete t")
    assert reader.cursor.rowcount == ROWS + 1
    assert seen + len(list(rows)) == expected


def test_rolled_back_rows_stay_in_a_query_that_saw_them(reader: Session) -> None:
    reader.cursor.execute("update t set v = 'not for long'")
    rows = half(reader)
    seen = first(rows)
    reader.connection.rollback()
    assert [*seen, *rows] == [(n, "not for long") for n, _ in WANTED]
    assert reader.rows("select n, v from t") == WANTED


def test_a_commit_between_fetches(lab: Lab, reader: Session) -> None:
    reader.connection.autocommit = True
    writing = reader.connection.cursor()
    for n, _ in half(reader):
        writing.execute("update t set n = n + 5000 where n = :n", n=n)
        assert writing.rowcount == 1
    assert lab.connect().one("select count(*) from t where n > 5000") == ROWS


def test_every_kind_of_value_is_kept(reader: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    reader.cursor.execute(
        "create table k (i number, r number, w number, t varchar2(40), x varchar2(1), d date,"
        " s timestamp, b raw(9))"
    )
    reader.cursor.execute(
        "insert into k select level, level / 8, 12345678901234567890123456789012345678 - level,"
        " 'äöü€' || chr(1) || level, null, date '2024-02-29' + level / 24,"
        " timestamp '2024-02-29 13:14:15.123456', :b from dual connect by level <= 20",
        b=b"\0\xff\1",
    )
    monkeypatch.setattr(oracledb.defaults, "fetch_decimals", True)
    wanted = reader.rows("select * from k")
    assert wanted[6][1:5] == (
        Decimal("0.875"),
        12345678901234567890123456789012345671,
        "äöü€\x017",
        None,
    )
    rows = half(reader, "select * from k")
    seen = first(rows)
    reader.cursor.execute("delete k")
    assert [*seen, *rows] == wanted


def test_tables_that_others_make_and_drop(lab: Lab, reader: Session) -> None:
    other = lab.connect()
    rows = half(reader)
    seen = first(rows)
    reader.one(COUNT)
    rows_again = half(reader)
    first(rows_again)
    other.cursor.execute("create table made (n number)")
    assert reader.one("select count(*) from made") == 0
    other.cursor.execute("drop table t")
    with pytest.raises(oracledb.DatabaseError, match="ORA-00942"):
        reader.one(COUNT)
    assert [*seen, *rows] == WANTED
    assert len(list(rows_again)) == ROWS - 2


def test_an_error_further_down_is_its_own_querys(reader: Session) -> None:
    rows = half(reader, "select 1 / (1000 - n) from t")
    first(rows)
    assert reader.one(COUNT) == ROWS
    assert len(first(rows, 900)) == 900
    with pytest.raises(oracledb.DatabaseError, match="ORA-01476"):
        list(rows)


def test_the_work_is_counted(lab: Lab, reader: Session) -> None:
    lab.sqlnet_ora("BREAK_POLL_SKIP=1\nDISABLE_OOB=ON\n")
    session = lab.connect()
    rows = half(session, "select a.n from t a, t b where a.n = b.n and b.v = a.v")
    first(rows)
    spent = session.spent(COUNT)
    assert spent["consistent gets"] > ROWS
    assert spent["lab break polls"] == spent["lab break checks"] == spent["consistent gets"]
    assert len(list(rows)) == ROWS - 2


@pytest.mark.parametrize("in_band", [False, True])
def test_a_cancel_meets_it(lab: Lab, reader: Session, in_band: bool) -> None:
    session = lab.connect(disable_oob=in_band)
    untouched = half(session)
    seen = first(untouched)
    busy = half(
        session,
        "select rownum from dual where 1 = 2 union all select 1 from dual union all"
        " select 2 from dual union all select 3 from dual union all select 4 from dual union all"
        f" select * from ({LOTSLIOS})",
        n=FOR_EVER,
    )
    first(busy)
    # WHEN a statement is cancelled that has to read the rest of another before it begins
    statement = lab.running(session, "update t set v = 'never'")
    session.connection.cancel()
    assert statement.join()
    # THEN it has not begun, and what was being read has ended
    assert statement.error.startswith("ORA-01013")
    assert session.rows("select n, v from t") == WANTED
    with pytest.raises(oracledb.DatabaseError, match="ORA-01013"):
        list(busy)
    assert [*seen, *untouched] == WANTED


def test_a_cancelled_statement_takes_no_other_along(lab: Lab, reader: Session) -> None:
    rows = half(reader, "select obj# from sys.obj$ where rownum <= 503")
    first(rows)
    statement: RunningStatement = lab.running(reader, LOTSLIOS, n=FOR_EVER)
    reader.connection.cancel()
    assert statement.join()
    assert statement.error.startswith("ORA-01013")
    assert reader.one("select count(*) from sys.obj$ where rownum < 8") == 7
    assert len(list(rows)) == 503 - 2


def test_rows_beyond_all_bounds(reader: Session) -> None:
    rows = half(reader, "select rpad('x', 4000) from dual connect by level <= 100000")
    first(rows)
    assert reader.one(COUNT) == ROWS
    with pytest.raises(oracledb.DatabaseError, match="ORA-01555"):
        list(rows)
    assert reader.one(COUNT) == ROWS


def test_nothing_is_left_open(reader: Session) -> None:
    links = Path(f"/proc/{reader.spid}/fd")
    before = len(list(links.iterdir()))
    for _ in range(5):
        first(half(reader))
        reader.one(COUNT)
    reader.rows("select 1 from dual")
    assert len(list(links.iterdir())) <= before + 5
