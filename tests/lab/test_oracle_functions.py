# SPDX-License-Identifier: GPL-2.0-or-later
"""Functions of Oracle's SQL: expression and value, or error, as Oracle documents them."""

from __future__ import annotations

import oracledb
import pytest

from .conftest import Session

VALUES: list[tuple[str, object]] = [
    ("regexp_substr('a,b,c', '[^,]+', 1, 2)", "b"),
    ("regexp_substr('a,,c', '[^,]*', 1, 2)", None),
    ("regexp_substr('500 Oracle Parkway', ' [^ ]+ ')", " Oracle "),
    (
        "regexp_substr('http://www.example.com/products', 'http://([[:alnum:]]+\\.?){3,4}/?')",
        "http://www.example.com/",
    ),
    ("regexp_substr('1234567890', '(123)(4(56)(78))', 1, 1, 'i', 1)", "123"),
    ("regexp_substr('1234567890', '(123)(4(56)(78))', 1, 1, 'i', 4)", "78"),
    ("regexp_substr('1234567890', '(123)(4(56)(78))', 1, 1, 'i', 5)", None),
    ("regexp_substr('name=value;x=y', '=(.*?);', 1, 1, null, 1)", "value"),
    ("regexp_substr('aaa', '^a+?')", "a"),
    ("regexp_substr('aaa', '(a|aa)+$')", "aaa"),
    ("regexp_substr('x-1-y', '\\d')", "1"),
    ("regexp_substr('x_1 y', '\\w+')", "x_1"),
    ("regexp_substr('x_1 y', '\\W')", " "),
    ("regexp_substr('naïve', '[[:alpha:]]+')", "naïve"),
    ("regexp_substr('b' || chr(10) || 'a', '^a')", None),
    ("regexp_substr('b' || chr(10) || 'a', '^a', 1, 1, 'm')", "a"),
    ("regexp_substr('b' || chr(10) || 'a', 'b.a')", None),
    ("length(regexp_substr('b' || chr(10) || 'a', 'b.a', 1, 1, 'n'))", 3),
    ("regexp_substr('abc', 'a b', 1, 1, 'x')", "ab"),
    ("regexp_substr('a]b', '[]]')", "]"),
    ("regexp_substr('a-b', '[a-]+')", "a-"),
    ("regexp_substr('a\\b', '[\\]')", "\\"),
    ("regexp_substr('abab', '(ab)\\1')", "abab"),
    ("regexp_substr('ABC', '[a-c]+', 1, 1, 'i')", "ABC"),
    ("regexp_substr('ABC', '[^a]+', 1, 1, 'i')", "BC"),
    ("regexp_substr(null, 'a')", None),
    ("regexp_substr('a', null)", None),
    ("regexp_replace('500   Oracle     Parkway', '( ){2,}', ' ')", "500 Oracle Parkway"),
    ("regexp_replace('Jane Doe', '(.*) (.*)', '\\2, \\1')", "Doe, Jane"),
    (
        "regexp_replace('515.123.4444', '([0-9]{3})\\.([0-9]{3})\\.([0-9]{4})', '(\\1) \\2-\\3')",
        "(515) 123-4444",
    ),
    ("regexp_replace('abcabc', 'b')", "acac"),
    ("regexp_replace('abcabc', 'b', 'x', 3)", "abcaxc"),
    ("regexp_replace('abcabc', 'b', 'x', 1, 2)", "abcaxc"),
    ("regexp_replace('abcabc', 'B', 'x', 1, 0, 'i')", "axcaxc"),
    ("regexp_replace('aaa', 'a')", None),
    ("regexp_replace('abc', null, 'x')", "abc"),
    ("regexp_instr('500 Oracle Parkway, Redwood Shores, CA', '[^ ]+', 1, 6)", 37),
    (
        "regexp_instr('500 Oracle Parkway, Redwood Shores, CA', '[s|r|p][[:alpha:]]{6}',"
        " 3, 2, 1, 'i')",
        28,
    ),
    ("regexp_instr('1234567890', '(123)(4(56)(78))', 1, 1, 0, 'i', 2)", 4),
    ("regexp_instr('abc', 'd')", 0),
    ("regexp_count('123123123123123', '(12)3', 1, 'i')", 5),
    ("regexp_count('123123123123', '123', 3, 'i')", 3),
    ("regexp_count('abc', 'x')", 0),
    # a negative number that is rounded to zero keeps its sign
    ("to_char(-0.004, '9.99')", " -.00"),
    ("to_char(-0.004, 'S9.99')", " -.00"),
    ("to_char(-0.004, '9.99MI')", " .00-"),
    ("to_char(-0.004, '9.99PR')", " <.00>"),
    ("to_char(0.004, '9.99')", "  .00"),
    ("to_char(0, '9.99')", "  .00"),
]


@pytest.mark.parametrize(("expression", "value"), VALUES)
def test_value(oracle: Session, expression: str, value: object) -> None:
    assert oracle.one(f"select {expression} from dual") == value


