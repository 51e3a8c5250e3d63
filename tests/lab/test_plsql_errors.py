# SPDX-License-Identifier: GPL-2.0-or-later
"""PL/SQL's errors: those of a running block with their stacks, what is refused, and limits."""

from __future__ import annotations

from collections.abc import Callable

import oracledb
import pytest

from .blocks import PUT, failure
from .conftest import Lab, Session

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
        "begin dbms_job.change(1, 'null;', null, null); end;",
        "ORA-03001: unimplemented feature: DBMS_JOB.CHANGE",
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
