# SPDX-License-Identifier: GPL-2.0-or-later
"""CONNECT BY: statement, rows or error, as Oracle documents them."""

from __future__ import annotations

import random
import threading

import oracledb
import pytest

from .conftest import Session

STAFF = [
    "create table staff (id number(6) primary key, name varchar2(10), boss number(6),"
    " sal number(7,2), grade char(3))",
    "create table loop (id number(6), boss number(6))",
    "create table pays (staff number(6), year number(4), pay number(6))",
    *(
        f"insert into staff values ({row})"
        for row in (
            "1, 'KING', null, 5000, 'A'",
            "2, 'JONES', 1, 2975, 'B'",
            "3, 'BLAKE', 1, 2850, 'B'",
            "4, 'SCOTT', 2, 3000, 'C'",
            "5, 'ADAMS', 4, 1100, 'D'",
            "6, 'WARD', 3, 1250, 'C'",
            "7, 'ALLEN', 3, 1600, null",
        )
    ),
    *(f"insert into loop values ({row})" for row in ("1, 3", "2, 1", "3, 2", "4, 1", "5, 5")),
    *(
        f"insert into pays values ({row})"
        for row in ("1, 2023, 10", "2, 2023, 20", "3, 2023, 30", "4, 2024, 40")
    ),
]
DOWN = "from staff start with boss is null connect by prior id = boss"
BY_NAME = f"{DOWN} order siblings by name"
UNDER_2 = "from staff start with id = 2 connect by prior id = boss"
LOOP = "from loop start with id = 1 connect by nocycle prior id = boss"

