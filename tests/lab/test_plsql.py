# SPDX-License-Identifier: GPL-2.0-or-later
"""PL/SQL: blocks and what they print, errors with their stacks, SQL in blocks, stored units."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import oracledb
import pytest

from .conftest import CANCELS, Lab, Session
from .sqltrace import read

PUT = "dbms_output.put_line"


def lines(session: Session) -> list[str | None]:
    """What DBMS_OUTPUT has, as SQL*Plus asks for it."""
    line, status = session.cursor.var(str), session.cursor.var(int)
    found: list[str | None] = []
    while True:
        session.cursor.callproc("dbms_output.get_line", (line, status))
        if status.getvalue():
            return found
        found.append(line.getvalue())


def printed(session: Session, block: str) -> list[str | None]:
    session.cursor.execute("begin dbms_output.enable; end;")
    session.cursor.execute(block.replace("put(", f"{PUT}("))
    return lines(session)


def failure(session: Session, block: str) -> str:
    with pytest.raises(oracledb.DatabaseError) as caught:
        session.cursor.execute(block)
    return str(caught.value).split("\nHelp:")[0]


@pytest.fixture
def plain(lab: Lab) -> Session:
    return lab.connect()


@pytest.fixture
def numbers(plain: Session) -> Session:
    """A session with a table of 250 rows."""
    plain.cursor.execute("create table t (n number, v varchar2(20), d date)")
    plain.cursor.execute(
        "begin for i in 1..250 loop insert into t values (i, 'v' || i, date '2024-01-01' + i);"
        " end loop; commit; end;"
    )
    return plain


BLOCKS: list[tuple[str, list[str | None]]] = [
    ("begin put('hello'); end;", ["hello"]),
    (
        "declare a integer := 0; b integer := 5; begin put(a + 1 - b); put(b - (a - 1));"
        " put((a + 1) * b); if a + 5 >= b then put('yes'); end if;"
        " if not (a < b - 5) then put('no'); end if; end;",
        ["-4", "6", "5", "yes", "no"],
    ),
    ("begin put(null); put(''); end;", [None, None]),
    (
        "declare x number := 1; y varchar2(10) := 'ab'; begin x := x + 2; y := y || 'c';"
        " put(x || y); end;",
        ["3abc"],
    ),
    # NUMBER has 40 digits, and a division does not truncate.
    ("begin put(7 / 2); put(1 / 8); end;", ["3.5", ".125"]),
    (
        "declare x number := 99999999999999999999999999999999999999; begin put(x + 1); end;",
        ["100000000000000000000000000000000000000"],
    ),
    ("declare i pls_integer; begin i := 2.5; put(i); i := 2.4; put(i); end;", ["3", "2"]),
    ("declare n number(5, 2); begin n := 1.005; put(n); end;", ["1.01"]),
    ("declare c constant number := 5; begin put(c + 1); end;", ["6"]),
    (
        "declare d date := date '2024-02-28'; begin put(to_char(d + 2, 'DD.MM.YYYY')); end;",
        ["01.03.2024"],
    ),
    ("begin for i in 1..3 loop put(i); end loop; end;", ["1", "2", "3"]),
    ("begin for i in reverse 1..3 loop put(i); end loop; end;", ["3", "2", "1"]),
    ("begin for i in 3..1 loop put(i); end loop; end;", []),
    (
        "declare i pls_integer := 0; begin loop i := i + 1; continue when mod(i, 2) = 0;"
        " exit when i > 5; put(i); end loop; end;",
        ["1", "3", "5"],
    ),
    (
        "declare i number := 3; begin while i > 0 loop put(i); i := i - 1; end loop; end;",
        ["3", "2", "1"],
    ),
    (
        "begin <<a>> for i in 1..3 loop for j in 1..3 loop exit a when i = 2; continue a when"
        " j = 2; put(i || j); end loop; end loop a; end;",
        ["11"],
    ),
    (
        "begin if null then put('t'); elsif 1 = 1 then put('e'); else put('f'); end if; end;",
        ["e"],
    ),
    # Texts have up to 32,767 bytes, in PL/SQL alone.
    (
        "declare v varchar2(32767) := rpad('x', 4000, 'y'); begin v := v || v; put(length(v));"
        " v := replace(v, 'y', 'zz'); put(length(v)); v := lpad('x', 32767, 'ab');"
        " put(length(v) || substr(upper(v), -3)); put(length(regexp_replace(v, 'x', 'y')));"
        " select length(rpad('x', 5000)) into v from dual; put(v); end;",
        ["8000", "15998", "32767ABX", "32767", "4000"],
    ),
    # A condition that is NULL is not true, and neither is its opposite.
    (
        "declare b boolean; begin if b then put('t'); elsif not b then put('f');"
        " else put('null'); end if; b := 1 > 0; if b and b = true then put('t'); end if; end;",
        ["null", "t"],
    ),
    (
        "declare b boolean; begin b := null or true; if b then put('or'); end if;"
        " b := null and false; if not b then put('and'); end if; end;",
        ["or", "and"],
    ),
    # The second side is not evaluated where the first one decides.
    (
        "declare z number := 0; begin if z = 0 or 1 / z > 0 then put('yes'); end if;"
        " if z <> 0 and 1 / z > 0 then put('no'); end if; end;",
        ["yes"],
    ),
    (
        "declare v number := 2; begin case v when 1 then put('one'); when 2 then put('two');"
        " else put('else'); end case; case when v > 1 then put('big'); end case;"
        " put(case v when 2 then 'b' else 'c' end); end;",
        ["two", "big", "b"],
    ),
    (
        "<<o>> declare x number := 1; begin declare x number := 2; begin put(x || o.x); end; end;",
        ["21"],
    ),
    # Exceptions
    (
        "begin raise no_data_found; exception when no_data_found then"
        " put(sqlcode || ' ' || sqlerrm); end;",
        ["100 ORA-01403: no data found"],
    ),
    (
        "declare x number; begin x := 1 / 0; exception when too_many_rows or zero_divide then"
        " put(sqlcode || ' ' || sqlerrm); end;",
        ["-1476 ORA-01476: divisor is equal to zero"],
    ),
    (
        "declare e exception; begin raise e; exception when others then"
        " put(sqlcode || ' ' || sqlerrm); end;",
        ["1 User-Defined Exception"],
    ),
    (
        "declare e exception; pragma exception_init(e, -20001); begin"
        " raise_application_error(-20001, 'mine'); exception when e then put(sqlerrm); end;",
        ["ORA-20001: mine"],
    ),
    # An exception of the handler, or of a declaration, goes to the block around.
    (
        "begin begin raise no_data_found; exception when no_data_found then raise value_error;"
        " when value_error then put('same'); end; exception when value_error then put('around');"
        " end;",
        ["around"],
    ),
    (
        "begin declare n number(1) := 10; begin null; exception when others then put('same');"
        " end; exception when others then put('around'); end;",
        ["around"],
    ),
    (
        "begin begin raise no_data_found; exception when others then put(sqlcode); raise; end;"
        " exception when no_data_found then put('again'); end;",
        ["100", "again"],
    ),
    ("begin put(sqlcode || sqlerrm); end;", ["0ORA-0000: normal, successful completion"]),
    (
        "begin put(sqlerrm(-1422)); put(sqlerrm(1)); end;",
        [
            "ORA-01422: exact fetch returns more than requested number of rows",
            "User-Defined Exception",
        ],
    ),
    # Records and tables
    (
        "declare type r is record (a number := 7, b varchar2(5)); x r; y r; begin x.b := 'q';"
        " y := x; y.a := y.a + 1; put(x.a || x.b || y.a || y.b); end;",
        ["7q8q"],
    ),
    (
        "declare type a is table of varchar2(10) index by varchar2(10); m a; k varchar2(10);"
        " begin m('b') := 'x'; m('a') := 'y'; k := m.first; while k is not null loop"
        " put(k || m(k)); k := m.next(k); end loop; m.delete('a'); put(m.count);"
        " if not m.exists('a') then put('gone'); end if; put(m('a')); exception when"
        " no_data_found then put('none'); end;",
        ["ay", "bx", "1", "gone", "none"],
    ),
    (
        "declare type a is table of number index by pls_integer; m a; begin m(5) := 1;"
        " m(-3) := 2; m(9) := 3; put(m.first || ' ' || m.last || ' ' || m.prior(9) || ' ' ||"
        " m.next(-3)); m.delete(5, 9); put(m.count); end;",
        ["-3 9 5 5", "1"],
    ),
    (
        "declare type r is record (a number); type t is table of r index by pls_integer; m t;"
        " begin m(1).a := 4; m(1).a := m(1).a * 2; put(m(1).a); end;",
        ["8"],
    ),
    # Procedures and functions of the block
    (
        "declare y number := 5; x number; procedure p(a in number, b out number,"
        " c in out number) is begin b := a * 2; c := c + a; end; function f(n number) return"
        " number is begin if n <= 1 then return 1; end if; return n * f(n - 1); end;"
        " begin p(3, x, y); put(x || ' ' || y || ' ' || f(20)); p(c => y, a => 1, b => x);"
        " put(x || ' ' || y); end;",
        ["6 8 2432902008176640000", "2 9"],
    ),
    # A variable of the routine around it
    (
        "declare n number := 1; procedure twice is begin n := n * 2; end; begin twice; twice;"
        " put(n); end;",
        ["4"],
    ),
    # An OUT parameter keeps its value when the call fails.
    (
        "declare x number := 1; procedure p(a in out number) is begin a := 2; raise value_error;"
        " end; begin p(x); exception when others then put(x); end;",
        ["1"],
    ),
    ("begin execute immediate 'begin null; end;'; put('done'); end;", ["done"]),
    (
        "declare x number; begin execute immediate 'begin :1 := :2 * 2; end;' using out x, 21;"
        " put(x); end;",
        ["42"],
    ),
]


@pytest.mark.parametrize(("block", "expected"), BLOCKS)
def test_a_block_prints(plain: Session, block: str, expected: list[str | None]) -> None:
    assert printed(plain, block) == expected


IN_SQL: list[tuple[str, list[str | None] | None]] = [
    (
        "declare k number; s varchar2(20); begin select n, v into k, s from t where n = 7;"
        " put(k || s); end;",
        ["7v7"],
    ),
    # A name that is a column's and a variable's is the column's.
    (
        "declare n number := 7; c number; begin select count(*) into c from t where n = n;"
        " put(c); end;",
        ["250"],
    ),
    (
        "declare s number := 0; begin for r in (select n, v from t where n <= 150) loop"
        " s := s + r.n; end loop; put(s); end;",
        ["11325"],
    ),
    (
        "begin update t set v = 'x' where n <= 5; put(sql%rowcount); delete from t where n = 0;"
        " if sql%notfound and not sql%found then put('none'); end if; rollback; end;",
        ["5", "none"],
    ),
    (
        "declare cursor c(m number) is select * from t where n > m order by n; r c%rowtype; begin"
        " open c(248); loop fetch c into r; exit when c%notfound; put(r.n || r.v || c%rowcount);"
        " end loop; close c; if not c%isopen then put('closed'); end if; end;",
        ["249v2491", "250v2502", "closed"],
    ),
    (
        "declare cursor c(m number := 249) is select n from t where n > m; begin for r in c loop"
        " put(r.n || c%rowcount); end loop; for r in c(248) loop put(r.n); exit; end loop; end;",
        ["2501", "249"],
    ),
    # With LIMIT, fewer rows than asked for are %NOTFOUND.
    (
        "declare cursor c is select n from t; type a is table of c%rowtype index by binary_integer;"
        " m a; k number := 0; begin open c; loop fetch c bulk collect into m limit 100;"
        " k := k + m.count; exit when c%notfound; end loop; close c;"
        " put(k || ' ' || m.count || ' ' || m(50).n); end;",
        ["250 50 250"],
    ),
    (
        "declare type a is table of t.n%type; m a; begin select n bulk collect into m from t"
        " where n <= 3 order by n; put(m.count || m(1) || m(3) || m.first || m.last); end;",
        ["31313"],
    ),
    (
        "declare type a is table of number index by pls_integer; m a; begin for i in 1..4 loop"
        " m(i) := i * 10; end loop; forall i in 1..4 update t set v = 'z' || m(i) where n <= i;"
        " put(sql%rowcount || ' ' || sql%bulk_rowcount(3)); select v into m(9) from (select 5 v"
        " from dual); put(m(9)); rollback; end;",
        ["10 3", "5"],
    ),
    (
        "declare k number; begin insert into t values (1000, 'new', null) returning n * 2 into k;"
        " put(k); rollback; end;",
        ["2000"],
    ),
    (
        "declare type a is table of number; m a; begin delete from t where n <= 3 returning n bulk"
        " collect into m; put(m.count || ' ' || sql%rowcount); rollback; end;",
        ["3 3"],
    ),
    (
        "declare r t%rowtype; x t.v%type := 'abc'; begin select * into r from t where n = 3;"
        " put(r.n || r.v || x || to_char(r.d, 'YYYYMMDD')); end;",
        ["3v3abc20240104"],
    ),
    (
        "declare rc sys_refcursor; k number; begin open rc for select n from t where n < 3 order"
        " by n; fetch rc into k; put(k); fetch rc into k; put(k); fetch rc into k;"
        " if rc%notfound then put('end'); end if; close rc;"
        " open rc for 'select n from t where n = :1' using 9; fetch rc into k; put(k); end;",
        ["1", "2", "end", "9"],
    ),
    (
        "declare x number; begin execute immediate 'select count(*) from t where n > :1' into x"
        " using 100; put(x); execute immediate 'update t set v = null where n <= :1 returning"
        " count(*) into :2' using 3 returning into x; exception when others then put('no'); end;",
        ["150", "no"],
    ),
    (
        "declare low number := 1; top number := 3; begin lock table t in exclusive mode; merge into"
        " t using (select level + low m from dual connect by level <= top) s on (t.n = s.m) when"
        " matched then update set v = 'm' || top; put(sql%rowcount); for r in (select n, v from t"
        " where n <= 3 order by n) loop put(r.n || r.v); end loop; rollback; end;",
        ["3", "1v1", "2m3", "3m3"],
    ),
    # Each fetch of a loop takes 100 rows, so what the loop changes is not seen in it.
    (
        "declare k number := 0; begin for r in (select n from t) loop delete from t where n = r.n;"
        " k := k + sql%rowcount; end loop; put(k); rollback; end;",
        ["250"],
    ),
]


@pytest.mark.parametrize(("block", "expected"), IN_SQL)
def test_sql_in_a_block(numbers: Session, block: str, expected: list[str | None]) -> None:
    assert printed(numbers, block) == expected
    assert numbers.one("select count(*) from t") == 250


NDF = "ORA-01403: no data found\n"
VALUE = "ORA-06502: PL/SQL: numeric or value error"
AT_1 = "\nORA-06512: at line 1"
ERRORS = [
    ("begin\n  raise no_data_found;\nend;", NDF + "ORA-06512: at line 2"),
    (
        "begin\n  begin\n    raise no_data_found;\n  exception when others then\n    raise;\n"
        "  end;\nend;",
        NDF + "ORA-06512: at line 3\nORA-06512: at line 5",
    ),
    (
        "declare e exception;\nbegin\nraise e;\nend;",
        "ORA-06510: PL/SQL: unhandled user-defined exception\nORA-06512: at line 3",
    ),
    ("begin raise_application_error(-20001, 'mine'); end;", "ORA-20001: mine" + AT_1),
    (
        "begin raise_application_error(-1, 'mine'); end;",
        "ORA-21000: error number argument to raise_application_error of -1 is out of range" + AT_1,
    ),
    (
        "declare v varchar2(3); begin v := 'abcd'; end;",
        VALUE + ": character string buffer too small" + AT_1,
    ),
    ("declare v number(3); begin v := 1000; end;", VALUE + ": number precision too large" + AT_1),
    (
        "declare v number; begin v := 'x'; end;",
        VALUE + ": character to number conversion error" + AT_1,
    ),
    ("declare v number not null := 1; begin v := null; end;", VALUE + AT_1),
    (
        "declare i pls_integer := 2147483647; begin i := i + 1; end;",
        "ORA-01426: numeric overflow" + AT_1,
    ),
    (
        "begin case 5 when 1 then null; end case; end;",
        "ORA-06592: CASE not found while executing CASE statement" + AT_1,
    ),
    (
        "declare n number; begin select 1 into n from dual where 1 = 0; end;",
        NDF + "ORA-06512: at line 1",
    ),
    (
        "declare n number; begin select level into n from dual connect by level < 3; end;",
        "ORA-01422: exact fetch returns more than requested number of rows" + AT_1,
    ),
    (
        "declare cursor c is select 1 from dual; n number; begin fetch c into n; end;",
        "ORA-01001: invalid cursor" + AT_1,
    ),
    (
        "declare cursor c is select 1 from dual; begin open c; open c; end;",
        "ORA-06511: PL/SQL: cursor already open" + AT_1,
    ),
    (
        "declare function f return number is begin null; end; begin dbms_output.put_line(f); end;",
        "ORA-06503: PL/SQL: Function returned without value" + AT_1 + AT_1,
    ),
]


@pytest.mark.parametrize(("block", "expected"), ERRORS)
def test_an_error_and_where_it_comes_from(plain: Session, block: str, expected: str) -> None:
    assert failure(plain, block) == expected


LONG_TEXTS = [
    "declare v varchar2(32767); begin v := rpad('x', 32768); end;",
    "declare v varchar2(32767) := rpad('x', 32767); begin v := v || 'x'; end;",
    "declare v varchar2(32767) := rpad('x', 20000, 'x'); begin v := replace(v, 'x', 'yy'); end;",
    "declare v varchar2(32767) := rpad('x', 20000, 'x');"
    " begin v := regexp_replace(v, 'x', 'yy'); end;",
]


def test_texts_that_are_too_long(plain: Session) -> None:
    for block in LONG_TEXTS:
        assert failure(plain, block).startswith(f"{VALUE}: character string buffer too small")
    block = "declare v varchar2(9999) := rpad('x', 4001); n number; begin"
    too_long = "ORA-01489: result of string concatenation is too long"
    assert too_long in failure(plain, f"{block} select length(v || 'x') into n from dual; end;")
    plain.cursor.execute(
        "create function f(n number) return varchar2 is begin return rpad('x', n, 'x'); end;"
    )
    assert plain.one("select length(f(4000)) from dual") == 4000
    assert VALUE in failure(plain, "select f(4001) from dual")
    assert too_long in failure(plain, "select f(3999) || 'xx' from dual")


REFUSED = [
    ("begin foo := 1; end;", "ORA-06550: line 1, column 7:\nPLS-00201: identifier 'FOO' must"),
    ("begin foo(1); end;", "ORA-06550: line 1, column 7:\nPLS-00201: identifier 'FOO' must"),
    ("begin null end;", 'ORA-06550: line 1, column 12:\nPLS-00103: Encountered the symbol "END"'),
    ("begin\n null;", 'ORA-06550: line 2, column 6:\nPLS-00103: Encountered the symbol "end-of-'),
    ("begin exit; end;", "ORA-06550: line 1, column 7:\nPLS-00376: illegal EXIT/CONTINUE"),
    ("declare c constant number := 1; begin c := 2; end;", "line 1, column 39:\nPLS-00363"),
    ("declare x number; x date; begin null; end;", "PLS-00371: at most one declaration for 'X'"),
    ("begin select 1 from dual; end;", "PLS-00428: an INTO clause is expected"),
    (
        "begin insert into nothing values (1); end;",
        "line 1, column 19:\nPL/SQL: ORA-00942: table or view does not exist",
    ),
    (
        "declare n number; begin select nothing into n from dual; end;",
        'line 1, column 32:\nPL/SQL: ORA-00904: "NOTHING": invalid identifier',
    ),
    ("declare b boolean; begin b := 1; end;", "PLS-00382: expression is of wrong type"),
    ("begin if 1 then null; end if; end;", "PLS-00382: expression is of wrong type"),
    ("begin dbms_output.put_line(1, 2); end;", "PLS-00306: wrong number or types of arguments"),
    ("begin dbms_output.nothing; end;", "ORA-03001: unimplemented feature: DBMS_OUTPUT.NOTHING"),
    ("declare r record_type; begin null; end;", "PLS-00201: identifier 'RECORD_TYPE'"),
    ("begin goto x; end;", "ORA-03001: unimplemented feature: goto"),
    ("declare c nchar(1); begin null; end;", "ORA-03001: unimplemented feature: nchar"),
    ("declare type v is varray(3) of number; begin null; end;", "ORA-03001"),
    (
        "declare j number; begin dbms_job.submit(j, 'null;'); end;",
        "ORA-03001: unimplemented feature: DBMS_JOB.SUBMIT",
    ),
    ("begin rollback to a; end;", "ORA-01086: savepoint 'A' never established"),
    ("begin execute immediate 'rollback to a'; end;", "ORA-01086: savepoint 'A' never"),
    (f"begin {PUT}(sql%bulk_exceptions); end;", "PLS-00382: expression is of wrong type"),
    (
        f"begin {PUT}(sql%bulk_exceptions.error_code); end;",
        "PLS-00302: component 'ERROR_CODE' must be declared",
    ),
    (f"begin {PUT}(sql%bulk_exceptions(1).error_code); end;", "ORA-01403: no data found"),
    ("declare x number; begin x := nothing.nextval; end;", "PLS-00201"),
    ("begin create table x (a number); end;", "PLS-00103"),
    (
        "create function f return number pipelined is begin return 1; end;",
        "ORA-03001: unimplemented feature: pipelined",
    ),
    (
        "create function f return number nonsense is begin return 1; end;",
        'PLS-00103: Encountered the symbol "NONSENSE"',
    ),
]


@pytest.mark.parametrize(("block", "expected"), REFUSED)
def test_what_is_refused_says_what_and_where(plain: Session, block: str, expected: str) -> None:
    assert expected in failure(plain, block)
    assert plain.one("select 1 from dual") == 1


def test_binds_in_and_out(plain: Session) -> None:
    cursor = plain.cursor
    number, text, day = cursor.var(int), cursor.var(str), cursor.var(oracledb.DB_TYPE_DATE)
    for i in range(3):
        cursor.execute(
            "begin :n := :a * 2; :t := :a || 'x'; :d := date '2024-01-01' + :a; end;",
            n=number, t=text, d=day, a=i,
        )  # fmt: skip
        assert (number.getvalue(), text.getvalue()) == (2 * i, f"{i}x")
        assert day.getvalue().day == 1 + i
    # One that is read and set, and one that is set only where the block says so.
    number.setvalue(0, 5)
    for want in (6, 7):
        cursor.execute("begin :n := :n + 1; end;", n=number)
        assert number.getvalue() == want
    cursor.execute("begin if :n > 100 then :t := 'never'; end if; end;", n=number, t=text)
    assert text.getvalue() == "2x"
    # By position, a name that comes twice has two values.
    cursor.execute("begin :x := :y + 1; end;", [number, 41])
    assert number.getvalue() == 42


def test_a_cursor_goes_to_the_client(numbers: Session) -> None:
    opened = numbers.cursor.var(oracledb.DB_TYPE_CURSOR)
    numbers.cursor.execute(
        "declare c sys_refcursor; begin open c for select n from t where n <= 3 order by n;"
        " :c := c; end;",
        c=opened,
    )
    assert opened.getvalue().fetchall() == [(1,), (2,), (3,)]


def test_a_block_that_fails_leaves_nothing(numbers: Session) -> None:
    numbers.cursor.execute("insert into t (n) values (-1)")
    failure(numbers, "begin insert into t (n) values (-2); raise no_data_found; end;")
    assert numbers.rows("select n from t where n < 0") == [(-1,)]
    numbers.connection.rollback()
    failure(numbers, "begin insert into t (n) values (-2); raise no_data_found; end;")
    assert numbers.rows("select n from t where n < 0") == []
    # What an exception handler has taken care of stays.
    numbers.cursor.execute(
        "begin insert into t (n) values (-3); raise no_data_found; exception when others then"
        " null; end;"
    )
    assert numbers.rows("select n from t where n < 0") == [(-3,)]
    # A statement that fails leaves its block's other changes.
    numbers.cursor.execute("create unique index u on t (n)")
    numbers.cursor.execute(
        "begin insert into t (n) values (-4); begin insert into t (n) select n from t where n = 1;"
        " exception when dup_val_on_index then null; end; end;"
    )
    assert numbers.one("select count(*) from t where n < 0") == 2


STORED = [
    "create or replace function twice(n in number) return number is begin return n * 2; end;",
    "create or replace procedure bump(k in number default 1) as\n l number;\nbegin\n"
    " l := k / 0;\nend;",
    "create or replace package pk is c constant number := 7; n number := 0;"
    " procedure add(k number); function total return number; end pk;",
    "create or replace package body pk is s number := 100; procedure add(k number) is begin"
    " n := n + k; s := s + 1; end; function total return number is begin return n + s; end;"
    " begin s := 200; end pk;",
]


@pytest.fixture
def stored(numbers: Session) -> Session:
    for text in STORED:
        numbers.cursor.execute(text)
    return numbers


def test_stored_functions_in_sql_and_in_blocks(stored: Session, lab: Lab) -> None:
    assert stored.rows("select twice(n) from t where twice(n) <= 6 order by 1") == [
        (2,),
        (4,),
        (6,),
    ]
    assert stored.one("select scott.twice(4) from dual") == 8
    assert stored.cursor.callfunc("twice", int, [21]) == 42
    other = lab.connect()
    assert other.cursor.callfunc("twice", int, [1]) == 2
    stored.cursor.execute(
        "create or replace function twice(n number) return number is begin return n * 2 + 1; end;"
    )
    assert other.cursor.callfunc("twice", int, [1]) == 3
    assert other.one("select twice(1) from dual") == 3
    with pytest.raises(oracledb.DatabaseError, match="ORA-00955"):
        other.cursor.execute("create function twice return number is begin return 1; end;")
    other.cursor.execute("drop function twice")
    assert "PLS-00201" in failure(stored, "begin :x := twice(1); end;".replace(":x", "pk.n"))
    with pytest.raises(oracledb.DatabaseError, match="ORA-00904"):
        stored.one("select twice(1) from dual")


def test_the_stack_names_the_unit(stored: Session) -> None:
    assert failure(stored, "begin\n bump;\nend;") == (
        "ORA-01476: divisor is equal to zero\n"
        'ORA-06512: at "SCOTT.BUMP", line 4\nORA-06512: at line 2'
    )


def test_a_package_has_its_state_in_each_session(stored: Session, lab: Lab) -> None:
    block = "begin pk.add(5); pk.add(6); put(pk.n || ' ' || pk.total || ' ' || pk.c); end;"
    assert printed(stored, block) == ["11 213 7"]
    assert printed(stored, "begin put(pk.total); end;") == ["213"]
    assert stored.one("select pk.total from dual") == 213
    assert printed(lab.connect(), "begin put(pk.total); end;") == ["200"]
    assert "PLS-00302" in failure(stored, "begin pk.s := 1; end;")


def test_a_function_in_a_query_cannot_change_data(stored: Session) -> None:
    stored.cursor.execute(
        "create function changes return number is begin delete from t; return 1; end;"
    )
    with pytest.raises(oracledb.DatabaseError, match="ORA-14551"):
        stored.one("select changes from dual")
    assert stored.one("select count(*) from t") == 250


def test_an_autonomous_transaction(stored: Session) -> None:
    stored.cursor.execute(
        "create procedure note(k number) is pragma autonomous_transaction; begin"
        " insert into t (n) values (k); commit; end;"
    )
    stored.cursor.execute("begin note(-9); rollback; end;")
    assert stored.one("select count(*) from t where n = -9") == 1
    stored.cursor.execute(
        "create procedure forgets is pragma autonomous_transaction; begin"
        " insert into t (n) values (-8); end;"
    )
    assert failure(stored, "begin forgets; end;").startswith("ORA-06519")
    assert stored.one("select count(*) from t where n = -8") == 0


def test_supplied_packages(plain: Session) -> None:
    assert printed(plain, "begin dbms_random.seed(0); put(dbms_random.string('U', 5)); end;") == (
        printed(plain, "begin dbms_random.seed(0); put(dbms_random.string('u', 5)); end;")
    )
    low, high = plain.rows(
        "select min(x), max(x) from (select trunc(dbms_random.value(1, 10)) x from dual"
        " connect by level <= 1000)"
    )[0]
    assert (low, high) == (1, 9)
    assert len(plain.one("select dbms_random.string('p', 200) from dual")) == 200
    began = plain.one("select dbms_utility.get_time from dual")
    plain.cursor.execute("begin dbms_session.sleep(0.2); dbms_lock.sleep(0); end;")
    assert plain.one("select dbms_utility.get_time from dual") - began >= 20
    waits = "select total_waits from v$session_event where event = 'PL/SQL lock timer' and sid = :s"
    assert plain.one(waits, s=plain.sid) == 2
    plain.cursor.execute("begin dbms_stats.gather_table_stats(user, 'T'); end;")


def test_a_loop_fetches_a_hundred_rows_at_a_time(lab: Lab) -> None:
    session = lab.connect()
    session.cursor.execute("create table t (n number)")
    session.cursor.execute("insert into t select level from dual connect by level <= 250")
    session.connection.commit()
    path = Path(session.one("select value from v$diag_info where name = 'Default Trace File'"))
    before = session.statistics()
    session.cursor.execute("begin dbms_monitor.session_trace_enable; end;")
    session.cursor.execute("begin for r in (select n from t) loop null; end loop; end;")
    session.cursor.execute("begin dbms_monitor.session_trace_disable; end;")
    spent = {name: value - before[name] for name, value in session.statistics().items()}
    inner = [call for call in read(path).calls if call.dep == 1]
    assert [(call.name, call.r) for call in inner] == [
        ("PARSE", 0), ("EXEC", 0), ("FETCH", 100), ("FETCH", 100), ("FETCH", 50)
    ]  # fmt: skip
    assert spent["recursive calls"] == len(inner)
    [outer] = [c for c in read(path).calls if c.dep == 0 and c.name == "EXEC" and c.cr > 0]
    assert outer.cr == sum(call.cr for call in inner)


@pytest.mark.parametrize("disable_oob", [True, False])
@pytest.mark.parametrize(
    "block",
    [
        "begin loop null; end loop; end;",
        "declare x number; begin loop begin x := 1 / 0; exception when others then null; end;"
        " end loop; end;",
        "begin dbms_session.sleep(3600); end;",
        "declare n number; begin loop select count(*) into n from sys.obj$; end loop; end;",
    ],
)
def test_a_cancel_ends_a_block(lab: Lab, disable_oob: bool, block: str) -> None:
    session = lab.connect(disable_oob=disable_oob)
    for _ in range(max(1, CANCELS // 10)):
        statement = lab.active(session, block)
        began = time.monotonic()
        session.connection.cancel()
        assert statement.join()
        assert statement.error.startswith("ORA-01013")
        assert time.monotonic() - began < 60
        assert session.one("select 1 from dual") == 1


def test_the_seeds_functions_and_loops(lab: Lab) -> None:
    """What Bleile's latency test, Fatkulin's latch test and Lewis's fetch tests have in PL/SQL."""
    session = lab.connect()
    execute = session.cursor.execute
    execute("create table tlat (id number, filler varchar2(200))")
    execute("begin dbms_random.seed(0); end;")
    execute(
        "insert into tlat select rownum,dbms_random.string('L',dbms_random.value(100,100))"
        " from all_objects where rownum <= 500"
    )
    execute("commit")
    assert session.rows("select count(*), min(length(filler)) from tlat") == [(500, 100)]
    execute("begin dbms_stats.gather_table_stats(user,'TLAT'); end;")
    execute(
        "create or replace function net_roundtrips return number as\nnrt number;\nbegin\n"
        "   select mystat.value into nrt\n   from v$mystat mystat, v$statname statname\n"
        "   where mystat.statistic# = statname.statistic#\n"
        "   and statname.display_name = 'SQL*Net roundtrips to/from client';\n   return nrt;\nend;"
    )
    execute(
        "create or replace function my_db_time_microsecs return number as\nmydbtime number;\n"
        "begin\n   select value into mydbtime\n   from V$SESS_TIME_MODEL\n"
        "   where sid=SYS_CONTEXT( 'USERENV', 'SID' )\n   and stat_name='DB time';\n"
        "   return mydbtime;\nend;"
    )
    trips, busy, at = (session.cursor.var(int) for _ in range(3))
    block = (
        "begin\n   :roundtrips := NET_ROUNDTRIPS;\n   :db_time := MY_DB_TIME_MICROSECS;\n"
        "   :at := dbms_utility.get_time;\nend;"
    )
    execute(block, roundtrips=trips, db_time=busy, at=at)
    before = trips.getvalue(), busy.getvalue()
    session.cursor.arraysize = session.cursor.prefetchrows = 10
    assert len(session.rows("select filler from tlat")) == 500
    execute(block, roundtrips=trips, db_time=busy, at=at)
    assert trips.getvalue() - before[0] >= 50
    assert busy.getvalue() > before[1]

    execute("create table job_times (sid number, time_ela number)")
    execute(
        "create or replace procedure do_work(\n p_iterations in number\n) is\n l_rowid  rowid;\n"
        "begin\n insert into job_times\n"
        "  values (sys_context('userenv', 'sid'), dbms_utility.get_time)\n"
        "  returning rowid into l_rowid;\n\n for i in 1 .. p_iterations\n loop\n"
        "  for cur in (select /*+ result_cache */ * from tlat)\n  loop\n   null;\n  end loop;\n"
        " end loop;\n\n update job_times set\n   time_ela=dbms_utility.get_time-time_ela\n"
        "  where rowid=l_rowid;\nend;"
    )
    latch = "select gets from v$latch where name = 'Result Cache: RC Latch'"
    execute("begin do_work(1); end;")
    first = session.one(latch)
    execute("begin do_work(20); end;")
    assert session.one(latch) - first == 2 * 20
    elapsed = session.rows("select sid, time_ela from job_times")
    assert [sid for sid, _ in elapsed] == [session.sid] * 2
    assert all(0 <= csec < 6000 for _, csec in elapsed)

    assert printed(
        session,
        "declare\n m_total number := 0;\n m_ct number := 0;\nbegin\n"
        " for c1 in (select * from all_objects where rownum < 2000) loop\n"
        "  m_total := m_total + c1.object_id;\n  m_ct := m_ct + 1;\n end loop;\n"
        " put(m_ct);\nend;",
    ) == ["1999"]
    assert printed(
        session,
        "declare\n cursor c1 is  select * from all_objects where rownum <= 2000;\n"
        " type c1_array is table of c1%rowtype index by binary_integer;\n m_tab c1_array;\n"
        " m_ct number := 0;\nbegin\n open c1;\n loop\n  fetch c1\n  bulk collect\n"
        "  into m_tab\n  limit 1000\n  ;\n  exit when c1%notfound;\n  m_ct := m_ct + 1;\n"
        " end loop;\n close c1;\n put(m_ct);\nend;",
    ) == ["2"]


