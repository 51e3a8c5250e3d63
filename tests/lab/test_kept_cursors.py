# SPDX-License-Identifier: GPL-2.0-or-later
"""Cursors that drivers keep, and tables that are no longer what they were."""

from __future__ import annotations

import contextlib
from decimal import Decimal

import oracledb
import pytest

from .conftest import Lab, Session


@pytest.fixture
def owner(lab: Lab) -> Session:
    return lab.connect()


def make(owner: Session, columns: str, *rows: str, table: str = "kept") -> None:
    """Makes the table anew."""
    with contextlib.suppress(oracledb.DatabaseError):  # there may be none yet
        owner.cursor.execute(f"drop table {table}")
    owner.cursor.execute(f"create table {table} ({columns})")
    for row in rows:
        owner.cursor.execute(f"insert into {table} values ({row})")
    owner.connection.commit()


def test_columns_of_other_types(lab: Lab, owner: Session) -> None:
    # GIVEN a kept cursor of a query
    make(owner, "x number, y date", "10, date '2024-01-01'", "9, null")
    other = lab.connect()
    query = "select x, y from kept where x < 10 order by x"
    assert [x for x, _ in other.rows(query)] == [9]
    # WHEN another session makes the table anew, with other types
    make(owner, "x varchar2(10), y number", "'9', 1", "'10', 2", "'1', 3")
    # THEN the query means what it means now
    assert other.rows(query) == [("1", 3), ("9", 1)]
    assert [d[1] for d in other.cursor.description] == [
        oracledb.DB_TYPE_VARCHAR,
        oracledb.DB_TYPE_NUMBER,
    ]


def test_more_and_fewer_columns(lab: Lab, owner: Session) -> None:
    make(owner, "x number", "1")
    other = lab.connect()
    assert other.rows("select * from kept") == [(1,)]
    make(owner, "x number, y varchar2(3)", "1, 'a'")
    assert other.rows("select * from kept") == [(1, "a")]
    make(owner, "z varchar2(3)", "'b'")
    assert other.rows("select * from kept") == [("b",)]
    owner.cursor.execute("drop table kept")
    for _ in range(2):
        with pytest.raises(oracledb.DatabaseError, match="ORA-00942"):
            other.rows("select * from kept")
    make(owner, "x number", "7")
    assert other.rows("select * from kept") == [(7,)]


def test_changes_convert_to_the_types_as_they_are(lab: Lab, owner: Session) -> None:
    make(owner, "x varchar2(10)")
    other = lab.connect()
    insert = "insert into kept (x) values (:x)"
    other.cursor.execute(insert, x="007")
    other.connection.commit()
    assert owner.one("select x from kept") == "007"
    make(owner, "x number(3)")
    other.cursor.execute(insert, x="007")
    with pytest.raises(oracledb.DatabaseError, match="ORA-01722"):
        other.cursor.execute(insert, x="seven")
    other.connection.commit()
    assert owner.rows("select x from kept where x = 7") == [(7,)]


def test_binds_stay_with_a_statement_that_is_parsed_again(lab: Lab, owner: Session) -> None:
    make(owner, "x number, y varchar2(5)", "1, 'one'", "2, 'two'")
    other = lab.connect()
    query = "select y from kept where x = :x and y = :y"
    assert other.rows(query, x=1, y="one") == [("one",)]
    make(owner, "y varchar2(5), x varchar2(5)", "'one', '1'", "'two', '02'")
    assert other.rows(query, x=2, y="two") == [("two",)]
    assert other.rows(query, x=2, y="one") == []


def test_a_bind_of_more_digits_than_the_one_before(lab: Lab) -> None:
    session = lab.connect()
    query = "select :b, 'x' from dual where 1 < :b"
    for value in (5, Decimal("12345678901234567890"), 6, "7"):
        [[shown, _]] = session.rows(query, b=value)
        assert Decimal(shown) == pytest.approx(Decimal(value))


def test_ones_own_table_comes_before_one_of_sys(lab: Lab, owner: Session) -> None:
    other = lab.connect()
    objects = other.one("select count(*) from all_objects")
    assert objects > 1000
    for name in ("all_objects", "obj$", "v$session", "dual"):
        of_sys = other.one(f"select count(*) from sys.{name}")
        make(owner, "mine number, owner# varchar2(5)", "1, 'x'", "2, 'y'", "3, 'z'", table=name)
        assert other.one(f"select count(*) from {name} where owner# > 'w'") == 3
        assert other.one(f"select sum({name}.mine) from scott.{name}") == 6
        listed = name == "all_objects"  # as every table is
        assert other.one(f"select count(*) from sys.{name}") == of_sys + listed
        owner.cursor.execute(f"update {name} set mine = 0 where owner# = 'x'")
        owner.cursor.execute(f"delete from {name} where mine = 0")
        owner.connection.commit()
        assert owner.one(f"select count(*) from {name}") == 2
        owner.cursor.execute(f"drop table {name}")
        assert other.one(f"select count(*) from {name}") == of_sys