ROWS: list[tuple[str, list[tuple[object, ...]]]] = [
    (f"select level, name {BY_NAME}",
     [(1, "KING"), (2, "BLAKE"), (3, "ALLEN"), (3, "WARD"), (2, "JONES"), (3, "SCOTT"),
      (4, "ADAMS")]),
    (f"select level, name {DOWN} order siblings by name desc",
     [(1, "KING"), (2, "JONES"), (3, "SCOTT"), (4, "ADAMS"), (2, "BLAKE"), (3, "WARD"),
      (3, "ALLEN")]),
    (f"select name {DOWN} order siblings by sal",
     [("KING",), ("BLAKE",), ("WARD",), ("ALLEN",), ("JONES",), ("SCOTT",), ("ADAMS",)]),
    (f"select name {DOWN} order siblings by grade nulls first, id",
     [("KING",), ("JONES",), ("SCOTT",), ("ADAMS",), ("BLAKE",), ("ALLEN",), ("WARD",)]),
    (f"select name {DOWN} order siblings by grade desc nulls last, id desc",
     [("KING",), ("BLAKE",), ("WARD",), ("ALLEN",), ("JONES",), ("SCOTT",), ("ADAMS",)]),
    (f"select name n {DOWN} order siblings by n", [("KING",), ("BLAKE",), ("ALLEN",), ("WARD",),
                                                  ("JONES",), ("SCOTT",), ("ADAMS",)]),
    (f"select name {DOWN} order siblings by 1 desc", [("KING",), ("JONES",), ("SCOTT",),
                                                     ("ADAMS",), ("BLAKE",), ("WARD",),
                                                     ("ALLEN",)]),
    (f"select name {DOWN} order by name", [("ADAMS",), ("ALLEN",), ("BLAKE",), ("JONES",),
                                           ("KING",), ("SCOTT",), ("WARD",)]),
    (f"select name {DOWN} order by level desc, name fetch first 2 rows only",
     [("ADAMS",), ("ALLEN",)]),
    (f"select lpad(' ', 2 * (level - 1)) || name {BY_NAME} fetch first 3 rows only",
     [("KING",), ("  BLAKE",), ("    ALLEN",)]),
    (f"select * {UNDER_2}",
     [(2, "JONES", 1, 2975, "B  "), (4, "SCOTT", 2, 3000, "C  "), (5, "ADAMS", 4, 1100, "D  ")]),
    ("select s.* from staff s start with s.id = 4 connect by prior s.id = s.boss",
     [(4, "SCOTT", 2, 3000, "C  "), (5, "ADAMS", 4, 1100, "D  ")]),
    ("select name from staff connect by prior id = boss start with id = 4",
     [("SCOTT",), ("ADAMS",)]),
    ("select name from staff start with id = 5 connect by id = prior boss",
     [("ADAMS",), ("SCOTT",), ("JONES",), ("KING",)]),
    ("select name from staff start with id = 5 connect by prior boss = id and level < 3",
     [("ADAMS",), ("SCOTT",)]),
    (f"select name {DOWN} and level <= 2 order siblings by name",
     [("KING",), ("BLAKE",), ("JONES",)]),
    (f"select name {DOWN} and name <> 'JONES' order siblings by name",
     [("KING",), ("BLAKE",), ("ALLEN",), ("WARD",)]),
    (f"select name {DOWN} and prior sal > sal + 1200 order siblings by name",
     [("KING",), ("BLAKE",), ("ALLEN",), ("WARD",), ("JONES",)]),
    # WHERE is of the rows that are connected
    ("select name from staff where name <> 'JONES' start with id = 1 connect by prior id = boss"
     " order siblings by name",
     [("KING",), ("BLAKE",), ("ALLEN",), ("WARD",), ("SCOTT",), ("ADAMS",)]),
    ("select name from staff where level = 3 start with id = 1 connect by prior id = boss"
     " order siblings by name", [("ALLEN",), ("WARD",), ("SCOTT",)]),
    ("select name from staff where connect_by_isleaf = 1 start with id = 1"
     " connect by prior id = boss order siblings by name", [("ALLEN",), ("WARD",), ("ADAMS",)]),
    ("select name from staff where prior name = 'KING' start with id = 1"
     " connect by prior id = boss order siblings by name", [("BLAKE",), ("JONES",)]),
    ("select name from staff where rownum <= 2 start with id = 2 connect by prior id = boss",
     [("JONES",), ("SCOTT",)]),
    (f"select rownum, name {UNDER_2}", [(1, "JONES"), (2, "SCOTT"), (3, "ADAMS")]),
    # what a row knows of its ancestors
    (f"select name, prior name {UNDER_2}",
     [("JONES", None), ("SCOTT", "JONES"), ("ADAMS", "SCOTT")]),
    (f"select sal - prior sal {UNDER_2}", [(None,), (25,), (-1900,)]),
    (f"select name, prior (name || '!') {UNDER_2}",
     [("JONES", None), ("SCOTT", "JONES!"), ("ADAMS", "SCOTT!")]),
    (f"select connect_by_root name, connect_by_root sal + 1 {UNDER_2}",
     [("JONES", 2976), ("JONES", 2976), ("JONES", 2976)]),
    ("select connect_by_root name boss, count(*) - 1 from staff connect by prior id = boss"
     " group by connect_by_root name having count(*) > 1 order by 2 desc, 1",
     [("KING", 6), ("BLAKE", 2), ("JONES", 2), ("SCOTT", 1)]),
    (f"select sys_connect_by_path(name, '/') {UNDER_2}",
     [("/JONES",), ("/JONES/SCOTT",), ("/JONES/SCOTT/ADAMS",)]),
    (f"select sys_connect_by_path(id, '->') {UNDER_2}", [("->2",), ("->2->4",), ("->2->4->5",)]),
    (f"select ltrim(sys_connect_by_path(substr(name, 1, 1), ','), ',') {UNDER_2}",
     [("J",), ("J,S",), ("J,S,A",)]),
    ("select sys_connect_by_path(grade, '.') from staff start with id = 3"
     " connect by prior id = boss order siblings by id",
     [(".B  ",), (".B  .C  ",), (".B  .",)]),
    (f"select name, connect_by_isleaf {BY_NAME}",
     [("KING", 0), ("BLAKE", 0), ("ALLEN", 1), ("WARD", 1), ("JONES", 0), ("SCOTT", 0),
      ("ADAMS", 1)]),
    (f"select max(sys_connect_by_path(name, '/')) {DOWN} and level < 3", [("/KING/JONES",)]),
    ("select max(ltrim(sys_connect_by_path(n, ','), ',')) from (select level n from dual"
     " connect by level <= 5) start with n = 1 connect by n = prior n + 1", [("1,2,3,4,5",)]),
    # groups, sets and queries around
    (f"select level, count(*) {DOWN} group by level order by level",
     [(1, 1), (2, 2), (3, 3), (4, 1)]),
    (f"select max(level), min(name), sum(sal) {DOWN}", [(4, "ADAMS", 17775)]),
    (f"select level, sum(sal) {DOWN} group by level having count(*) > 1 order by 1",
     [(2, 5825), (3, 5850)]),
    (f"select distinct level {DOWN} order by 1", [(1,), (2,), (3,), (4,)]),
    (f"select count(*) from (select name {DOWN})", [(7,)]),
    (f"select name from (select name, level lv {BY_NAME}) where lv = 2",
     [("BLAKE",), ("JONES",)]),
    (f"select name from staff where id in (select id {UNDER_2}) order by 1",
     [("ADAMS",), ("JONES",), ("SCOTT",)]),
    (f"select name {UNDER_2} union all select 'x' from dual",
     [("JONES",), ("SCOTT",), ("ADAMS",), ("x",)]),
    (f"with t as (select name, level lv {UNDER_2}) select max(lv) from t", [(3,)]),
    ("select name, (select count(*) from staff x start with x.id = s.id"
     " connect by prior x.id = x.boss) from staff s where id < 4 order by id",
     [("KING", 7), ("JONES", 3), ("BLAKE", 3)]),
    ("select name, (select max(pay) from pays where staff = s.id) from staff s"
     " start with id = 2 connect by prior id = boss",
     [("JONES", 20), ("SCOTT", 40), ("ADAMS", None)]),
    ("select name, row_number() over (order by name) from staff start with id = 2"
     " connect by prior id = boss order by name", [("ADAMS", 1), ("JONES", 2), ("SCOTT", 3)]),
    # several tables
    ("select s.name, p.pay from staff s, pays p where s.id = p.staff and p.year = 2023"
     " start with s.id = 1 connect by prior s.id = s.boss order siblings by s.name",
     [("KING", 10), ("BLAKE", 30), ("JONES", 20)]),
    ("select s.name, p.pay from staff s join pays p on s.id = p.staff start with s.id = 2"
     " connect by prior s.id = s.boss", [("JONES", 20), ("SCOTT", 40)]),
    ("select s.name, p.pay from staff s, pays p where s.id = p.staff(+) start with s.id = 2"
     " connect by prior s.id = s.boss", [("JONES", 20), ("SCOTT", 40), ("ADAMS", None)]),
    ("select s.name n from (select * from staff where sal > 2000) s start with s.id = 1"
     " connect by prior s.id = s.boss order siblings by n",
     [("KING",), ("BLAKE",), ("JONES",), ("SCOTT",)]),
    # without START WITH, every row is a root
    ("select count(*) from staff connect by prior id = boss", [(18,)]),
    ("select count(*) from staff connect by level <= 2", [(56,)]),
    ("select count(*) from loop connect by prior id = boss and level < 1", [(5,)]),
    # START WITH may be of a query
    ("select name from staff start with id in (select boss from staff where name = 'ADAMS')"
     " connect by prior id = boss", [("SCOTT",), ("ADAMS",)]),
    ("select name from staff start with sal = (select max(sal) from staff)"
     " connect by prior id = boss and level = 2 order siblings by name",
     [("KING",), ("BLAKE",), ("JONES",)]),
    ("select name from staff start with 1 = 0 connect by prior id = boss", []),
    # loops
    (f"select id, level, connect_by_iscycle {LOOP} order siblings by id",
     [(1, 1, 0), (2, 2, 0), (3, 3, 1), (4, 2, 0)]),
    (f"select id, connect_by_isleaf {LOOP} order siblings by id",
     [(1, 0), (2, 0), (3, 1), (4, 1)]),
    ("select id, connect_by_iscycle from loop start with id = 5"
     " connect by nocycle prior id = boss", [(5, 1)]),
    ("select id from loop start with id = 1 connect by prior id = boss and level < 3"
     " order siblings by id", [(1,), (2,), (4,)]),
    # the row generator
    ("select level from dual connect by level <= 3", [(1,), (2,), (3,)]),
    ("select level, rownum from dual connect by rownum < 3", [(1, 1), (2, 2)]),
    ("select level l from dual connect by level <= 0", [(1,)]),
    ("select level, connect_by_isleaf from dual connect by level <= 2", [(1, 0), (2, 1)]),
    ("select level from dual where level > 1 connect by level <= 3", [(2,), (3,)]),
    ("select sys_connect_by_path(level, ',') from dual connect by level <= 3",
     [(",1",), (",1,2",), (",1,2,3",)]),
    ("select count(*) from dual connect by level <= 1000", [(1000,)]),
]  # fmt: skip

