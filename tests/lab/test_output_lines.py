# SPDX-License-Identifier: GPL-2.0-or-later
"""DBMS_OUTPUT.GET_LINES, into a driver's array and a table of PL/SQL; binds that are arrays."""

from __future__ import annotations

import oracledb
import pytest

from .blocks import failure, lines, printed
from .conftest import Lab, Session

PRINT_SEVEN = (
    "begin dbms_output.enable; for i in 1 .. 6 loop dbms_output.put_line('é' || i); end loop;"
    " dbms_output.put_line(null); end;"
)


def taken(session: Session, room: int) -> list[list[str | None]]:
    """The lines that each call gave, as python-oracledb's documentation asks for them."""
    array, count = session.cursor.arrayvar(str, room), session.cursor.var(int)
    found: list[list[str | None]] = []
    while True:
        count.setvalue(0, room)
        session.cursor.callproc("dbms_output.get_lines", (array, count))
        found.append(array.getvalue()[: count.getvalue()])
        if count.getvalue() < room:
            return found


def test_lines_go_into_a_drivers_array(one_lab: Lab) -> None:
    session = one_lab.connect()
    for _ in range(2):  # the second time the cursor knows what is OUT
        session.cursor.execute(PRINT_SEVEN)
        assert taken(session, 3) == [["é1", "é2", "é3"], ["é4", "é5", "é6"], [None]]
    assert taken(session, 3) == [[]]
    session.cursor.execute(PRINT_SEVEN)
    assert [len(part) for part in taken(session, 1000)] == [7]


def test_an_array_that_is_too_small_and_other_binds(one_lab: Lab) -> None:
    session = one_lab.connect()
    cursor = session.cursor
    cursor.execute(PRINT_SEVEN)
    array, count = cursor.arrayvar(str, 3), cursor.var(int)
    count.setvalue(0, 7)
    for lines_in, error in [
        (array, "ORA-06513: PL/SQL: index for PL/SQL table out of range for host language array"),
        (cursor.var(str), "PLS-00306: wrong number or types of arguments"),
    ]:
        with pytest.raises(oracledb.DatabaseError, match=error):
            cursor.callproc("dbms_output.get_lines", (lines_in, count))
    numbers = cursor.arrayvar(int, [1, 2, 3])
    for statement, error in [
        ("begin :x := 1; end;", "PLS-00306"),
        ("declare v number; begin v := :x; end;", "ORA-03001: .*reading a bind that is a PL/SQL"),
        ("select :x from dual", "ORA-01484: arrays can only be bound to PL/SQL statements"),
    ]:
        with pytest.raises(oracledb.DatabaseError, match=error):
            cursor.execute(statement, [numbers])
    assert session.one("select 1 from dual") == 1


def test_lines_go_into_a_table(one_lab: Lab) -> None:
    session = one_lab.connect()
    get = "dbms_output.get_lines(l, n);"
    assert printed(
        session,
        "declare l dbms_output.chararr; n integer := 2; begin put('a'); put('b'); put('c');"
        f" l(9) := 'old'; {get} l(3) := n || l.count; {get} put(l(1) || n || l.count); end;",
    ) == ["c11"]
    assert lines(session) == []
    assert "PLS-00306: wrong number or types of arguments in call to 'GET_LINES'" in failure(
        session,
        "declare type t is table of varchar2(10) index by pls_integer; l t; n number := 1;"
        f" begin {get} end;",
    )
    assert "ORA-03001: unimplemented feature: dbmsoutput_linesarray" in failure(
        session, "declare l dbmsoutput_linesarray; begin null; end;"
    )
