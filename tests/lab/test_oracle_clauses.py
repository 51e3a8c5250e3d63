# SPDX-License-Identifier: GPL-2.0-or-later
"""Clauses of Oracle's SQL: statement, rows or error, as Oracle documents them.

One lab for the whole module: statements only read, or undo what they change.
"""

from __future__ import annotations

import oracledb
import pytest

from .conftest import Session

ROLLUP: list[tuple[str, list[tuple[object, ...]]]] = [
    (
        "select case grouping(dept) when 1 then 'Total:' else to_char(dept) end d, sum(sal)"
        " from emp group by rollup((dept, id)) order by grouping(dept), id",
        [("10", 5000), ("30", 2850), ("30", None), (None, 1100), ("Total:", 8950)],
    ),
    (
        "select dept, id, count(*), grouping(dept), grouping(id) from emp where dept is not null"
        " group by rollup(dept, id) order by dept, id",
        [
            (10, 1, 1, 0, 0),
            (10, None, 1, 0, 1),
            (30, 2, 1, 0, 0),
            (30, 3, 1, 0, 0),
            (30, None, 2, 0, 1),
            (None, None, 3, 1, 1),
        ],
    ),
    (
        "select dept, count(*) from emp group by rollup(dept) having count(*) > 1 order by 2",
        [(30, 2), (None, 4)],
    ),
    ("select dept, count(*) from emp where 1 = 0 group by rollup(dept)", []),
    ("select count(*) from (select dept from emp group by rollup(dept))", [(4,)]),
    # what is summed is no NULL of the ROLLUP's
    (
        "select dept, sum(dept) from emp group by rollup(dept) order by 2 nulls first",
        [(None, None), (10, 10), (30, 60), (None, 70)],
    ),
    (
        "select name, dept, count(*) from emp where id < 3 group by name, rollup(dept)"
        " order by name, grouping(dept)",
        [("BLAKE", 30, 1), ("BLAKE", None, 1), ("KING", 10, 1), ("KING", None, 1)],
    ),
    (
        "select sum(sal) from emp group by rollup(mod(id, 2)) order by 1",
        [(3950,), (5000,), (8950,)],
    ),
    ("select dept d, id from emp where id = 1 group by (dept, id)", [(10, 1)]),
    # CUBE has all sets, GROUPING SETS those that are listed
    (
        "select dept, boss, count(*), grouping(dept), grouping(boss) from emp"
        " where dept is not null group by cube(dept, boss)"
        " order by grouping(dept), grouping(boss), dept, boss",
        [
            (10, None, 1, 0, 0),
            (30, 1, 1, 0, 0),
            (30, 2, 1, 0, 0),
            (10, None, 1, 0, 1),
            (30, None, 2, 0, 1),
            (None, 1, 1, 1, 0),
            (None, 2, 1, 1, 0),
            (None, None, 1, 1, 0),
            (None, None, 3, 1, 1),
        ],
    ),
    ("select sum(sal) from emp group by cube(mod(id, 2)) order by 1", [(3950,), (5000,), (8950,)]),
    ("select count(*) from (select 1 from emp group by cube(id, dept, boss))", [(27,)]),
    ("select count(*) from (select 1 from emp group by cube((id, dept), boss))", [(12,)]),
    (
        "select dept, boss, count(*) from emp where dept = 30 group by dept, cube(boss)"
        " order by boss",
        [(30, 1, 1), (30, 2, 1), (30, None, 2)],
    ),
    (
        "select dept, sum(sal) from emp group by cube(dept) having grouping(dept) = 1",
        [(None, 8950)],
    ),
    (
        "select dept, boss, count(*) from emp group by grouping sets (dept, boss)"
        " order by grouping(dept), dept, boss",
        [
            (10, None, 1),
            (30, None, 2),
            (None, None, 1),
            (None, 1, 2),
            (None, 2, 1),
            (None, None, 1),
        ],
    ),
    (
        "select dept, id, sum(sal) from emp where id < 3 group by grouping sets ((dept, id), dept)"
        " order by dept, id",
        [(10, 1, 5000), (10, None, 5000), (30, 2, 2850), (30, None, 2850)],
    ),
    ("select count(*) from (select 1 from emp group by grouping sets (id, dept))", [(7,)]),
]
OUTER_JOINS: list[tuple[str, list[tuple[object, ...]]]] = [
    (
        "select e.name, d.city from emp e, dep d where e.dept = d.id(+) order by e.id",
        [("KING", "PARIS"), ("BLAKE", "OSLO"), ("WARD", "OSLO"), ("ADAMS", None)],
    ),
    (
        "select e.id, d.city from emp e, dep d where e.dept(+) = d.id order by d.id, e.id",
        [(1, "PARIS"), (None, "ROMA"), (2, "OSLO"), (3, "OSLO")],
    ),
    # the columns of * come as FROM names the tables
    (
        "select * from dep d, emp e where d.id(+) = e.dept and d.city(+) = 'OSLO' and e.id < 3"
        " order by e.id",
        [(None, None, 1, "KING", 10, 5000, None), (30, "OSLO", 2, "BLAKE", 30, 2850, 1)],
    ),
    (
        "select e.id from dep d, emp e where d.id(+) = e.dept and d.city = 'OSLO' order by 1",
        [(2,), (3,)],
    ),
    (
        "select a.id, b.id, c.id from dep a, emp b, dep c where a.id = b.dept(+)"
        " and b.dept = c.id(+) order by 1, 2",
        [(10, 1, 10), (20, None, None), (30, 2, 30), (30, 3, 30)],
    ),
    ("select d.id from dep d, emp e where e.dept(+) = d.id and e.id is null", [(20,)]),
    (
        "select d.id, count(e.id) from dep d, emp e where d.id = e.dept(+) group by d.id"
        " order by 1",
        [(10, 1), (20, 0), (30, 2)],
    ),
    (
        "select e.id, d.id from emp e, dep d where e.dept = d.id(+) + 10 and e.dept = 30"
        " order by 1",
        [(2, 20), (3, 20)],
    ),
    (
        "select e.id from emp e, (select id from dep where id = 10) d where e.dept = d.id(+)"
        " and d.id is null order by 1",
        [(2,), (3,), (4,)],
    ),
]
CONDITIONS: list[tuple[str, list[tuple[object, ...]]]] = [
    (f"select id from emp where {condition} order by id", [(n,) for n in ids])
    for condition, ids in [
        ("(dept, name) in ((10, 'KING'), (30, 'WARD'))", [1, 3]),
        # one value that differs is enough, whatever the other is
        ("(dept, name) not in ((10, 'KING'), (30, 'WARD'))", [2, 4]),
        ("(dept, name) not in ((10, 'KING'), (30, 'ADAMS'))", [2, 3]),
        ("(dept, id) in (select d.id, 2 from dep d)", [2]),
        ("(dept, name) = (select 30, 'WARD' from dual)", [3]),
        ("(dept, name) <> (select 30, 'WARD' from dual)", [1, 2, 4]),
        ("(dept, name) = (select 30, 'WARD' from dual where 1 = 0)", []),
        ("lnnvl(sal > 2000)", [3, 4]),
        ("lnnvl(dept = 30)", [1, 4]),
        ("not lnnvl(dept = 30)", [2, 3]),
        ("regexp_like(name, '^k', 'i')", [1]),
        ("regexp_like(name, 'A.*A')", [4]),
        ("not regexp_like(name, '[AK]')", []),
        ("regexp_like(name, '^.{4}$')", [1, 3]),
    ]
]