def test_recursion_is_bounded(lab: Lab) -> None:
    session = lab.connect()
    assert failure(
        session,
        "declare function f(n number) return number is begin return f(n + 1); end;"
        f" begin {PUT}(f(1)); end;",
    ).startswith("ORA-06500")
    session.cursor.execute(
        "create function g(n number) return number is x number; begin"
        " execute immediate 'select g(:1) from dual' into x using n + 1; return x; end;"
    )
    with pytest.raises(oracledb.DatabaseError, match="ORA-00036"):
        session.one("select g(1) from dual")
    assert session.one("select 1 from dual") == 1


def test_a_table_that_grows_meets_the_limit(start_lab: Callable[..., Lab]) -> None:
    session = start_lab("--pga-limit", "16").connect()
    assert failure(
        session,
        "declare type a is table of varchar2(4000) index by pls_integer; m a; begin"
        " for i in 1..100000 loop m(i) := lpad('x', 4000, 'x'); end loop; end;",
    ).startswith("ORA-04036")
    assert session.one("select 1 from dual") == 1


def test_a_loop_of_queries_without_gets_is_cancelled(lab: Lab) -> None:
    session = lab.connect(disable_oob=True)
    block = "declare n number; begin loop select 1 into n from dual; end loop; end;"
    statement = lab.active(session, block)
    session.connection.cancel()
    assert statement.join()
    assert statement.error.startswith("ORA-01013")


def test_sequences_in_expressions(lab: Lab) -> None:
    session = lab.connect()
    session.cursor.execute("create sequence counted start with 5")
    session.cursor.execute(
        "declare x number := counted.nextval; y number; begin"
        " if x <> 5 or counted.currval <> 5 then raise_application_error(-20001, x); end if;"
        " for i in 1 .. 3 loop y := counted.nextval * 10 + i; end loop;"
        " if y <> 83 then raise_application_error(-20002, y); end if;"
        " select counted.nextval into y from dual;"
        " if y <> 9 or counted.nextval <> 10 then raise_application_error(-20003, y); end if; end;"
    )
    assert session.one("select counted.nextval from dual") == 11
