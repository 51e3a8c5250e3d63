# SPDX-License-Identifier: GPL-2.0-or-later
"""PL/SQL's tables without INDEX BY, which have constructors, and what is an expression alone there:
`**`, and Q'[...]' with a block inside.

Many blocks in one session, so that they cost little."""

from __future__ import annotations

import oracledb

from .blocks import printed
from .conftest import Lab, Session

TYPES = (
    "declare type t is table of number; type r is record (a number, b varchar2(3));"
    " type tr is table of r; type tt is table of t;"
    " type ia is table of number index by pls_integer; type t2 is table of number;"
    " x t; y t := t(); z tt; q tr; w r; i ia; u t2; n number; "
)
NULL_TABLE = "ORA-06531: Reference to uninitialized collection\nORA-06512: at line 1"
OUTSIDE = "ORA-06532: Subscript outside of limit\nORA-06512: at line 1"
BEYOND = "ORA-06533: Subscript beyond count\nORA-06512: at line 1"
WRONG_TYPE = "PLS-00382: expression is of wrong type"
ARGUMENTS = "PLS-00306: wrong number or types of arguments in call to 'T'"
MISSING = "ORA-03001: unimplemented feature: "

TABLES: list[tuple[str, list[str | None] | str]] = [
    ("x := t(1, null, 3); put(x.count || x.first || x.last || x(3) || x(2));", ["3133"]),
    ("x := t(); put(x.count || x.first || '.' || x.limit);", ["0."]),
    ("x := t('7'); put(x(1) + 1);", ["8"]),
    ("x := t(1, 2); y := x; y(1) := 9; put(x(1) || y(1));", ["19"]),
    ("w.a := 1; w.b := 'x'; q := tr(w, w); w.b := 'y'; put(q(2).b || q.count);", ["x2"]),
    ("z := tt(t(1, 2), t()); y := z(1); put(y(2)); y := z(2); put(y.count);", ["2", "0"]),
    ("for k in 1..3 loop y.extend; y(y.last) := k ** 2; end loop; put(y(3));", ["9"]),
    ("x := t(5, 6); x.extend(2, 1); put(x.count || x(4)); x.extend; put(nvl(x(5), 0));",
     ["45", "0"]),
    ("select level bulk collect into x from dual connect by level <= 3; x.extend; put(x.last);",
     ["4"]),
    ("select 1 bulk collect into x from dual where 1 = 0; put(x.count);", ["0"]),
    # A deleted element keeps its subscript.
    ("x := t(1, 2, 3); x.delete(2); put(x.count || x.next(1)); x(2) := 5; put(x.count || x(2));",
     ["23", "35"]),
    ("x := t(1, 2, 3); x.delete(2); begin n := x(2); exception when no_data_found then put('none');"
     " end;", ["none"]),
    ("x := t(1, 2, 3); x.delete(3); x.extend; put(x.last || x.count); x.trim(2);"
     " put(x.last || x.count);", ["43", "22"]),
    ("x := t(1, 2); x.delete(1, 2); put(x.count || nvl(x.first, -1)); x.extend; put(x.first);",
     ["0-1", "3"]),
    ("x := t(1, 2); x.delete; x.extend; put(x.first);", ["1"]),
    ("put(case when x is null then 1 end || case when y is not null then 2 end); x := t(1);"
     " x := null; put(case when x is null and not x.exists(1) then 3 end);", ["12", "3"]),
    ("n := x.count;", NULL_TABLE),
    ("x.extend;", NULL_TABLE),
    ("x(1) := 1;", NULL_TABLE),
    ("n := y(1);", BEYOND),
    ("y.extend; y(2) := 1;", BEYOND),
    ("y.extend; n := y(0);", OUTSIDE),
    ("y.trim;", BEYOND),
    ("x := t(1); x.extend(1, 5);", BEYOND),
    ("x := t('a');", "ORA-06502: PL/SQL: numeric or value error: character to number conversion"),
    ("x := u;", WRONG_TYPE),
    ("x := t2(1);", WRONG_TYPE),
    ("x := i;", WRONG_TYPE),
    ("x := t(1, t(2));", ARGUMENTS),
    ("x := t(y);", ARGUMENTS),
    ("t(1);", "PLS-00221: 'T' is not a procedure or is undefined"),
    ("i := ia(1, 2);", MISSING + "a constructor of a table with INDEX BY"),
    ("w := r(1, 2);", MISSING + "a constructor of other than a table"),
    ("n := z(1)(2);", MISSING + "an element of a table in a table"),
    ("n := z(1).count;", MISSING + "a method of what is no variable or field"),
    ("select count(*) into n from table(x);", MISSING + "table"),
]  # fmt: skip

EXPRESSIONS: list[tuple[str, list[str | None] | str]] = [
    ("put(2 ** 3); put(-2 ** 2); put(2 ** -1); put(2 * 3 ** 2);", ["8", "-4", ".5", "18"]),
    ("put((2 ** 3) ** 2); put('2' ** '3'); put(1.5 ** 2);", ["64", "8", "2.25"]),
    ("put(nvl(null ** 2, 0)); put(2 ** 126);", ["0", "85070591730234615865843651857942052864"]),
    ("n := 3; n := n ** 2; for k in 1 .. 2 ** 2 loop n := n + k; end loop; put(n);", ["19"]),
    ("put(2 ** 3 ** 2);", 'PLS-00103: Encountered the symbol "**"'),
    ("put(2 ** 0.5);", MISSING + "POWER with such an exponent"),
    ("put(date '2020-01-01' ** 2);", "ORA-00932: inconsistent datatypes: expected NUMBER"),
    ("select 2 ** 3 into n from dual;", "ORA-00923"),
    ("put(q'[it's]' || Q'!;end;!' || q'<>'); put(q'(a')b)');", ["it's;end;", "a')b"]),
    ("execute immediate q'{begin put('it''s'); end;}';", ["it's"]),
    ("select length(q'#a'b#') into n from dual where q'[x]' = 'x'; put(n);", ["3"]),
    ("execute immediate 'select q' || '''[a'' from dual';", "ORA-01756"),
    ("execute immediate 'select q' || ''' a '' from dual';", "ORA-01756"),
    ("put(nq'[a]');", MISSING + "a literal of the national character set"),
]


def outcome(session: Session, block: str) -> list[str | None] | str:
    try:
        return printed(session, block)
    except oracledb.DatabaseError as error:
        return str(error)


def test_tables_and_expressions(one_lab: Lab) -> None:
    session = one_lab.connect()
    for body, wanted in [*TABLES, *EXPRESSIONS]:
        got = outcome(session, f"{TYPES}begin {body} end;")
        assert (wanted in got) if isinstance(wanted, str) else got == wanted, body


def test_tables_of_packages_are_given_and_returned(one_lab: Lab) -> None:
    session = one_lab.connect()
    session.cursor.execute(
        "create package lists is type nt is table of varchar2(10);"
        " function added(a nt) return nt; end;"
    )
    session.cursor.execute(
        "create package body lists is function added(a nt) return nt is b nt := nt('q'); begin"
        " b.extend; b(2) := a(1); return b; end; end;"
    )
    block = (
        "declare v lists.nt := lists.added(lists.nt('a', 'b')); begin v := lists.added(v);"
        " put(v(1) || v(2) || v.count); end;"
    )
    assert printed(session, block) == ["qq2"]
    # Records with other fields would be read beyond their end.
    assert WRONG_TYPE in str(
        outcome(
            session,
            "declare type r1 is record (a number, b number); type r2 is record (a number);"
            " type a is table of r1; type b is table of r2; v a; w b; begin v := w; end;",
        )
    )
