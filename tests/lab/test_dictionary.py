# SPDX-License-Identifier: GPL-2.0-or-later
"""The dictionary's contents: SYS's objects, and the user's own as they are now."""

from __future__ import annotations

import oracledb
import pytest

from .conftest import Lab, Session

OF_SYS = "select count(*) from sys.obj$"


@pytest.fixture
def owner(lab: Lab) -> Session:
    session = lab.connect()
    session.cursor.execute("create table t (n number primary key, v varchar2(10))")
    session.cursor.execute("create index t_v on t (v)")
    session.cursor.execute('create table "Mixed case" as select 1 x from dual')
    return session


def test_all_objects_are_those_of_sys_and_ones_own(lab: Lab, owner: Session) -> None:
    for name in ("all_objects", "sys.all_objects", "SYS.ALL_OBJECTS"):
        assert owner.one(f"select count(*) from {name}") == owner.one(OF_SYS) + 4
    owners = dict(owner.rows("select owner, count(*) from all_objects group by owner"))
    assert owners["SYS"] > owners["PUBLIC"] > owners["DBSNMP"] > owners["SCOTT"] == 4
    own = "select object_name, object_type, generated, namespace from {} order by object_id"
    expected = [
        ("T", "TABLE", "N", 1),
        ("SYS_C", "INDEX", "Y", 4),
        ("T_V", "INDEX", "N", 4),
        ("Mixed case", "TABLE", "N", 1),
    ]
    for view in ("user_objects", "(select * from all_objects where owner = 'SCOTT')"):
        found = owner.rows(own.format(view))
        assert [
            (name[:5] if made == "Y" else name, kind, made, n) for name, kind, made, n in found
        ] == expected
    ids = owner.rows("select object_id from user_objects")
    assert len(set(ids)) == 4
    assert owner.one("select count(*) from sys.obj$ where obj# > 99999") == 0


def test_others_see_them_come_and_go(lab: Lab, owner: Session) -> None:
    other = lab.connect()
    tables = "select table_name, tablespace_name, status from user_tables order by table_name"
    assert other.rows(tables) == [("Mixed case", "USERS", "VALID"), ("T", "USERS", "VALID")]
    owner.cursor.execute('drop table "Mixed case"')
    assert other.rows(tables) == [("T", "USERS", "VALID")]
    owner.cursor.execute("drop table t")
    assert other.rows(tables) == other.rows("select * from user_objects") == []
    assert other.one("select count(*) from all_objects") == other.one(OF_SYS)


def test_columns_have_oracles_types(lab: Lab) -> None:
    session = lab.connect()
    session.rows("select object_name, object_id, created, last_ddl_time, status from user_objects")
    assert [column[1] for column in session.cursor.description] == [
        oracledb.DB_TYPE_VARCHAR,
        oracledb.DB_TYPE_NUMBER,
        oracledb.DB_TYPE_DATE,
        oracledb.DB_TYPE_DATE,
        oracledb.DB_TYPE_VARCHAR,
    ]


@pytest.mark.parametrize(
    ("sql", "error"),
    [
        ("select * from dba_nothing", "ORA-00942"),
        ("select * from dba_obj", "ORA-00942"),
        ("select * from scott.user_objects", "ORA-00942"),
        ('select * from "all_objects"', "ORA-00942"),
        ("delete from all_objects", "ORA-01031"),
        ("insert into sys.user_tables values (1)", "ORA-01031"),
        ("update user_tables set status = 1", "ORA-01031"),
        ("drop table user_tables", "ORA-00942"),
    ],
)
def test_objects_that_do_not_exist(lab: Lab, sql: str, error: str) -> None:
    with pytest.raises(oracledb.DatabaseError, match=error):
        lab.connect().cursor.execute(sql)


