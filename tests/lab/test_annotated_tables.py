# SPDX-License-Identifier: GPL-2.0-or-later
"""RESULT_CACHE (MODE FORCE | DEFAULT) of a table: which queries it lets the result cache keep."""

from __future__ import annotations

import oracledb
import pytest

from .conftest import Lab, Session
from .result_cache import execute, gets, results, statistic

MODE = "select result_cache from user_tables where table_name = :name"


@pytest.fixture
def session(lab: Lab) -> Session:
    session = lab.connect()
    execute(
        session,
        "create table f (n number, v varchar2(9) default 'it''s (' not null)"
        " result_cache (mode force)",
        "create table d (n number)",
        "insert into f select level, 'x' from dual connect by level <= 9",
        "insert into d select level from dual connect by level <= 5",
        "commit",
    )
    return session


def mode(session: Session, table: str) -> str:
    return str(session.one(MODE, name=table))


def is_cached(session: Session, query: str) -> bool:
    session.rows(query)
    return gets(session, query) == 2


@pytest.mark.parametrize(
    ("query", "cached"),
    [
        ("select n from f", True),
        ("select count(*) from f a, f b", True),
        ("select n from (select n from f where n < 3)", True),
        ("select n from d", False),
        ("select f.n from f, d where f.n = d.n", False),
        ("select n from f where n in (select n from d)", False),
        ("select /*+ no_result_cache */ n from f", False),
        ("select /*+ result_cache */ f.n from f, d where f.n = d.n", True),
        ("select n, sysdate from f", False),
        ("select n from f for update", False),
    ],
)
def test_a_query_is_cached_if_all_its_tables_are_annotated(
    session: Session, query: str, cached: bool
) -> None:
    assert is_cached(session, query) == cached
    session.connection.rollback()
    assert len(results(session)) == cached


def test_the_sessions_mode_is_more_than_the_default_annotation(session: Session) -> None:
    execute(session, "alter session set result_cache_mode = force")
    assert is_cached(session, "select n from d")
    assert not is_cached(session, "select /*+ no_result_cache */ n from f")
    execute(session, "alter session set result_cache_mode = manual")
    assert not is_cached(session, "select n from d where n > 0")
    assert is_cached(session, "select n from f where n > 0")


def test_the_annotation_is_changed(lab: Lab, session: Session) -> None:
    other = lab.connect()
    query = "select n from d"
    assert (mode(session, "F"), mode(session, "D")) == ("FORCE", "DEFAULT")
    assert not is_cached(other, query)
    execute(session, "alter table d result_cache (mode force)")
    assert mode(other, "D") == "FORCE"
    assert is_cached(other, query)  # a cursor that was parsed before
    execute(session, "alter table d result_cache (mode default)")
    assert mode(other, "D") == "DEFAULT"
    assert not is_cached(other, query)
    execute(session, "alter table d result_cache (mode default)")
    assert mode(other, "D") == "DEFAULT"


def test_it_stays_with_the_table(lab: Lab, session: Session) -> None:
    other = lab.connect()
    other.rows("select * from f")
    execute(
        session,
        "alter table f result_cache (mode default)",
        "alter table f add (c number)",
        "alter table f result_cache (mode force)",
        "alter table f rename column n to m",
        "alter table f rename to g",
        "alter table g add (d date)",
        "alter table g drop column c",
    )
    assert mode(other, "G") == "FORCE"
    assert is_cached(other, "select m from g")
    assert other.rows("select * from g where m = 1") == [(1, "x", None)]
    columns = "select column_name, data_type, nullable, data_default from user_tab_columns"
    assert other.rows(f"{columns} where table_name = 'G' order by column_id") == [
        ("M", "NUMBER", "Y", None),
        ("V", "VARCHAR2", "N", "'it''s ('"),
        ("D", "DATE", "Y", None),
    ]
    execute(session, "create table f (n number)")
    assert mode(other, "F") == "DEFAULT"
    assert not is_cached(other, "select n from f")


def test_names_as_they_may_be(session: Session) -> None:
    execute(session, 'create table "it\'s (a) name" (n number)')
    execute(session, 'alter table "it\'s (a) name" result_cache (mode force)')
    assert mode(session, "it's (a) name") == "FORCE"
    assert is_cached(session, 'select n from "it\'s (a) name"')
    execute(session, "create table result_cache (result_cache number)")
    assert session.rows("select result_cache from result_cache") == []


def test_a_table_of_a_query(session: Session) -> None:
    execute(session, "create table q result_cache (mode force) as select n from d")
    assert mode(session, "Q") == "FORCE"
    assert session.one("select count(*) from q") == 5
    assert is_cached(session, "select n from q")
    assert session.one("select column_name from user_tab_columns where table_name = 'Q'") == "N"


def test_changes_end_the_results(lab: Lab, session: Session) -> None:
    reader = lab.connect()
    query = "select count(*) from f"
    assert is_cached(reader, query)
    execute(session, "delete from f where n = 9")
    assert gets(session, query) == 0  # its own change
    assert gets(reader, query) == 2
    session.connection.commit()
    assert reader.one(query) == 8
    assert statistic(reader, "Invalidation Count") == 1


@pytest.mark.parametrize(
    ("statement", "error"),
    [
        ("create table x (n number) result_cache (mode sometimes)", "ORA-00922"),
        ("create table x (n number) result_cache (mode manual)", "ORA-03001.*MANUAL"),
        ("create table x (n number) result_cache (mode force) compress", "ORA-03001"),
        ("alter table f result_cache (mode never)", "ORA-00922"),
        ("alter table missing result_cache (mode force)", "ORA-00942"),
        ("alter table sys.obj$ result_cache (mode force)", "ORA-01031"),
        ('update "sqlite_master" set "sql" = \'x\'', "ORA-00942"),
    ],
)
def test_what_is_refused(session: Session, statement: str, error: str) -> None:
    with pytest.raises(oracledb.DatabaseError, match=error):
        session.cursor.execute(statement)
    assert mode(session, "F") == "FORCE"
