# SPDX-License-Identifier: GPL-2.0-or-later
"""PL/SQL: blocks and what they print."""

from __future__ import annotations

import pytest

from .blocks import printed
from .conftest import Lab, Session

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
