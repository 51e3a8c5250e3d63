# SPDX-License-Identifier: GPL-2.0-or-later
"""Hash clusters: statement, rows or error, as Oracle documents them.

One lab for the whole module. The statements of DEFINED run once, before all others.
"""

from __future__ import annotations

from pathlib import Path

import oracledb
import pytest

from .conftest import Lab, Session
from .sqltrace import read

TRACEFILE = "select value from v$diag_info where name = 'Default Trace File'"
DEFINED = [
    # as Fatkulin types them
    "create cluster hc ( n number(*,0) ) single table hashkeys 15000 size 230",
    "create table hc_t ( n number(*,0), v varchar2(200) ) cluster hc (n)",
    "insert into hc_t select level, 'row ' || level from dual connect by level <= 1000",
    "commit",
    "create cluster scott.pairs (a number(5), b varchar2(10 char)) size 2k hashkeys 7",
    "create table lobs (l clob)",
    "create table hc (n number)",  # clusters have names of their own
    "create table first_in (x date, q varchar2(10 char), p number(5,0) not null)"
    " cluster pairs (p, q) result_cache (mode force)",
    "create table second_in (b varchar2(10 char), a number(5) primary key)"
    " cluster scott.pairs (a, b)",
    "insert into first_in values (null, 'x', 1)",
    "insert into first_in values (null, 'y', 1)",
    "insert into first_in values (null, null, 2)",
    "insert into second_in values ('x', 1)",
    "commit",
    "create table copied cluster pairs (p, name) as select p, q name, n from first_in, hc_t"
    " where n <= 2",
    'create cluster "Odd \'name" (n integer) hash is n hashkeys 1 size 1m',
]

ROWS: list[tuple[str, list[tuple[object, ...]]]] = [
    ("select * from hc_t where n = 17", [(17, "row 17")]),
    ("select count(*), min(n), max(n) from hc_t", [(1000, 1, 1000)]),
    ("select count(*) from hc_t where n between 10 and 20", [(11,)]),
    ("select h.v from hc_t h, first_in f where h.n = f.p and f.q = 'y'", [("row 1",)]),
    ("select f.q from first_in f, second_in s where f.p = s.a and f.q = s.b", [("x",)]),
    ("select q from first_in where p = 2", [(None,)]),
    ("select * from hc", []),
    ("select n, name from copied where p = 1 and name = 'y' order by n", [(1, "y"), (2, "y")]),
    ("select cluster_name, key_size, cluster_type, function, hashkeys, trim(single_table)"
     " from user_clusters order by 1",
     [("HC", 230, "HASH", "DEFAULT2", 15013, "Y"),
      ("Odd 'name", 1048576, "HASH", "COLUMN", 2, "N"),
      ("PAIRS", 2048, "HASH", "DEFAULT2", 7, "N")]),
    ("select a.owner, d.cluster_name from all_clusters a, dba_clusters d"
     " where a.cluster_name = d.cluster_name and a.key_size = 230", [("SCOTT", "HC")]),
    ("select table_name, clu_column_name, tab_column_name from user_clu_columns"
     " where cluster_name = 'PAIRS' order by 1, 2",
     [("COPIED", "A", "P"), ("COPIED", "B", "NAME"),
      ("FIRST_IN", "A", "P"), ("FIRST_IN", "B", "Q"),
      ("SECOND_IN", "A", "A"), ("SECOND_IN", "B", "B")]),
    ("select owner, table_name from dba_clu_columns where cluster_name = 'HC'",
     [("SCOTT", "HC_T")]),
    ("select table_name, cluster_name, result_cache from all_tables"
     " where cluster_name is not null order by 1",
     [("COPIED", "PAIRS", "DEFAULT"), ("FIRST_IN", "PAIRS", "FORCE"), ("HC_T", "HC", "DEFAULT"),
      ("SECOND_IN", "PAIRS", "DEFAULT")]),
    ("select cluster_name from user_tables where table_name = 'HC'", [(None,)]),
    ("select object_name, namespace from user_objects where object_type = 'CLUSTER' order by 1",
     [("HC", 5), ("Odd 'name", 5), ("PAIRS", 5)]),
    # the index that keeps a table in a cluster is none of the user's
    ("select count(*) from user_indexes where table_name in ('HC_T', 'FIRST_IN')", [(0,)]),
    ("select count(*) from user_objects where object_type = 'INDEX'"
     " and object_name not like 'SYS%'", [(0,)]),
    ("select count(*) from user_views", [(0,)]),
]  # fmt: skip

