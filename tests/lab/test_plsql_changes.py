# SPDX-License-Identifier: GPL-2.0-or-later
"""Changes in PL/SQL: FORALL that goes on after errors, and savepoints."""

from __future__ import annotations

import oracledb
import pytest

from .blocks import PUT, failure, printed
from .conftest import Lab, Session

REPORT = (
    f"{PUT}(sqlerrm); for i in 1..sql%bulk_exceptions.count loop"
    f" {PUT}(sql%bulk_exceptions(i).error_index || ' ' ||"
    " sqlerrm(-sql%bulk_exceptions(i).error_code)); end loop;"
)
LISTS = (
    "declare type list is table of number index by pls_integer; n list;"
    " dml_errors exception; pragma exception_init(dml_errors, -24381);"
    " begin for i in 3..8 loop n(i) := i; end loop; "
)
NONE = "ORA-01438: value larger than specified precision allowed for this column"


@pytest.fixture
def table(lab: Lab) -> Session:
    session = lab.connect()
    session.cursor.execute("create table t (n number(2) primary key)")
    return session


def rows(session: Session) -> list[int]:
    return [n for (n,) in session.cursor.execute("select n from t order by n")]


def test_forall_saves_exceptions(table: Session) -> None:
    # GIVEN an iteration with a value that is too large, and one with a key that is there
    block = LISTS + (
        "n(4) := 1000; n(7) := 3; begin forall i in 3..8 save exceptions insert into t"
        f" values (n(i)); {PUT}('not here'); exception when dml_errors then {REPORT}"
        f" for i in 3..8 loop {PUT}(sql%bulk_rowcount(i)); end loop; {PUT}(sql%rowcount); end;"
        # THEN another FORALL has none of these
        f" forall i in 3..4 delete from t where n = n(i) + 90;"
        f" {PUT}(sql%bulk_exceptions.count); end;"
    )
    # THEN iterations count from 1, whatever the index begins with
    assert printed(table, block) == [
        "ORA-24381: error(s) in array DML",
        f"2 {NONE}",
        "5 ORA-00001: unique constraint (.) violated",
        *"101101",
        "4",
        "0",
    ]
    # THEN the others have done what they do
    assert rows(table) == [3, 5, 6, 8]


def test_forall_and_an_element_that_is_not_there(table: Session) -> None:
    block = LISTS + (
        "n.delete(5); begin forall i in 3..8 save exceptions insert into t values (n(i));"
        f" exception when dml_errors then {PUT}(sql%bulk_exceptions(1).error_index || ' ' ||"
        " sql%bulk_exceptions(1).error_code); end;"
        f" begin forall i in 5..5 delete from t where n = n(i); exception when others then"
        f" {PUT}(sqlerrm); end; end;"
    )
    assert printed(table, block) == ["3 22160", "ORA-22160: element at index [5] does not exist"]
    assert rows(table) == [3, 4, 6, 7, 8]


def test_forall_without_save_exceptions_stops(table: Session) -> None:
    block = LISTS + (
        "n(5) := 1000; begin forall i in 3..8 insert into t values (n(i)); exception when others"
        f" then {REPORT} end; end;"
    )
    assert printed(table, block) == [NONE, f"3 {NONE}"]
    assert rows(table) == [3, 4]


def test_forall_without_a_handler(table: Session) -> None:
    block = LISTS + (
        "n(5) := 1000; forall i in 3..8 save exceptions insert into t values (n(i)); end;"
    )
    # python-oracledb takes ORA-24381 for that of executemany(batcherrors=True), and is silent.
    table.cursor.execute(block)
    assert rows(table) == []


def test_savepoints_in_a_block(table: Session) -> None:
    table.cursor.execute(
        "begin insert into t values (1); savepoint a; insert into t values (2); rollback to a;"
        " insert into t values (3); savepoint b; insert into t values (4);"
        " execute immediate 'savepoint c'; insert into t values (5);"
        " rollback work to savepoint c; end;"
    )
    assert rows(table) == [1, 3, 4]
    # Those that a block has made stay after it, and are the client's too.
    table.cursor.execute("insert into t values (6)")
    table.cursor.execute("begin rollback to c; end;")
    assert rows(table) == [1, 3, 4]
    table.cursor.execute("rollback to b")
    assert rows(table) == [1, 3]
    assert "ORA-01086" in failure(table, "begin rollback to c; end;")
    table.cursor.execute("rollback to a")
    assert rows(table) == [1]
    table.connection.rollback()
    assert "ORA-01086" in failure(table, "begin rollback to a; end;")


def test_a_block_that_fails_is_undone_whatever_its_savepoints(table: Session) -> None:
    cursor = table.cursor
    cursor.execute("insert into t values (1)")
    cursor.execute("savepoint a")
    cursor.execute("insert into t values (2)")
    # WHEN a block fails that has made some
    failing = "insert into t values (4); raise no_data_found; end;"
    failure(table, f"begin insert into t values (3); savepoint b; {failing}")
    # THEN it leaves neither changes nor savepoints
    assert rows(table) == [1, 2]
    assert "ORA-01086" in failure(table, "begin rollback to b; end;")
    # WHEN it has gone back behind its own beginning
    failure(table, f"begin rollback to a; {failing}")
    # THEN that stays
    assert rows(table) == [1]
    # WHEN it fails after a commit
    failure(table, f"begin commit; insert into t values (5); savepoint c; {failing}")
    assert rows(table) == [1]
    assert table.one("select count(*) from v$transaction") == 0


def test_savepoints_and_routines(table: Session) -> None:
    cursor = table.cursor
    cursor.execute(
        "create procedure apart is pragma autonomous_transaction; begin insert into t values (1);"
        " savepoint mine; commit; end;"
    )
    cursor.execute("create function f return number is begin savepoint inside; return 1; end;")
    # An autonomous transaction has its own.
    cursor.execute("begin savepoint outer; apart; insert into t values (2); end;")
    assert "ORA-01086" in failure(table, "begin rollback to mine; end;")
    cursor.execute("begin rollback to outer; end;")
    assert rows(table) == [1]
    with pytest.raises(oracledb.DatabaseError, match="ORA-14552"):
        table.one("select f from dual")


def test_the_same_savepoint_again_and_again(table: Session) -> None:
    """As a loop makes it that undoes the rows which fail."""
    table.cursor.execute(
        "begin for i in 1..20000 loop savepoint s; begin delete from t; insert into t values"
        " (mod(i, 101)); exception when others then rollback to s; end; end loop; end;"
    )
    assert rows(table) == [20000 % 101]
