# SPDX-License-Identifier: GPL-2.0-or-later
"""Valid names, and their resolution: where Oracle refuses, so does the lab."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import oracledb
import pytest

from .conftest import Lab, Session


@pytest.fixture(scope="module")
def session(oralab: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    assert oralab.exists()
    lab = Lab(tmp_path_factory.mktemp("lab"), ())
    session = lab.connect()
    session.cursor.execute("create table t (c number, d number)")
    session.cursor.execute("create table e (c number, x number)")
    session.cursor.execute('create table q ("level" number, "Date" number, "COMMENT" number)')
    session.cursor.execute("insert into t values (1, 2)")
    session.cursor.execute("insert into e values (1, 3)")
    session.cursor.execute("insert into q values (4, 5, 6)")
    session.connection.commit()
    yield session
    lab.stop()


@pytest.mark.parametrize(
    ("sql", "error"),
    [
        # An alias hides the table's name.
        ("update t x set t.c = 1", 'ORA-00904: "T"."C"'),
        ("update t x set scott.t.c = 1", 'ORA-00904: "T"."C"'),
        ("update t set e.c = 1", 'ORA-00904: "E"."C"'),
        ("update t set sys.t.c = 1", 'ORA-00904: "T"."C"'),
        ("update t x set c = 1 where t.d = 2", "ORA-00904"),
        ("insert into t (e.c) values (1)", 'ORA-00904: "E"."C"'),
        # Reserved words
        ("create table table (n number)", "ORA-00903"),
        ("create table access (n number)", "ORA-00903"),
        ("create table n (level number)", "ORA-00904"),
        ("create table n (n number, comment varchar2(9))", "ORA-00904"),
        ("create table n (rowid number)", "ORA-00904"),
        ("create table n as select c size from t", "ORA-00923"),
        ("create index mode on t (c)", "ORA-00953"),
        ("drop table index", "ORA-00903"),
        ("select * from file", "ORA-00903"),
        ("select c comment from t", "ORA-00923"),
        ("select c as number from t", "ORA-00923"),
        ("select c from t public", "ORA-00933"),
        ("select comment from q", "ORA-00936"),
        ("select q.comment from q", "ORA-01747"),
        ("select c from t where size = 1", "ORA-00936"),
        ("update q set comment = 1", "ORA-01747"),
        ("insert into q (comment) values (1)", "ORA-01747"),
        ("update t mode set c = 1", "ORA-00971"),
        ("delete from t session", "ORA-00933"),
        # A column that USING joins by is of both tables.
        ("select t.c from t join e using (c)", "ORA-25154"),
        ("select a.d from t a join e b using (c) where b.c = 1", "ORA-25154"),
        ("select d from t a left join e b using (c) order by nvl(a.c, 0)", "ORA-25154"),
        ("select count(scott.t.c) from t join e using (c)", "ORA-25154"),
        ("select (select t.c from t join e using (c)) from dual", "ORA-25154"),
        ("select 1 from dual union select e.c from t join e using (c)", "ORA-25154"),
        # Names that differ in their case alone are two to Oracle, and one to SQLite.
        ('create table "t" (n number)', "ORA-03001: .*case"),
        ('create table n (n number, "N" number)', "ORA-00957"),
        ('create table n (n number, "n" number)', "ORA-03001: .*case"),
        ('select * from "t"', "ORA-00942"),
        ('select "c" from t', "ORA-00904"),
    ],
)
def test_refused(session: Session, sql: str, error: str) -> None:
    with pytest.raises(oracledb.DatabaseError, match=error):
        session.cursor.execute(sql)


@pytest.mark.parametrize(
    ("sql", "rows"),
    [
        ('select "level", "Date", q."COMMENT" from q', [(4, 5, 6)]),
        ('select c "size", d as "mode" from t "public"', [(1, 2)]),
        ("select user, level from dual connect by level < 2", [("SCOTT", 1)]),
        ("select c, t.d, e.x from t join e using (c)", [(1, 2, 3)]),
        ("select d, z.c from t join e using (c), e z", [(2, 1)]),
        ("select (select t.c from t) from t join e using (c)", [(1,)]),
        ("select t.c from t join e on t.c = e.c", [(1,)]),
        ("select c from t join e using (c) union all select t.c from t", [(1,), (1,)]),
        ("select date '2024-01-01' - date '2023-12-31' from dual", [(1,)]),
    ],
)
def test_taken(session: Session, sql: str, rows: list[tuple[object, ...]]) -> None:
    assert session.rows(sql) == rows


@pytest.mark.parametrize(
    "sql",
    [
        "update t set t.c = 1",
        "update t set scott.t.c = 1",
        "update scott.t set t.c = 1, d = 2",
        "update t x set x.c = 1 where x.d = 2",
        "insert into t (t.c, scott.t.d) values (1, 2)",
        'insert into q ("level", "COMMENT") values (1, 2)',
        "delete t x where x.c = 1",
    ],
)
def test_changed(session: Session, sql: str) -> None:
    session.cursor.execute(sql)
    assert session.cursor.rowcount == 1
    session.connection.rollback()


def test_a_table_of_ones_own_hides_that_of_sys_while_it_is_there(session: Session) -> None:
    """Though the session has read the columns of SYS's before: of a view and a fixed table."""
    for name in ("user_objects", "v$session"):
        session.rows(f"select * from {name} where 1 = 0")
        before = session.cursor.description
        session.cursor.execute(f"create table {name} (mine number(5))")
        session.cursor.execute(f"insert into {name} values (1)")
        assert session.rows(f"select mine from {name}") == [(1,)]
        session.rows(f"select * from sys.{name} where 1 = 0")
        assert session.cursor.description == before
        session.cursor.execute(f"drop table {name}")
        session.rows(f"select * from {name} where 1 = 0 ")
        assert session.cursor.description == before


def test_an_error_names_the_longest_names_whole(session: Session) -> None:
    table, column = "T" * 128, "C" * 128
    with pytest.raises(oracledb.DatabaseError) as error:
        session.rows(f"select {table}.{column} from dual")
    assert f'ORA-00904: "{table}"."{column}": invalid identifier' in str(error.value)