ERRORS = [
    ("create cluster hc (n number) hashkeys 10", "ORA-00955"),
    ("create cluster c (n number, n number) hashkeys 10", "ORA-00957"),
    ("create cluster c (n number) hashkeys 0", "ORA-02459"),
    ("create cluster c (n number(*,0)) hash is n", "ORA-02458"),
    ("create cluster c (n number(*,0)) hash is x hashkeys 10", "ORA-02457"),
    ("create cluster c (n number) hash is n hashkeys 10", "ORA-02456"),
    ("create cluster c (n number(4,2)) hash is n hashkeys 10", "ORA-02456"),
    ("create cluster c (n integer) hash is mod(n, 7) hashkeys 10", "ORA-03001.*HASH IS of an exp"),
    ("create cluster c (n number)", "ORA-03001.*an index cluster"),
    ("create cluster c (n number) index", "ORA-03001.*an index cluster"),
    ("create cluster c (n number) hashkeys 10 tablespace users", "ORA-03001.*: tablespace"),
    ("create cluster c (n number) size 20 pctfree 5 hashkeys 10", "ORA-03001.*: pctfree"),
    ("create cluster c (n number) hashkeys 10 storage (initial 8k)", "ORA-03001.*: storage"),
    ("create cluster c (n number) hashkeys 10 k", "ORA-03001.*: k"),
    ("create cluster c (n number) hashkeys 10 size 1 size 2", "ORA-00922"),
    ("create cluster c (l clob) hashkeys 10", "ORA-03001.*a LOB in a cluster"),
    ('create cluster "hc" (n number) hashkeys 10', "ORA-03001.*in their case alone"),
    ('create table t (n integer) cluster "hc" (n)', "ORA-00943"),
    ('drop cluster "hc"', "ORA-00943"),
    ("alter table hc_t add l clob", "ORA-03001.*a LOB in a cluster"),
    ("create cluster sys.c (n number) hashkeys 10", "ORA-01031"),
    ("create cluster (n number) hashkeys 10", "ORA-00941"),
    ("create table t (n number) cluster (n)", "ORA-00941"),
    ("create table t (n number) cluster nowhere (n)", "ORA-00943"),
    ("create table t (n integer) cluster hc (n)", "ORA-02202"),
    ("create table t (n number) cluster hc (n)", "ORA-01753"),
    ("create table t (a number(5), b varchar2(10)) cluster pairs (a, b)", "ORA-01753"),
    ("create table t (a number(5)) cluster pairs (a)", "ORA-00944"),
    ("create table t (a number(5)) cluster pairs (a, b)", "ORA-00945"),
    ("create table t (a number(5), b varchar2(10 char), c number) cluster pairs (a, b, c)",
     "ORA-03001.*more columns than the cluster's key"),
    ("create table t (a number(5), b varchar2(10 char), l blob) cluster pairs (a, b)",
     "ORA-03001.*a LOB in a cluster"),
    ("create table t (n integer) cluster hc (n) tablespace users", "ORA-01771"),
    ("create table t (n integer) cluster hc (n) organization heap", "ORA-03001.*table properties"),
    ("create table t cluster pairs (a, b) as select 1 a, q b from first_in", "ORA-01753"),
    ("create table t cluster pairs (p, x) as select p, q from first_in", "ORA-00945"),
    ("create table t cluster hc (n) as select n from hc_t", "ORA-02202"),
    ("create table t cluster pairs (p, q) as select p, q from first_in union"
     " select p, q from first_in", "ORA-03001.*a set of queries in a cluster"),
    ("create table t cluster pairs (a, b) as select * from second_in, lobs", "ORA-03001.*a LOB"),
    ("create index i on cluster hc", "ORA-03001.*an index of a cluster"),
    ("truncate table hc_t", "ORA-03292"),
    ("truncate cluster hc", "ORA-03001.*TRUNCATE CLUSTER"),
    ("alter cluster hc size 10", "ORA-03001.*ALTER CLUSTER"),
    ("alter table hc_t drop column v", "ORA-03001.*DROP COLUMN of a clustered table"),
    ("drop cluster hc", "ORA-00951"),
    ("drop cluster nowhere including tables", "ORA-00943"),
    ("drop cluster hc excluding tables", "ORA-00950"),
    ('drop view "sqlite cluster HC"', "ORA-00942"),
    ('drop index "sqlite clustered 01 01 HC"', "ORA-00942"),
    ('select * from "sqlite cluster HC"', "ORA-00942"),
]  # fmt: skip


@pytest.fixture(scope="module")
def clusters(oracle: Session) -> Session:
    for sql in DEFINED:
        oracle.cursor.execute(sql)
    return oracle


@pytest.mark.parametrize(("sql", "rows"), ROWS)
def test_rows(clusters: Session, sql: str, rows: list[tuple[object, ...]]) -> None:
    assert clusters.rows(sql) == rows


@pytest.mark.parametrize(("sql", "error"), ERRORS)
def test_error(clusters: Session, sql: str, error: str) -> None:
    with pytest.raises(oracledb.DatabaseError, match=error):
        clusters.rows(sql)
    assert clusters.one("select count(*) from user_clusters") == 3
    assert clusters.one("select count(*) from hc_t") == 1000


