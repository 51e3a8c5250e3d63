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
        ("select * from dba_tables", "ORA-00942"),
        ("select * from dba_objects", "ORA-00942"),
        ("select * from scott.user_objects", "ORA-00942"),
        ('select * from "all_objects"', "ORA-00942"),
        ("delete from all_objects", "ORA-01031"),
        ("drop table user_tables", "ORA-00942"),
    ],
)
def test_objects_that_do_not_exist(lab: Lab, sql: str, error: str) -> None:
    with pytest.raises(oracledb.DatabaseError, match=error):
        lab.connect().cursor.execute(sql)