ERRORS = [
    ("select id from loop start with id = 1 connect by prior id = boss", "ORA-01436"),
    ("select id from loop connect by prior id = boss", "ORA-01436"),
    ("select id from loop start with id = 5 connect by prior id = boss", "ORA-01436"),
    ("select level from staff", "ORA-01788"),
    ("select prior id from staff", "ORA-01788"),
    ("select connect_by_root id from staff", "ORA-01788"),
    ("select connect_by_isleaf from staff", "ORA-01788"),
    ("select sys_connect_by_path(id, ',') from staff", "ORA-01788"),
    ("select connect_by_iscycle from staff connect by prior id = boss", "ORA-30930"),
    (f"select sys_connect_by_path(name, 'A') {UNDER_2}", "ORA-30004"),
    (f"select sys_connect_by_path(name, null) {UNDER_2}", "ORA-30003"),
    (f"select sys_connect_by_path(name) {UNDER_2}", "ORA-00938|ORA-00909"),
    ("select id from staff start with prior id = 1 connect by prior id = boss", "ORA-00976"),
    ("select id from staff connect by prior id = boss and connect_by_isleaf = 1", "ORA-00976"),
    ("select id from staff connect by connect_by_root id = boss", "ORA-00976"),
    ("select id from staff connect by prior id = boss and sys_connect_by_path(id, ',') = 'x'",
     "ORA-00976"),
    ("select id from staff order siblings by id", "ORA-30929"),
    (f"select level {DOWN} group by level order siblings by level", "ORA-30929|ORA-00976"),
    ("select id from staff connect by count(*) > 1", "ORA-00934"),
    ("select id from staff start with nothing = 1 connect by prior id = boss",
     'ORA-00904.*"NOTHING"'),
    ("select id from staff connect by prior nothing = boss", 'ORA-00904.*"NOTHING"'),
    ("select id from staff start with id = 1", "ORA-00905|ORA-00933"),
    ("select id from staff connect by", "ORA-00936"),
    ("select id from staff connect prior id = boss", "ORA-00924"),
    (f"select rowid {UNDER_2}", "ORA-03001.*ROWID"),
    (f"select count(*) {DOWN} group by rollup(level)", "ORA-03001.*ROLLUP"),
]  # fmt: skip