def test_rows_of_a_clustered_table_change_like_others(clusters: Session) -> None:
    run = clusters.cursor.execute
    rowid = clusters.one("select rowid from hc_t where n = 17")
    run("update hc_t set n = -n where rowid = :1", [rowid])
    assert clusters.rows("select n from hc_t where rowid = :r", r=rowid) == [(-17,)]
    assert clusters.rows("select v from hc_t where n = 17") == []
    assert clusters.rows("select v, rowid from hc_t where n = -17") == [("row 17", rowid)]
    run("insert into hc_t values (3, 'again')")
    run("insert into hc_t values (null, 'no key')")
    assert clusters.rows("select v from hc_t where n = 3 order by v") == [("again",), ("row 3",)]
    assert clusters.rows("select v from hc_t where n is null") == [("no key",)]
    run("delete from hc_t where n = 3")
    assert clusters.one("select count(*) from hc_t") == 1000
    clusters.connection.rollback()
    assert clusters.rows("select v from hc_t where n in (3, 17)") == [("row 3",), ("row 17",)]


def test_tables_come_to_a_cluster_and_leave_it(clusters: Session, one_lab: Lab) -> None:
    run, other = clusters.cursor.execute, one_lab.connect()
    inside = "select table_name from user_tables where cluster_name = 'SHORT' order by 1"
    run("insert into hc values (1)")
    run("create cluster short (n integer) single table hashkeys 3")
    assert other.rows("select * from hc") == [(1,)]  # DDL commits
    run("delete from hc")
    run("create table a (n int, v number) cluster short (n)")
    other.cursor.execute("alter table a rename to b")
    other.cursor.execute("alter table b rename column n to m")
    other.cursor.execute("alter table b add w number")
    assert clusters.rows(inside) == [("B",)]
    assert (
        clusters.one("select tab_column_name from user_clu_columns where table_name = 'B'") == "M"
    )
    run("drop table b")
    run("create table a (n int) cluster short (n)")
    with pytest.raises(oracledb.DatabaseError, match="ORA-00951"):
        other.cursor.execute("drop cluster short")
    run("drop cluster short including tables cascade constraints")
    with pytest.raises(oracledb.DatabaseError, match="ORA-00942"):
        other.rows("select * from a")
    with pytest.raises(oracledb.DatabaseError, match="ORA-00943"):
        other.cursor.execute("create table a (n int) cluster short (n)")


def test_a_cluster_has_32_tables_at_most(clusters: Session) -> None:
    run = clusters.cursor.execute
    run("create cluster full_up (n integer) hashkeys 3")
    for number in range(32):
        run(f"create table full_{number} (n integer) cluster full_up (n)")
    with pytest.raises(oracledb.DatabaseError, match="ORA-02202"):
        run("create table full_32 (n integer) cluster full_up (n)")
    run("drop table full_7")
    run("create table full_32 (n integer) cluster full_up (n)")
    run("drop cluster full_up including tables")
    assert clusters.rows("select table_name from user_tables where table_name like 'FULL%'") == []


def test_a_lookup_makes_the_gets_of_an_index(clusters: Session) -> None:
    run = clusters.cursor.execute
    run("create cluster wide (n integer) single table hashkeys 1000 size 230")
    run("create table clustered (n integer, v varchar2(200)) cluster wide (n)")
    run("create table indexed (n integer, v varchar2(200))")
    run("create index indexed_n on indexed (n)")
    for table in ("clustered", "indexed"):
        run(f"insert into {table} select n, rpad(v, 200, 'x') from hc_t")
    clusters.connection.commit()

    def gets_of(sql: str) -> int:
        clusters.rows(sql)
        return clusters.spent(sql)["consistent gets"]

    scanned = gets_of("select max(v) from clustered")
    assert scanned == gets_of("select max(v) from indexed") > 25
    # two levels of the index, two of the table, and the page that says whether tables have changed
    assert gets_of("select v from clustered where n = 500") == 5
    assert gets_of("select v from indexed where n = 500") == 5
    run("drop cluster wide including tables")
    run("drop table indexed")


def test_plans_name_oracles_access(clusters: Session, one_lab: Lab) -> None:
    session = one_lab.connect()
    path = Path(session.one(TRACEFILE))
    session.cursor.execute("alter session set sql_trace = true")
    for sql in (
        "select v from hc_t where n = 5",
        "select v from hc_t where n > 995",
        "select x from first_in where p = 1 and q = 'x'",
        "select x from first_in where p = 1",
    ):
        session.rows(sql)
    session.connection.close()
    operations = [operation.strip() for *_, operation in read(path).plans]
    assert operations == [
        "TABLE ACCESS HASH HC_T",
        "TABLE ACCESS FULL HC_T",  # a range
        "TABLE ACCESS HASH FIRST_IN",
        *("TABLE ACCESS BY INDEX ROWID FIRST_IN", "INDEX RANGE SCAN PAIRS"),
    ]