LISTS: list[tuple[str, list[tuple[object, ...]]]] = [
    (
        "select listagg(name, ', ') within group (order by name) from emp",
        [("ADAMS, BLAKE, KING, WARD",)],
    ),
    ("select listagg(name) within group (order by sal desc, name) from emp where id < 4",
     [("WARDKINGBLAKE",)]),
    (
        "select listagg(name, '-') within group (order by sal desc nulls last) from emp",
        [("KING-BLAKE-ADAMS-WARD",)],
    ),
    (
        "select dept, listagg(id, ';') within group (order by id desc) from emp group by dept"
        " order by 1",
        [(10, "1"), (30, "3;2"), (None, "4")],
    ),
    # NULLs are left out
    ("select listagg(sal, ' ') within group (order by sal) from emp", [("1100 2850 5000",)]),
    ("select listagg(name, ',') from emp where 1 = 0", [(None,)]),
    (
        "select listagg(n, ',') within group (order by n) from"
        " (select level * 1e18 n from dual connect by level <= 12)",
        [(",".join(str(i * 10**18) for i in range(1, 13)),)],
    ),
    (
        "select dept, listagg(dept, ',') within group (order by dept) from emp"
        " where dept is not null group by rollup(dept) order by 1",
        [(10, "10"), (30, "30,30"), (None, "10,30,30")],
    ),
    ("select within from (select 1 within from dual)", [(1,)]),
    ("select vsize(100), vsize(123), vsize(-1), vsize(0), vsize(1e20) from dual",
     [(2, 3, 3, 1, 2)]),
    ("select vsize('abc'), vsize('ä'), vsize(sysdate), vsize(null) from dual", [(3, 2, 7, None)]),
    ("select rawtohex(hextoraw('0aF')) from dual", [("00AF",)]),
    ("select length(rawtohex(sys_guid())), count(distinct sys_guid()) from emp", [(32, 4)]),
    ("select nvl(1, '2'), nvl(null, 'x') from dual", [(1, "x")]),
    ("select count(*) from dba_tables where owner = 'SCOTT' and table_name = 'EMP'", [(1,)]),
    ("select column_name from dba_tab_columns where table_name = 'DEP' order by column_id",
     [("ID",), ("CITY",)]),
    # the bytes that Oracle keeps
    ("select dump('abc'), dump(null), dump('ä', 16) from dual",
     [("Typ=96 Len=3: 97,98,99", "NULL", "Typ=96 Len=2: c3,a4")]),
    ("select dump(1), dump(0), dump(-1), dump(123.45), dump(100) from dual",
     [("Typ=2 Len=2: 193,2", "Typ=2 Len=1: 128", "Typ=2 Len=3: 62,100,102",
       "Typ=2 Len=4: 194,2,24,46", "Typ=2 Len=2: 194,2")]),
    ("select dump(upper('abc'), 16, 2, 1), dump('abc', 8), dump(name, 1016) from emp where id = 1",
     [("Typ=1 Len=3: 42", "Typ=96 Len=3: 141,142,143",
       "Typ=1 Len=4 CharacterSet=AL32UTF8: 4b,49,4e,47")]),
    ("select dump(hextoraw('00ff')) from dual", [("Typ=23 Len=2: 0,255",)]),
    ("select userenv('isdba'), userenv('lang'), userenv('language'), userenv('instance') from dual",
     [("FALSE", "US", "AMERICAN_AMERICA.AL32UTF8", 1)]),
    ("select count(*) from v$session where sid = userenv('sid')", [(1,)]),
    ("select count(*) from dual where userenv('sid') = sys_context('userenv', 'sid')", [(1,)]),
    ("select count(*) from v$session s, v$process p where s.paddr = rawtohex(p.addr)"
     " and s.sid = userenv('sid')", [(1,)]),
    ("select 1 from dual where hextoraw('0a') = '0A'", [(1,)]),
    ("select 1 from dual where 'a' = hextoraw('0a')", [(1,)]),
    ("select 1 from dual where hextoraw('0a') > '09ff'", [(1,)]),
    ("select 1 from dual where '0b' > hextoraw('0aff')", [(1,)]),
    ("select 1 from dual where hextoraw('0a') in ('01', '0a')", [(1,)]),
    ("select dbms_lob.getlength('naïve'), dbms_lob.getlength(hextoraw('00ff')),"
     " dbms_lob.getlength(null) from dual", [(5, 2, None)]),
    ("select account_status from dba_users where username = 'SCOTT'", [("OPEN",)]),
]  # fmt: skip


@pytest.mark.parametrize(("sql", "rows"), LISTS)
def test_functions(oracle: Session, sql: str, rows: list[tuple[object, ...]]) -> None:
    assert oracle.rows(sql) == rows


@pytest.mark.parametrize(
    ("sql", "error"),
    [
        ("select nvl(1, 'x') from dual", "ORA-01722"),
        ("select hextoraw('xyz') from dual", "ORA-01465"),
        ("select listagg(rpad('x', 2000), ',') within group (order by id) from emp", "ORA-01489"),
        ("select sum(sal) within group (order by sal) from emp", "ORA-03001.*WITHIN GROUP"),
        ("select listagg(name, ',') over () from emp", "ORA-03001.*LISTAGG over a window"),
        (
            "select listagg(name, ',') within group (order by id) over (partition by dept)"
            " from emp",
            "ORA-03001",
        ),
        ("select listagg(distinct name) from emp", "ORA-03001.*DISTINCT"),
        ("select userenv('nothing') from dual", "ORA-02003"),
        ("select ora_hash('x') from dual", "ORA-03001.*ORA_HASH"),
        ("select dump(systimestamp) from dual", "ORA-03001.*DUMP"),
        ("select dump('x', 17) from dual", "ORA-03001.*DUMP"),
        ("select 1 from v$session where paddr = 'xyz'", "ORA-01465"),
        ("select dbms_lob.getlength(1) from dual", "ORA-00932"),
    ],
)
def test_errors_of_functions(oracle: Session, sql: str, error: str) -> None:
    with pytest.raises(oracledb.DatabaseError, match=error):
        oracle.rows(sql)
