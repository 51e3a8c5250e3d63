# SPDX-License-Identifier: GPL-2.0-or-later
"""ROWIDs: fetched, bound, given as that of the last row, and refused where they name no row."""

from __future__ import annotations

import oracledb
import pytest

from .conftest import Session


@pytest.fixture
def people(session: Session) -> Session:
    session.cursor.execute("create table people (n number, v varchar2(20))")
    session.cursor.executemany(
        "insert into people values (:1, :2)", [(n, f"v{n}") for n in range(1000)]
    )
    return session


def test_rowids_find_their_rows(people: Session) -> None:
    rows = people.rows("select rowid, p.n from people p")
    assert people.cursor.description[0][1] is oracledb.DB_TYPE_ROWID
    assert len({rowid for rowid, _ in rows}) == 1000
    assert all(len(rowid) == 18 for rowid, _ in rows)
    for rowid, n in rows[::37]:
        assert people.rows("select n from people where rowid = :r", r=rowid) == [(n,)]
        assert people.rows("select n from people where :r = people.rowid", r=rowid) == [(n,)]
    assert people.rows("select rowid, n from people order by rowid") == rows
    chosen = [rowid for rowid, n in rows if n in (3, 700)]
    found = people.rows(
        "select n from people where rowid in (:a, :b) order by n", a=chosen[0], b=chosen[1]
    )
    assert found == [(3,), (700,)]


def test_a_rowid_takes_few_gets(people: Session) -> None:
    people.cursor.execute("update people set v = rpad(v, 20, '.')")
    for _ in range(3):
        people.cursor.execute("insert into people select * from people")
    rowid = people.one("select rowid from people where n = 500 and rownum = 1")
    spent = people.spent("select v from people where rowid = :r", r=rowid)
    scan = people.spent("select v from people where n = -1")
    assert spent["consistent gets"] < 6 < scan["consistent gets"]


def test_rowids_as_text(people: Session) -> None:
    [(rowid, text, chars)] = people.rows(
        "select rowid, rowidtochar(rowid), rowid || '' from people where n = 5"
    )
    assert rowid == text == chars
    assert people.one("select n from people where rowid = chartorowid(:t)", t=text) == 5


def test_lastrowid(people: Session) -> None:
    cursor = people.connection.cursor()
    cursor.execute("insert into people values (5000, 'new')")
    assert cursor.lastrowid == people.one("select rowid from people where n = 5000")
    cursor.execute("update people set v = 'changed' where n = 17")
    assert cursor.lastrowid == people.one("select rowid from people where n = 17")
    cursor.executemany("insert into people values (:1, 'x')", [(6000,), (6001,)])
    assert cursor.lastrowid == people.one("select rowid from people where n = 6001")
    cursor.execute("update people set v = 'x' where n = -1")
    assert cursor.lastrowid is None
    last = people.one("select rowid from people where n = 5000")
    cursor.execute("delete from people where n = 5000")
    assert cursor.lastrowid == last


def test_changes_by_rowid(people: Session) -> None:
    cursor = people.connection.cursor()
    rowid = people.one("select rowid from people where n = 321")
    out = cursor.var(oracledb.DB_TYPE_ROWID)
    cursor.execute(
        "update people set v = 'y' where rowid = :1 returning rowid into :2", [rowid, out]
    )
    assert (cursor.rowcount, out.getvalue()) == (1, [rowid])
    text = cursor.var(str)
    cursor.execute("insert into people values (7, 'z') returning rowid into :1", [text])
    assert text.getvalue() == [people.one("select rowid from people where v = 'z'")]
    cursor.setinputsizes(oracledb.DB_TYPE_ROWID)
    cursor.execute("delete from people where rowid = :1", [rowid])
    assert (cursor.rowcount, people.one("select count(*) from people")) == (1, 1000)
    assert people.rows("select n from people where rowid = :r", r=rowid) == []


def test_a_table_made_anew_has_other_rowids(people: Session) -> None:
    rowid = people.one("select rowid from people where n = 0")
    cursor = people.connection.cursor()
    cursor.execute("create table others (n number)")
    cursor.execute("insert into others values (1)")
    other = cursor.lastrowid
    assert other[:6] != rowid[:6]
    objects = people.rows(
        "select count(distinct data_object_id) from user_objects"
        " where object_name in ('PEOPLE', 'OTHERS')"
    )
    assert objects == [(2,)]
    with pytest.raises(oracledb.DatabaseError, match="ORA-01410"):
        people.rows("select n from people where rowid = :r", r=other)


@pytest.mark.parametrize(
    ("sql", "error"),
    [
        ("select n from people where rowid = 'nonsense'", "ORA-01410"),
        ("select n from people where rowid = 5", "ORA-00932"),
        ("select rowid from people a, people b", "ORA-00918"),
        ("select rowid from v$session", "ORA-03001"),
        ("select rowid from (select n from people)", "ORA-03001"),
        ("with people as (select 1 n from dual) select rowid from people", "ORA-03001"),
        ("select rowid from people where rownum < 3 order by n", "ORA-03001"),
        ("insert into people (rowid) values ('x')", "ORA-"),
        ("update people set rowid = 'x'", "ORA-"),
    ],
)
def test_what_has_no_rowid(people: Session, sql: str, error: str) -> None:
    with pytest.raises(oracledb.DatabaseError, match=error):
        people.rows(sql)


def test_rowids_of_joined_tables(people: Session) -> None:
    joined = people.rows(
        "select a.rowid, b.rowid from people a, people b where a.rowid = b.rowid and a.n < 5"
    )
    assert len(joined) == 5
    assert all(a == b for a, b in joined)
    outer = people.rows(
        "select b.rowid from people a left join people b on b.n = a.n + 999 order by a.n"
    )
    assert [rowid is None for (rowid,) in outer] == [False] + [True] * 999
    doubles = (
        "delete from people a where a.rowid > (select min(b.rowid) from people b where b.n = a.n)"
    )
    people.cursor.execute("insert into people select * from people where n < 10")
    people.cursor.execute(doubles)
    assert people.cursor.rowcount == 10


def test_rowids_of_the_dictionary(session: Session) -> None:
    [(rowid, name)] = session.rows("select rowid, name from sys.obj$ where rownum = 1")
    assert session.one("select name from sys.obj$ where rowid = :r", r=rowid) == name