def test_constraints_and_indexes(lab: Lab) -> None:
    session = lab.connect()
    session.cursor.execute(
        "create table keys (id number(9) primary key, code varchar2(9) default 'a''b' not null,"
        " n number constraint small check (n < 10 and code <> ',)'), constraint once unique (code))"
    )
    session.cursor.execute(
        "create table two (a number not null, b number(3) constraint has_b not null,"
        " constraint two_key primary key (a, b))"
    )
    session.cursor.execute("create unique index two_a on two (a)")
    session.cursor.execute("create index keys_n on keys (n, code)")
    [[generated]] = session.rows(
        "select constraint_name from user_constraints where constraint_type = 'P'"
        " and table_name = 'KEYS' and generated = 'GENERATED NAME'"
    )
    constraints = (
        "select table_name, constraint_name, constraint_type, search_condition, index_name"
        " from all_constraints where owner = 'SCOTT' and (generated = 'USER NAME' or"
        " constraint_type = 'P') order by table_name, constraint_type, constraint_name"
    )
    assert session.rows(constraints) == [
        ("KEYS", "SMALL", "C", "n < 10 and code <> ',)'", None),
        ("KEYS", generated, "P", None, generated),
        ("KEYS", "ONCE", "U", None, "ONCE"),
        ("TWO", "HAS_B", "C", '"B" IS NOT NULL', None),
        ("TWO", "TWO_KEY", "P", None, "TWO_KEY"),
    ]
    # One that only SQLite needs, of a primary key's column, is none of Oracle's.
    assert session.rows(
        "select table_name, search_condition from all_constraints"
        " where constraint_type = 'C' and generated = 'GENERATED NAME' order by table_name"
    ) == [("KEYS", '"CODE" IS NOT NULL'), ("TWO", '"A" IS NOT NULL')]
    # The driver's own question, whose rows an ORDER BY once lost.
    keys = (
        "select c.table_name, c.column_name, c.position from sys.all_cons_columns c,"
        " sys.all_constraints k where k.constraint_type = :1 and k.owner like :2 escape '/'"
        " and k.constraint_name = c.constraint_name and k.table_name = c.table_name"
        " and k.owner = c.owner order by c.table_name, column_name"
    )
    session.cursor.execute(keys, ["P", "SCOTT"])
    assert session.cursor.fetchall() == [("KEYS", "ID", 1), ("TWO", "A", 1), ("TWO", "B", 2)]
    session.cursor.execute(keys, ["C", "SCOTT"])
    assert session.cursor.fetchall() == [
        ("KEYS", "CODE", None),
        ("KEYS", "CODE", None),
        ("KEYS", "N", None),
        ("TWO", "A", None),
        ("TWO", "B", None),
    ]
    assert session.rows(
        "select i.index_name, i.uniqueness, c.column_name, c.column_position"
        " from all_indexes i join all_ind_columns c on i.index_name = c.index_name"
        " where i.index_name <> :made order by i.index_name, c.column_position",
        made=generated,
    ) == [
        ("KEYS_N", "NONUNIQUE", "N", 1),
        ("KEYS_N", "NONUNIQUE", "CODE", 2),
        ("ONCE", "UNIQUE", "CODE", 1),
        ("TWO_A", "UNIQUE", "A", 1),
        ("TWO_KEY", "UNIQUE", "A", 1),
        ("TWO_KEY", "UNIQUE", "B", 2),
    ]
    assert session.rows(
        "select column_name, data_type, data_length, data_precision, nullable, data_default"
        " from user_tab_columns where table_name = 'KEYS' order by column_id"
    ) == [
        ("ID", "NUMBER", 22, 9, "N", None),
        ("CODE", "VARCHAR2", 9, None, "N", "'a''b'"),
        ("N", "NUMBER", 22, None, "Y", None),
    ]


def test_a_server_without_a_client_result_cache_says_so(lab: Lab) -> None:
    session = lab.connect()
    parameters = (
        "select name, value from v$parameter where name like '%result\\_cache%' escape '\\'"
    )
    assert dict(session.rows(parameters)) == {
        "client_result_cache_lag": "3000",
        "client_result_cache_size": "0",
        "result_cache_max_result": "5",
        "result_cache_max_size": str(16 << 20),
        "result_cache_mode": "MANUAL",
    }
    for owner in ("", "sys."):
        query = f"select cache_id, stat_id, name, value from {owner}client_result_cache_stats$"
        assert session.rows(query) == []
        assert [column[:2] for column in session.cursor.description] == [
            ("CACHE_ID", oracledb.DB_TYPE_NUMBER),
            ("STAT_ID", oracledb.DB_TYPE_NUMBER),
            ("NAME", oracledb.DB_TYPE_VARCHAR),
            ("VALUE", oracledb.DB_TYPE_NUMBER),
        ]
    session.cursor.execute("create table annotated (n number)")
    modes = "select result_cache from user_tables where table_name = 'ANNOTATED'"
    assert session.one(modes) == "DEFAULT"
    session.cursor.execute("drop table annotated")


def test_whole_numbers_have_no_precision_of_their_own(session: Session) -> None:
    session.cursor.execute("create table wholes (i integer, d decimal, p number(38), n number)")
    columns = session.rows(
        "select column_name, data_type, data_length, data_precision, data_scale"
        " from user_tab_columns where table_name = 'WHOLES' order by column_id"
    )
    assert columns == [
        ("I", "NUMBER", 22, None, 0),
        ("D", "NUMBER", 22, None, 0),
        ("P", "NUMBER", 22, 38, 0),
        ("N", "NUMBER", 22, None, None),
    ]
    session.cursor.execute("insert into wholes values (1.5, 2.4, 2.5, 2.5)")
    assert session.rows("select i, d, p, n from wholes") == [(2, 2, 3, 2.5)]
    described = [(column[4], column[5]) for column in session.cursor.description]
    assert described == [(38, 0), (38, 0), (38, 0), (0, -127)]