@pytest.mark.parametrize(("sql", "rows"), ROLLUP + OUTER_JOINS + CONDITIONS)
def test_rows(oracle: Session, sql: str, rows: list[tuple[object, ...]]) -> None:
    assert oracle.rows(sql) == rows


ERRORS = [
    ("select grouping(dept) from emp group by dept", "ORA-30481"),
    ("select grouping(name) from emp group by rollup(dept)", "ORA-00979"),
    ("select name from emp group by rollup(dept)", "ORA-00979"),
    ("select 1 from emp group by cube(id, id, id, id, id, id, id, id, id)", "ORA-03001.*groups"),
    ("select 1 from emp group by cube(dept), rollup(id)", "ORA-03001.*several"),
    ("select name from emp group by cube(dept)", "ORA-00979"),
    ("select count(*) from emp group by grouping sets ()", "ORA-00936"),
    ("select dept, (select 1 from dual) from emp group by rollup(dept)", "ORA-03001"),
    ("select e.id from emp e, dep d where e.dept = d.id(+) or e.dept = 1", "ORA-01719"),
    ("select e.id from emp e, dep d where d.id(+) in (1, 2)", "ORA-01719"),
    ("select e.id from emp e, dep d where e.dept(+) = d.id(+)", "ORA-01468"),
    ("select e.id from emp e, dep d where e.dept(+) = d.id and d.id(+) = e.dept", "ORA-01416"),
    ("select e.id(+) from emp e", "ORA-30563"),
    ("select 1 from emp e join dep d on e.id = d.id, dep x where x.id(+) = e.dept", "ORA-25156"),
    ("select d.id from dep d, emp e where e.dept(+) = (select 1 from dual)", "ORA-01799"),
    ("select id from emp where (dept, name) > (30, 'WARD')", "ORA-01796"),
    ("select id from emp where (dept, name) = (select id, city from dep)", "ORA-01427"),
    ("select id from emp where (dept, name) in ((1, 2, 3))", "ORA-00913"),
    ("select id from emp where (dept, name) in (select 1 from dual)", "ORA-00947"),
    ("update emp set (dept, sal) = (select id, 7 from dep) where id = 3", "ORA-01427"),
    ("update emp set (dept, sal) = (select 1234, 7 from dual) where id = 3", "ORA-01438"),
    ("update emp set (dept, sal) = (select 1 from dual) where id = 3", "ORA-00947"),
    ("update emp set (dept, nothing) = (select 1, 2 from dual)", "ORA-00904"),
    ("select id from emp where lnnvl(id = 1 and id = 2)", "ORA-13207"),
    ("select regexp_substr('a', '(') from dual", "ORA-12725"),
    ("select regexp_substr('a', 'a)') from dual", "ORA-12725"),
    ("select regexp_substr('a', '[a') from dual", "ORA-12726"),
    ("select regexp_substr('a', '[z-a]') from dual", "ORA-12728"),
    ("select regexp_substr('a', '[[:nothing:]]') from dual", "ORA-12729"),
    ("select regexp_substr('x', '(a)\\2') from dual", "ORA-12727"),
    ("select regexp_substr('x', 'a', 0) from dual", "ORA-01428"),
    ("select regexp_substr('x', 'a', 1, 1, 'q') from dual", "ORA-01760"),
    ("select regexp_replace('abc', 'x*', '-') from dual", "ORA-03001.*matches nothing"),
    ("select regexp_substr('ab', 'a|ab') from dual", "ORA-03001.*two lengths"),
    ("select regexp_substr('ab', 'a?(ab)?') from dual", "ORA-03001.*two lengths"),
    ("select regexp_substr('" + "a" * 40 + "', '((a*)*)*b') from dual", "ORA-03001.*so long"),
    ("select regexp_like('a', 'a') from dual", "ORA-00904"),
    ("rollback to nowhere", "ORA-01086: savepoint 'NOWHERE'"),
    (
        "merge into emp e using dep d on (e.dept = d.id) when matched then update set dept = 1",
        'ORA-38104.*"DEPT"',
    ),
    (
        "merge into dep using emp on (dep.id = emp.dept) when matched then update set city = 'x'",
        "ORA-30926",
    ),
    (
        "merge into emp e using dep d on (e.id = d.id) when not matched then"
        " insert (id, name) values (e.id, 'x')",
        "ORA-38101",
    ),
    (
        "merge into emp e using dep d on (e.id = d.id) when not matched then"
        " insert (id) values (d.id)",
        "ORA-01400",
    ),
    (
        "merge into emp e using dep d on (e.id = d.id) when not matched then insert values (1)",
        "ORA-00947",
    ),
    (
        "merge into emp e using dep d on (e.id = d.id) when matched then update set sal = 1"
        " delete where sal = 1",
        "ORA-03001.*DELETE in MERGE",
    ),
    ("merge into emp e using dep d on (e.id = d.id)", "ORA-00905"),
    # what the lab has not says so
    ('select xmlelement("x") from dual', "ORA-03001.*XMLELEMENT"),
    ("select json_value('{}', '$.a') from dual", "ORA-03001.*JSON_VALUE"),
    ("select median(sal) from emp", "ORA-03001.*MEDIAN"),
    ("select no_such(1) from dual", 'ORA-00904: "NO_SUCH"'),
    ("select * from emp pivot (count(*) for dept in (10))", "ORA-03001.*pivot"),
    ("select * from emp sample (10)", "ORA-03001.*sample"),
    ("select * from emp as of scn 1", "ORA-03001"),
    ("select * from emp partition (p)", "ORA-03001.*partition"),
    ("select 1 from emp where sal is nan", "ORA-03001"),
    ("create table p (a number) partition by hash (a)", "ORA-03001"),
    ("create trigger t before insert on emp begin null; end;", "ORA-03001.*CREATE TRIGGER"),
    (
        "create or replace trigger t before insert on emp begin null; end;",
        "ORA-03001.*CREATE TRIGGER",
    ),
    ("create or replace type t as object (a number)", "ORA-03001.*CREATE TYPE"),
    ("create table p (a number, b number as (a * 2))", "ORA-03001.*a virtual column"),
    ("create table p (a number, b number generated always as (a))", "ORA-03001.*generated"),
    ("create table p (a number generated by default as identity)", "ORA-03001.*generated"),
    ("create table p (a number, foreign key (a) references dep (id))", "ORA-03001.*foreign"),
    (
        "select * from emp model dimension by (id) measures (sal) rules (sal[1] = 2)",
        "ORA-03001.*model",
    ),
    ("select count(*) from emp group by grouping sets (())", "ORA-03001.*GROUPING SETS"),
    ("select count(*) from emp group by grouping sets ((dept), ())", "ORA-03001.*GROUPING SETS"),
    ("select id, cursor(select 1 from dual) from emp", "ORA-03001.*cursor"),
]


@pytest.mark.parametrize(("sql", "error"), ERRORS)
def test_error(oracle: Session, sql: str, error: str) -> None:
    with pytest.raises(oracledb.DatabaseError, match=error):
        oracle.rows(sql)