@pytest.fixture(scope="module")
def staff(oracle: Session) -> Session:
    for sql in STAFF:
        oracle.cursor.execute(sql)
    oracle.connection.commit()
    return oracle


@pytest.mark.parametrize(("sql", "rows"), ROWS)
def test_rows(staff: Session, sql: str, rows: list[tuple[object, ...]]) -> None:
    assert staff.rows(sql) == rows


@pytest.mark.parametrize(("sql", "error"), ERRORS)
def test_error(staff: Session, sql: str, error: str) -> None:
    with pytest.raises(oracledb.DatabaseError, match=error):
        staff.rows(sql)


def test_random_trees_are_walked_like_python_does(staff: Session) -> None:
    chance = random.Random(20240229)
    staff.cursor.execute("create table grown (id number(6), boss number(6), name varchar2(8))")
    parents = {1: None} | {n: chance.randrange(1, n) for n in range(2, 120)}
    names = {n: f"{chance.randrange(1000):03d}{n}" for n in parents}
    staff.cursor.executemany(
        "insert into grown values (:1, :2, :3)",
        [(n, parents[n], names[n]) for n in chance.sample(list(parents), len(parents))],
    )
    children: dict[int | None, list[int]] = {}
    for n, parent in parents.items():
        children.setdefault(parent, []).append(n)
    wanted: list[tuple[object, ...]] = []

    def walk(n: int, level: int, path: str) -> None:
        path += "/" + names[n]
        below = sorted(children.get(n, []), key=names.__getitem__)
        above = parents[n]
        wanted.append((n, level, path, int(not below), above and names[above]))
        for child in below:
            walk(child, level + 1, path)

    walk(1, 1, "")
    found = staff.rows(
        "select id, level, sys_connect_by_path(name, '/'), connect_by_isleaf, prior name"
        " from grown start with boss is null connect by prior id = boss order siblings by name"
    )
    assert found == wanted


def test_binds_of_a_hierarchy(staff: Session) -> None:
    sql = (
        "select name from staff where sal > :1 start with id = :2"
        " connect by prior id = boss and level <= :3 order siblings by name"
    )
    staff.cursor.execute(sql, [1200, 3, 2])
    assert staff.cursor.fetchall() == [("BLAKE",), ("ALLEN",), ("WARD",)]
    staff.cursor.execute(sql, [1300, 1, 2])
    assert staff.cursor.fetchall() == [("KING",), ("BLAKE",), ("JONES",)]


def test_the_columns_are_described_like_those_of_the_table(staff: Session) -> None:
    staff.rows("select * from staff")
    plain = [d[:6] for d in staff.cursor.description]
    staff.rows(f"select * {DOWN}")
    assert [d[:6] for d in staff.cursor.description] == plain


def test_a_hierarchy_without_an_end_can_be_cancelled(staff: Session) -> None:
    timer = threading.Timer(0.3, staff.connection.cancel)
    timer.start()
    with pytest.raises(oracledb.DatabaseError, match="ORA-01013"):
        staff.rows("select count(*) from staff connect by 1 = 1")
    timer.join()
    assert staff.one("select count(*) from staff") == 7
