# SPDX-License-Identifier: GPL-2.0-or-later
"""SQL in blocks of PL/SQL: cursors, binds, transactions, fetches."""

from __future__ import annotations

from pathlib import Path

import oracledb
import pytest

from .blocks import failure, printed
from .conftest import Lab, Session
from .sqltrace import read

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
