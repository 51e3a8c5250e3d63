# SPDX-License-Identifier: GPL-2.0-or-later
"""Oracle's answers where SQLite's would differ: statement, value or error, as Oracle documents it.

One lab for the whole module: statements only read, or undo what they change.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from decimal import Decimal

import oracledb
import pytest

from .conftest import Lab, Session


@pytest.fixture(scope="module")
def oracle(oralab: object, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    assert oralab
    lab = Lab(tmp_path_factory.mktemp("oracle"), ())
    session = lab.connect()
    session.connection.outputtypehandler = as_decimal
    for sql in TABLES:
        session.cursor.execute(sql)
    session.connection.commit()
    yield session
    lab.stop()


def as_decimal(cursor: oracledb.Cursor, metadata: oracledb.FetchInfo) -> oracledb.Var | None:
    """Numbers as they are, not rounded to a float."""
    if metadata.type_code is oracledb.DB_TYPE_NUMBER:
        return cursor.var(Decimal, arraysize=cursor.arraysize)
    return None


TABLES = [
    "create table emp (id number(6) primary key, name varchar2(10) not null, dept number(3),"
    " sal number(7,2), hired date)",
    "insert into emp values (1, 'KING', 10, 5000, date '1981-11-17')",
    "insert into emp values (2, 'Blake', 30, 2850.5, date '1981-05-01')",
    "insert into emp values (3, 'ward', 30, null, date '1981-02-22')",
    "insert into emp values (4, 'ADAMS', null, 1100, null)",
    "create table wide (n number, i integer, v varchar2(40), t timestamp)",
    "insert into wide values (12345678901234567890123456789012345678, 9007199254740993, '10',"
    " timestamp '2020-01-02 00:00:00')",
    "insert into wide values (.1234567890123456789, -9007199254740993, '9', null)",
    "insert into wide values (-98765432109876543210.5, 3, '010', null)",
    "insert into wide values (2, 4, 'abc', null)",
]

# of dual
VALUES: list[tuple[str, object]] = [
    # numbers
    ("1/2", Decimal("0.5")),
    ("1/3", Decimal("0." + 40 * "3")),
    ("2/3", Decimal("0." + 39 * "6" + "7")),
    ("10/3", Decimal("3." + 38 * "3")),
    ("12345678901234567890123456789012345678", Decimal("12345678901234567890123456789012345678")),
    ("0.1 + 0.2", Decimal("0.3")),
    ("100000000000000 + .00000000000001", Decimal("100000000000000.00000000000001")),
    ("9007199254740993 + 0", Decimal(9007199254740993)),
    ("9223372036854775807 + 1", Decimal(9223372036854775808)),
    ("-9223372036854775808 - 1", Decimal(-9223372036854775809)),
    ("9999999999 * 9999999999", Decimal(99999999980000000001)),
    ("99999999999999999999 * 99999999999999999999", Decimal("99" * 9 + "9800000000000000000001")),
    ("1.5e3 * 2", Decimal(3000)),
    ("mod(11, 4)", Decimal(3)),
    ("mod(-11, 4)", Decimal(-3)),
    ("mod(11, 0)", Decimal(11)),
    ("mod(12345678901234567891, 10)", Decimal(1)),
    ("mod(5.5, 2)", Decimal("1.5")),
    ("remainder(5, 3)", Decimal(-1)),
    ("remainder(5, 2)", Decimal(1)),
    ("remainder(7, 2)", Decimal(-1)),
    ("round(2.5)", Decimal(3)),
    ("round(-2.5)", Decimal(-3)),
    ("round(1234.567, 2)", Decimal("1234.57")),
    ("round(1250, -2)", Decimal(1300)),
    ("round(0.05, 1)", Decimal("0.1")),
    ("trunc(-2.9)", Decimal(-2)),
    ("trunc(1234.567, -2)", Decimal(1200)),
    ("ceil(2.1)", Decimal(3)),
    ("ceil(-2.1)", Decimal(-2)),
    ("floor(-2.1)", Decimal(-3)),
    ("sign(-.01)", Decimal(-1)),
    ("abs(-12345678901234567890)", Decimal(12345678901234567890)),
    ("power(2, 64)", Decimal(2**64)),
    ("power(2, -2)", Decimal("0.25")),
    ("bitand(12, 10)", Decimal(8)),
    ("greatest(1, 12345678901234567890, 2)", Decimal(12345678901234567890)),
    ("least('b', 'a', 'c')", "a"),
    ("'2' * '3'", Decimal(6)),
    ("-'3'", Decimal(-3)),
    # numbers as text
    ("to_char(0.5)", ".5"),
    ("to_char(-0.5)", "-.5"),
    ("to_char(1/3)", "." + 40 * "3"),
    ("to_char(1e40)", "1.0000000000000000000000000000000000E+40"),
    ("'' || 1234567890123456789012345678901234567890", "1234567890123456789012345678901234567890"),
    ("to_char(1234.5, '9,999.99')", " 1,234.50"),
    ("to_char(-1234.5, '9999.9')", "-1234.5"),
    ("to_char(0, '99.99')", "   .00"),
    ("to_char(.1, '90.99')", "  0.10"),
    ("to_char(-.2, '90.99')", " -0.20"),
    ("to_char(0, '9999')", "    0"),
    ("to_char(123.456, 'FM999.009')", "123.456"),
    ("to_char(123.0, 'FM999.009')", "123.00"),
    ("to_char(123.456, '9.9EEEE')", "  1.2E+02"),
    ("to_char(1e123, '9.9EEEE')", " 1.0E+123"),
    ("to_char(-1234567890, '9999999999S')", "1234567890-"),
    ("to_char(123.45, 'FML999.99')", "$123.45"),
    ("to_char(5, '$9')", " $5"),
    ("to_char(-5, 'S99')", " -5"),
    ("to_char(-5, '99MI')", " 5-"),
    ("to_char(-5, '99PR')", " <5>"),
    ("to_char(12345, '999')", "####"),
    ("to_char(7, '000')", " 007"),
    ("to_char(255, 'XXX')", "  FF"),
    ("to_char(255, 'FMxx')", "ff"),
    ("to_number('1,234.5', '9,999.9')", Decimal("1234.5")),
    ("to_number('-5')", Decimal(-5)),
    # text
    ("length('')", None),
    ("'a' || null || 'b'", "ab"),
    ("nvl('', 'null')", "null"),
    ("replace('abc', 'b')", "ac"),
    ("replace('aaa', 'a')", None),
    ("substr('abcdef', 0, 2)", "ab"),
    ("substr('abcdef', -3, 2)", "de"),
    ("substr('abc', 4)", None),
    ("substr('abc', 2, 0)", None),
    ("instr('banana', 'a', -1)", Decimal(6)),
    ("instr('banana', 'a', 1, 3)", Decimal(6)),
    ("instr('banana', 'an', -1, 2)", Decimal(2)),
    ("instr('banana', 'x')", Decimal(0)),
    ("lpad('abc', 2)", "ab"),
    ("lpad('7', 3, '0')", "007"),
    ("rpad('x', 4, 'ab')", "xaba"),
    ("trim('  ')", None),
    ("trim(both 'x' from 'xxaxx')", "a"),
    ("trim(leading '0' from '007')", "7"),
    ("ltrim('xyxa', 'xy')", "a"),
    ("translate('abc', 'ab', 'x')", "xc"),
    ("upper('é')", "É"),
    ("initcap('the SOAP')", "The Soap"),
    ("length('naïve')", Decimal(5)),
    ("lengthb('naïve')", Decimal(6)),
    ("chr(65)", "A"),
    ("ascii('A')", Decimal(65)),
    # conditions
    ("case when '10' = 10 then 1 end", Decimal(1)),
    ("case when '9' < 10 then 1 end", Decimal(1)),
    ("case when '9' > '10' then 1 end", Decimal(1)),
    ("case when null = null then 1 else 2 end", Decimal(2)),
    ("case when '' is null then 1 end", Decimal(1)),
    ("case when 'A' like 'a' then 1 else 2 end", Decimal(2)),
    ("case when 12 like '1%' then 1 end", Decimal(1)),
    ("case when 'a_b' like 'a\\_b' escape '\\' then 1 end", Decimal(1)),
    ("case when date '2020-01-01' = timestamp '2020-01-01 00:00:00' then 1 end", Decimal(1)),
    ("case when date '2020-01-01' < '02-JAN-20' then 1 end", Decimal(1)),
    ("case when 12345678901234567890123 > 5 and -12345678901234567890.5 < 5 then 1 end",
     Decimal(1)),
    ("case when .1234567890123456789 between 0 and 1 then 1 end", Decimal(1)),
    ("case '10' when '1' then 1 when '10' then 2 end", Decimal(2)),
    ("case when 1 in ('01', 2) then 1 end", Decimal(1)),
    ("case when 3 not in (1, null) then 1 else 2 end", Decimal(2)),
    ("decode(null, null, 'same', 'other')", "same"),
    ("decode(1, 2, 'two', 1, 'one')", "one"),
    ("decode(2, 1, 'one', 7)", "7"),
    ("decode(1, 1, 2, 1/0)", Decimal(2)),
    ("nvl(1, 1/0)", Decimal(1)),
    ("nvl2('', 1, 2)", Decimal(2)),
    ("coalesce(null, null, 3)", Decimal(3)),
    ("nullif(1, 1)", None),
    # dates
    ("date '2024-02-28' + 2", datetime.datetime(2024, 3, 1)),
    ("date '2024-03-01' - date '2024-02-28'", Decimal(2)),
    ("date '2024-01-01' + 1/24", datetime.datetime(2024, 1, 1, 1)),
    ("add_months(date '2024-01-31', 1)", datetime.datetime(2024, 2, 29)),
    ("add_months(date '2024-02-29', 1)", datetime.datetime(2024, 3, 31)),
    ("last_day(date '2023-02-05')", datetime.datetime(2023, 2, 28)),
    ("next_day(date '2024-01-01', 'MONDAY')", datetime.datetime(2024, 1, 8)),
    ("months_between(date '2024-03-31', date '2024-02-29')", Decimal(1)),
    ("round(months_between(date '1995-02-02', date '1995-01-01'), 8)", Decimal("1.03225806")),
    ("trunc(to_date('2024-05-17 10:20', 'YYYY-MM-DD HH24:MI'))", datetime.datetime(2024, 5, 17)),
    ("trunc(date '2024-05-17', 'Q')", datetime.datetime(2024, 4, 1)),
    ("trunc(date '2024-05-17', 'YEAR')", datetime.datetime(2024, 1, 1)),
    ("trunc(date '2024-05-17', 'IW')", datetime.datetime(2024, 5, 13)),
    ("trunc(date '2024-05-17', 'D')", datetime.datetime(2024, 5, 12)),
    ("round(date '2024-05-17', 'MM')", datetime.datetime(2024, 6, 1)),
    ("round(date '2024-07-01', 'YYYY')", datetime.datetime(2025, 1, 1)),
    ("extract(year from date '2024-05-17')", Decimal(2024)),
    ("to_char(date '2024-05-07', 'YYYY/MM/DD Q WW IW W DDD D J')",
     "2024/05/07 2 19 19 1 128 3 2460438"),
    ("to_char(date '2024-05-07', 'FMDay, Month DD')", "Tuesday, May 7"),
    ("to_char(date '2024-05-07', 'DAY MON')", "TUESDAY   MAY"),
    ("to_char(to_date('13:05:09', 'HH24:MI:SS'), 'HH:MI:SS PM SSSSS')", "01:05:09 PM 47109"),
    ("to_char(timestamp '2024-01-02 03:04:05.678', 'SS.FF3 FF')", "05.678 678000"),
    ("to_char(date '2021-01-03', 'IYYY-IW')", "2020-53"),
    ("'' || date '2024-05-07'", "07-MAY-24"),
    ("to_date('07-may-24')", datetime.datetime(2024, 5, 7)),
    ("to_date('07-MAY-74', 'DD-MON-RR')", datetime.datetime(1974, 5, 7)),
    ("to_date('20240507', 'YYYYMMDD')", datetime.datetime(2024, 5, 7)),
    ("to_date('2024-05-07', 'YYYY-MM-DD HH24:MI:SS')", datetime.datetime(2024, 5, 7)),
    ("to_date('1582-10-04', 'YYYY-MM-DD') + 1", datetime.datetime(1582, 10, 15)),
    ("to_timestamp('2024-05-07 01:02:03.5', 'YYYY-MM-DD HH24:MI:SS.FF')",
     datetime.datetime(2024, 5, 7, 1, 2, 3, 500000)),
    ("cast('12.345' as number(5,2))", Decimal("12.35")),
    ("cast('abcdef' as varchar2(3))", "abc"),
    ("(select count(*) from dual where 1 = 0)", Decimal(0)),
]  # fmt: skip


@pytest.mark.parametrize(("expression", "value"), VALUES, ids=[e for e, _ in VALUES])
def test_value(oracle: Session, expression: str, value: object) -> None:
    assert oracle.one(f"select {expression} from dual") == value


ROWS: list[tuple[str, list[tuple[object, ...]]]] = [
    # NULL is the largest
    ("select id from emp order by sal", [(4,), (2,), (1,), (3,)]),
    ("select id from emp order by sal desc", [(3,), (1,), (2,), (4,)]),
    ("select id from emp order by sal desc nulls last, 1", [(1,), (2,), (4,), (3,)]),
    ("select id, sal from emp order by 2 desc, id", [(3, None), (1, 5000), (2, Decimal("2850.5")),
                                                     (4, 1100)]),
    ("select id k from emp order by k desc", [(4,), (3,), (2,), (1,)]),
    ("select id, row_number() over (order by sal) r from emp order by id",
     [(1, 3), (2, 2), (3, 4), (4, 1)]),
    # numbers of any length sort and compare as numbers
    ("select v from wide order by n", [("010",), ("9",), ("abc",), ("10",)]),
    ("select v from wide where n > 1 order by v", [("10",), ("abc",)]),
    ("select v from wide where n < 0", [("010",)]),
    ("select v from wide where n = 12345678901234567890123456789012345678", [("10",)]),
    ("select max(n), min(n) from wide", [(Decimal("12345678901234567890123456789012345678"),
                                          Decimal("-98765432109876543210.5"))]),
    ("select sum(i), sum(n) from wide",
     [(7, Decimal("12345678901234567791358024679135802469.62"))]),
    ("select i from wide where i = 9007199254740993", [(9007199254740993,)]),
    ("select count(*) from wide where i = 9007199254740992", [(0,)]),
    ("select avg(sal) from emp", [(Decimal("2983.5"),)]),
    # an alias is ORDER BY's alone, and comes before a column of the same name
    ("select -sal sal from emp where sal > 2000 order by sal", [(-5000,), (Decimal("-2850.5"),)]),
    ("select sal id from emp where id = 1", [(5000,)]),
    ("select id * 2 twice from emp order by twice + 0 desc", [(8,), (6,), (4,), (2,)]),
    # rows before they are sorted
    ("select id from emp where rownum <= 2 order by id desc", [(2,), (1,)]),
    ("select rownum, id from (select id from emp order by id desc) where rownum <= 2",
     [(1, 4), (2, 3)]),
    ("select rownum r, id from emp order by id desc", [(4, 4), (3, 3), (2, 2), (1, 1)]),
    # rows are limited before a window, an order, groups or DISTINCT see them
    ("select id, count(*) over () from emp where rownum <= 2", [(1, 2), (2, 2)]),
    ("select count(*) over () from emp where rownum <= 3", [(3,), (3,), (3,)]),
    ("select count(*) over (partition by dept) from emp where rownum <= 2", [(1,), (1,)]),
    ("select id, count(*) over () from emp where rownum <= 2 union all select 9, 9 from dual",
     [(1, 2), (2, 2), (9, 9)]),
    ("select distinct count(*) over () from emp where rownum <= 3", [(3,)]),
    ("select id, row_number() over (order by id desc) from emp where rownum <= 2 order by id",
     [(1, 2), (2, 1)]),
    ("select e.id, e.c from (select id, count(*) over () c from emp where rownum <= 3) e"
     " where rownum <= 2", [(1, 3), (2, 3)]),
    ("select id, count(*) over () from (select id from emp order by id desc) where rownum <= 2",
     [(4, 2), (3, 2)]),
    ("select id from (select id from emp order by id desc) where rownum <= 2 order by id",
     [(3,), (4,)]),
    ("select id from emp where rownum <= 3 order by id desc fetch first 2 rows only",
     [(3,), (2,)]),
    # legal escapes
    ("select id from emp where name || '%' like 'KING!%' escape '!'", [(1,)]),
    ("select id from emp where name || '!' like name || '!!' escape '!' and id = 1", [(1,)]),
    # and by FETCH FIRST afterwards
    ("select id, count(*) over () from emp order by id fetch first 2 rows only",
     [(1, 4), (2, 4)]),
    ("select id, (select count(*) over () from dual) from emp where rownum <= 2",
     [(1, 1), (2, 1)]),
    # groups
    ("select dept, count(*), sum(sal) from emp group by dept order by dept",
     [(10, 1, 5000), (30, 2, Decimal("2850.5")), (None, 1, 1100)]),
    ("select upper(substr(name, 1, 1)) f, count(distinct dept) from emp"
     " group by upper(substr(name, 1, 1)) having count(*) >= 1 order by 1",
     [("A", 0), ("B", 1), ("K", 1), ("W", 1)]),
    ("select count(sal), count(*), max(name) from emp where 1 = 0", [(0, 0, None)]),
    ("select 1 from dual having count(*) = 1", [(1,)]),
    ("select distinct dept from emp order by dept", [(10,), (30,), (None,)]),
    # sets
    ("select 1 from dual union select 2 from dual minus select 1 from dual", [(2,)]),
    ("select id from emp intersect select 2 from dual", [(2,)]),
    ("select id, name from emp where id < 3 union all select 9, 'x' from dual order by 1 desc",
     [(9, "x"), (2, "Blake"), (1, "KING")]),
    ("select sal, id from emp union select 7, 99 from dual order by sal desc, 2",
     [(None, 3), (5000, 1), (Decimal("2850.5"), 2), (1100, 4), (7, 99)]),
    ("select null x, id from emp union all select sal, 0 from emp where id = 2 order by x, 2 desc",
     [(Decimal("2850.5"), 0), (None, 4), (None, 3), (None, 2), (None, 1)]),
    ("select id from (select id from emp where id > 2 union all"
     " select 12345678901234567890123 from dual union all select -98765432109876543210.5 from dual)"
     " where id > 3 or id < 1 order by id",
     [(Decimal("-98765432109876543210.5"),), (4,), (12345678901234567890123,)]),
    ("select v, n from wide where n > 1 union select v || v, n * 10 from wide where v = '9'"
     " union all select 'x', -1 from dual order by n desc fetch first 3 rows only",
     [("10", Decimal("12345678901234567890123456789012345678")), ("abc", 2),
      ("99", Decimal("1.234567890123456789"))]),
    # texts
    ("select name from emp where name like '%a%' order by name", [("Blake",), ("ward",)]),
    ("select name from emp order by name", [("ADAMS",), ("Blake",), ("KING",), ("ward",)]),
    ("select id from emp where hired = '17-NOV-81'", [(1,)]),
    ("select v from wide where t = date '2020-01-02'", [("10",)]),
    ("select e.name, f.name from emp e left join emp f on f.id = e.id + 1 and f.dept = 30"
     " where e.id <= 2 order by e.id", [("KING", "Blake"), ("Blake", "ward")]),
    ("select id from emp where dept in (select dept from emp where id = 2) order by id",
     [(2,), (3,)]),
    ("select id from emp where id in ('1', 3) order by id", [(1,), (3,)]),
    ("select id from emp e where exists (select 1 from emp f where f.id = e.id + 3)", [(1,)]),
    ("select (select max(f.sal) from emp f where f.dept = e.dept) m from emp e order by e.id",
     [(5000,), (Decimal("2850.5"),), (Decimal("2850.5"),), (None,)]),
    ("select (select f.name from emp f where f.id = e.id + 1) from emp e order by e.id",
     [("Blake",), ("ward",), ("ADAMS",), (None,)]),
    ("select id from emp where dept = (select dept from emp where name = 'KING')", [(1,)]),
    ("with w(a, b) as (select id, name from emp) select b from w where a = 1", [("KING",)]),
    ("with emp as (select id * 2 id from emp) select id from emp where id > 6", [(8,)]),
    ("with w(n) as (select 1 from dual union all select n + 1 from w where n < 3)"
     " select n from w order by n", [(1,), (2,), (3,)]),
    ("select count(*) from (select a.id, b.id from emp a, emp b)", [(16,)]),
    ("select count(*) from emp a cross join emp b join emp c on c.id = b.id", [(16,)]),
    ("select x from (select '9' x from dual union all select '10' from dual) where x > 9",
     [("10",)]),
]  # fmt: skip


@pytest.mark.parametrize(("sql", "rows"), ROWS, ids=[s for s, _ in ROWS])
def test_rows(oracle: Session, sql: str, rows: list[tuple[object, ...]]) -> None:
    assert oracle.rows(sql) == rows


ERRORS = [
    ("select name, count(*) from emp", "ORA-00937"),
    ("select name from emp group by dept", "ORA-00979"),
    ("select dept from emp group by dept order by name", "ORA-00979"),
    ("select * from emp group by id", "ORA-00979"),
    ("select dept, count(*) from emp group by 1", "ORA-00979"),
    ("select id from emp where count(*) > 1", "ORA-00934"),
    ("select id from emp a, emp b", "ORA-00918"),
    ("select a.id from emp a, emp b where a.id = b.id(+) or a.id = 1", "ORA-01719"),
    ("select 'x' from dual union select 1 from dual", "ORA-01790"),
    ("select 1, 2 from dual union select 1 from dual", "ORA-01789"),
    ("select id from emp order by 2", "ORA-01785"),
    ("select sal from emp union select 1 from dual order by 2", "ORA-01785"),
    ("select sal from emp union select 1 from dual order by sal + 1", "ORA-01785"),
    ("select sal from emp union select 1 from dual order by id", "ORA-00904"),
    ("select sal, id from emp union select 1, 2 from dual order by sal,", "ORA-00936"),
    ("select sal x, id x from emp union select 1, 2 from dual order by x", "ORA-00960"),
    ("select n x, i x from wide union select 1, 2 from dual order by 1", "ORA-03001"),
    ("select distinct dept from emp order by id", "ORA-01791"),
    ("select id from emp where name = 1", "ORA-01722"),
    ("select id from emp where hired = 1", "ORA-00932"),
    ("select id from emp where hired = 'x'", "ORA-01858|ORA-01847"),
    ("select id from emp where id", "ORA-00920"),
    ("select id = 1 from emp", "ORA-00923"),
    ("select id from emp where id is 1", "ORA-00908"),
    ("select id from emp where id in (1", "ORA-00907"),
    ("select ifnull(id, 1) from emp", "ORA-00904"),
    ("select sqlite_version() from dual", "ORA-00904"),
    ("select _rowid_ from emp", "ORA-00911"),
    ("select oid from emp", "ORA-00904"),
    ("select true from dual", "ORA-00904"),
    ('select "id" from emp', "ORA-00904"),
    ("select nothing from emp", "ORA-00904"),
    ("select sal * 2 x from emp where x > 1", "ORA-00904"),
    ("select id x from emp e where exists (select 1 from dual where x = 1)", "ORA-00904"),
    ("select upper(name) u, count(*) from emp group by u", "ORA-0(0979|0904)"),
    ("select count(*) c from emp group by dept having c > 1", "ORA-0(0979|0904)"),
    ("select id x, sal x from emp order by x", "ORA-00960"),
    ("select (select name from emp) from dual", "ORA-01427"),
    ("select id from emp where sal > (select sal from emp where id < 3)", "ORA-01427"),
    ("update emp set sal = (select f.sal from emp f where f.dept = 30)", "ORA-01427"),
    ("select (select id, name from emp where id = 1) from dual", "ORA-00913"),
    ("select (select * from emp where id = 1) from dual", "ORA-00913"),
    ("select id from emp where id in (select id, name from emp)", "ORA-00913"),
    ("select * from (select a.id, b.id from emp a, emp b)", "ORA-00918"),
    ("select id from (select a.id, b.id from emp a, emp b)", "ORA-00918"),
    ("select * from (select a.*, b.* from emp a, emp b)", "ORA-00918"),
    ("select *, 1 from emp", "ORA-00923"),
    ("select 1, * from emp", "ORA-00936"),
    ("select * from emp join wide using (id)", "ORA-03001"),
    ("select * from emp natural join wide", "ORA-03001"),
    ("select count(*) from emp a join emp b", "ORA-00905"),
    ("select count(*) from emp a left join emp b where a.id = b.id", "ORA-00905"),
    ("select count(*) from emp a cross join emp b on a.id = b.id", "ORA-00933"),
    ('select * from "emp"', "ORA-00942"),
    ("select * from main.dual", "ORA-00942"),
    ("select * from scott.dual", "ORA-00942"),
    ("select * from nobody.emp", "ORA-00942"),
    ("select coalesce(id, 'x') from emp", "ORA-00932"),
    ("select cast(55 as varchar2(1)) from dual", "ORA-25137"),
    ("set transaction read only", "ORA-03001"),
    ("commit now", "ORA-02185"),
    ("alter session set nls_numeric_characters = ',.'", "ORA-03001"),
    ("alter session set nls_date_language = 'GERMAN'", "ORA-03001"),
    ("alter session set time_zone = 'No/Where'", "ORA-01882"),
    ("create table twice (a number, a date)", "ORA-00957"),
    ("create table several (a number, b number, unique (a, b))", "ORA-03001"),
    ("create unique index several on emp (dept, sal)", "ORA-03001"),
    ("create index upper_name on emp (upper(name))", "ORA-03001"),
    ("insert into emp (id) select id, name from emp", "ORA-00913"),
    ("insert into emp (id, name) select id from emp", "ORA-00947"),
    ("select 1 from emp limit 1", "ORA-00933"),
    ("select case when 1 = 1 then 1 else 'x' end from dual", "ORA-00932"),
    ("select substr('x') from dual", "ORA-00909"),
    ("select nvl(1) from dual", "ORA-00938|ORA-00909"),
    ("select 1e200 from dual", "ORA-01426"),
    ("select 1e100 * 1e100 from dual", "ORA-01426"),
    ("select sum(n) over (order by n) from wide where n between 'a' and 2", "ORA-01722"),
    ("select to_char(sysdate, 'BLAH') from dual", "ORA-01821"),
    ("select to_char(sysdate, 'DDTH') from dual", "ORA-03001"),
    ("select to_char(sysdate, 'FF') from dual", "ORA-01821"),
    ("select to_char(1, '9A') from dual", "ORA-01481"),
    ("select to_date('2024-13-01', 'YYYY-MM-DD') from dual", "ORA-01843"),
    ("select to_date('2023-02-29', 'YYYY-MM-DD') from dual", "ORA-01839"),
    ("select to_date('2024-01-01 x', 'YYYY-MM-DD') from dual", "ORA-01830"),
    ("select to_date('2024', 'YYYY-MM') from dual", "ORA-01840"),
    ("select date '2024-02-30' from dual", "ORA-01839"),
    ("select trunc(sysdate, 'X') from dual", "ORA-01898"),
    ("select rank() from emp", "ORA-30484"),
    ("select rank() over () from emp", "ORA-30485"),
    ("insert into emp (id, name, sal) values (9, 'x', 100000)", "ORA-01438"),
    ("insert into emp (id, name) values (1000000, 'x')", "ORA-01438"),
    ("insert into emp (id, name) values (9, 'elevenchars')",
     r'ORA-12899: .*"SCOTT"."EMP"."NAME" \(actual: 11, maximum: 10\)'),
    ("insert into emp (id) values (9)", "ORA-01400"),
    (
        "update emp set name = null",
        r'ORA-01407: cannot update \("SCOTT"."EMP"."NAME"\) to NULL',
    ),
    ("insert all into emp (id) values (1) select 1 from dual", "ORA-03001.*: all"),
    ("update emp set name = ''", "ORA-01407"),
    ("insert into emp (id, name, sal) values (9, 'x', 'y')", "ORA-01722"),
    ("insert into emp values (1, 'x')", "ORA-00947"),
    ("insert into emp (id, nothing) values (1, 'x')", "ORA-00904"),
    ("insert or replace into emp (id, name) values (1, 'x')", "ORA-00925|ORA-03001"),
    ("update or ignore emp set id = 1", "ORA-00903|ORA-00971"),
    ("update emp set id = 1 where rownum = 1", "ORA-03001"),
    (
        "select e.id, count(*) over () from emp e, emp f where rownum <= 2",
        "ORA-03001.*ROWNUM with a join that is grouped, sorted or windowed",
    ),
    (
        "select id, count(*) over () from emp where rownum <= 2 connect by prior id = dept",
        "ORA-03001.*CONNECT BY with ROLLUP, or with ROWNUM",
    ),
    # LIKE's escape character stands before %, _ or itself
    ("select 1 from dual where 'a' like 'a!' escape '!'", "ORA-01424"),
    ("select 1 from dual where 'ab' like 'a!b' escape '!'", "ORA-01424"),
    ("select 1 from emp where name like name || '!' escape '!'", "ORA-01424"),
    ("select 1 from dual where 'a' like 'a' escape '!!'", "ORA-01425"),
]  # fmt: skip


def run(session: Session, sql: str) -> None:
    session.cursor.execute(sql)
    session.cursor.fetchall()


@pytest.mark.parametrize(("sql", "error"), ERRORS, ids=[s for s, _ in ERRORS])
def test_error(oracle: Session, sql: str, error: str) -> None:
    with pytest.raises(oracledb.DatabaseError, match=error):
        run(oracle, sql)


OFFSETS = [
    ("select id, nothing from emp", 'ORA-00904: "NOTHING": invalid identifier', 11),
    ("select e.nothing from emp e", 'ORA-00904: "E"."NOTHING": invalid identifier', 7),
    ("select emp.id from emp e", 'ORA-00904: "EMP"."ID": invalid identifier', 7),
    ("select id from (select id x from emp)", 'ORA-00904: "ID": invalid identifier', 7),
    ("select id from emp e where exists (select 1 from dual where nothing = e.id)",
     'ORA-00904: "NOTHING": invalid identifier', 60),
    ("select nothing(id) from emp", 'ORA-00904: "NOTHING": invalid identifier', 7),
    ("insert into emp (id, nothing) values (1, 2)", 'ORA-00904: "NOTHING"', 21),
    ("update emp set nothing = 1", 'ORA-00904: "NOTHING"', 15),
    ("select id from emp; select 1 from dual", "ORA-00911", 18),
    ("select id from no_such_table", "ORA-00942", 15),
    ("select id from emp where id = 1 id", "ORA-00933", 32),
    ("select id emp", "ORA-00923", 13),
    ("insert into emp values (1 2)", "ORA-00917", 26),
    ("select count(*) from emp group id", "ORA-00924", 31),
]  # fmt: skip


@pytest.mark.parametrize(("sql", "error", "offset"), OFFSETS, ids=[s for s, *_ in OFFSETS])
def test_an_error_says_where_it_is(oracle: Session, sql: str, error: str, offset: int) -> None:
    with pytest.raises(oracledb.DatabaseError, match=error) as raised:
        run(oracle, sql)
    assert raised.value.args[0].offset == offset


NUMBERS = [
    "98765432109876543210987654321098765432",
    "-99999999999999999999999999999999999999",
    "0.12345678901234567890123456789012345678",
    "1234567890.1234567890123456789",
    "9223372036854775807",
    "-9223372036854775808",
    "9223372036854775808",
    "1E125",
    "-1E-130",
    "123456789012345",
    "0.1",
]


@pytest.mark.parametrize("text", NUMBERS)
def test_number_comes_back_to_the_digit(oracle: Session, text: str) -> None:
    value = Decimal(text)
    assert oracle.one("select :v from dual", v=value) == value
    oracle.cursor.execute("insert into wide (n, v) values (:n, 'stored')", n=value)
    assert oracle.rows("select n from wide where v = 'stored'") == [(value,)]
    assert oracle.one("select count(*) from wide where n = :n", n=value) == 1
    oracle.connection.rollback()


def test_scale_is_rounded_to(oracle: Session) -> None:
    oracle.cursor.execute("insert into emp (id, name, sal) values (9.4, 'x', 1.005)")
    oracle.cursor.execute("update emp set sal = '12.345' where id = 1")
    assert oracle.rows("select id, sal from emp where id in (1, 9) order by id") == [
        (1, Decimal("12.35")),
        (9, Decimal("1.01")),
    ]
    oracle.connection.rollback()


def test_a_bind_has_the_type_of_its_value(oracle: Session) -> None:
    by_id = "select name from emp where id = :b"
    assert oracle.one(by_id, b=1) == "KING"
    assert oracle.one(by_id, b=" 1 ") == "KING"
    assert oracle.rows(by_id, b=None) == []
    assert oracle.rows(by_id, b=Decimal("12345678901234567890")) == []
    assert oracle.one(by_id, b=2) == "Blake"
    larger = "select count(*) from emp where id < :b"
    assert oracle.one(larger, b=Decimal("12345678901234567890")) == 4
    assert oracle.one(larger, b="3") == 2
    with pytest.raises(oracledb.DatabaseError, match="ORA-01722"):
        oracle.rows(by_id, b="x")
    with pytest.raises(oracledb.DatabaseError, match="ORA-01722"):
        oracle.rows("select id from emp where name = :b", b=1)
    by_day = "select id from emp where hired = :b"
    assert oracle.rows(by_day, b=datetime.datetime(1981, 11, 17)) == [(1,)]
    assert oracle.rows(by_day, b="17-NOV-81") == [(1,)]


@pytest.mark.parametrize(
    "call", ["upper(:t)", "lpad(:t, 9999)", "replace(:t, 'x', 'xy')", ":t || :t"]
)
def test_texts_that_get_too_long(oracle: Session, call: str) -> None:
    with pytest.raises(oracledb.DatabaseError, match="ORA-01489"):
        oracle.rows(f"select {call} from dual", t="x" * 30000)
    assert oracle.one("select upper(:t) from dual", t="x" * 4000) == "X" * 4000


def test_rows_of_a_query_are_converted_too(oracle: Session) -> None:
    oracle.cursor.execute("insert into emp (id, name, sal) select '1' || id, id, '7.777' from emp")
    assert oracle.rows("select id, name, sal from emp where id > 10 and rownum = 1") == [
        (11, "1", Decimal("7.78"))
    ]
    oracle.connection.rollback()


def test_the_session_has_its_own_date_format(oracle: Session) -> None:
    oracle.cursor.execute("alter session set nls_date_format = 'YYYY-MM-DD'")
    assert oracle.one("select 'on ' || date '2024-05-07' from dual") == "on 2024-05-07"
    assert oracle.rows("select id from emp where hired = '1981-11-17'") == [(1,)]
    oracle.cursor.execute("alter session set nls_date_format = 'DD-MON-RR'")


def test_a_statement_that_fails_undoes_itself_alone(oracle: Session) -> None:
    oracle.cursor.execute("update emp set sal = 1 where id = 4")
    # The third row has no such number: two have been changed by then.
    with pytest.raises(oracledb.DatabaseError, match="ORA-01722"):
        oracle.cursor.execute("update wide set i = v where n is not null")
    with pytest.raises(oracledb.DatabaseError, match="ORA-01476"):
        oracle.cursor.execute("delete from emp where id < 1 / (3 - id)")
    assert oracle.one("select sal from emp where id = 4") == 1
    assert oracle.one("select count(*) from emp") == 4
    assert oracle.one("select i from wide where v = '10'") == 9007199254740993
    oracle.connection.rollback()
    assert oracle.one("select sal from emp where id = 4") == 1100


def test_a_table_of_a_query_has_its_types(oracle: Session) -> None:
    oracle.cursor.execute(
        "create table made as select id, name n, sal * 2 twice, sysdate now from emp"
    )
    assert (
        oracle.one("select count(*) from made where twice > '9' and now > date '2020-01-01'") == 3
    )
    for values in ("'x', 'n', 1, sysdate", "1, 'elevenchars', 1, sysdate", "1, 'n', 1, 'x'"):
        with pytest.raises(oracledb.DatabaseError, match=r"ORA-0(1722|1858)|ORA-12899"):
            oracle.cursor.execute(f"insert into made values ({values})")
    oracle.cursor.execute("drop table made")
    with pytest.raises(oracledb.DatabaseError, match="ORA-01722"):
        oracle.cursor.execute("create table made as select to_number(name) n from emp")
    with pytest.raises(oracledb.DatabaseError, match="ORA-00942"):
        oracle.rows("select * from made")


@pytest.mark.parametrize(
    "sql",
    [
        "select x from (select case when dept = 30 then sal end x from emp) order by 1 desc",
        "select v.n from (select sal * 1 n from emp where id = 3) v",
        "select x y from (select max(sal) x from emp where 1 = 0)",
        "with w as (select null x from dual union all select 1 from dual) select x from w",
        "with w(a, b) as (select 'x', sum(sal) from emp where 1 = 0) select b from w",
        "select (select sal from emp where id = 3) from dual",
    ],
)
def test_a_number_is_one_also_where_the_first_row_has_none(oracle: Session, sql: str) -> None:
    assert oracle.rows(sql)[0] == (None,)
    assert oracle.cursor.description[0][1] is oracledb.DB_TYPE_NUMBER


def test_a_column_of_a_set_has_the_values_of_all_its_queries(oracle: Session) -> None:
    short = "select name, dept from emp where id = 1"
    longer = "select 'longer than ten', 123456.75 from dual"
    described = [
        (oracledb.DB_TYPE_VARCHAR, 4000, None, None),
        (oracledb.DB_TYPE_NUMBER, None, 0, -127),
    ]
    for query in (
        f"{short} union all {longer}",
        f"{longer} union all {short}",
        f"select * from ({short} union all {longer})",
        f"with w as ({longer} union all {short}) select * from w",
    ):
        rows = oracle.rows(query)
        assert sorted(rows) == [("KING", 10), ("longer than ten", Decimal("123456.75"))]
        assert [(d[1], d[3], d[4], d[5]) for d in oracle.cursor.description] == described
    oracle.cursor.execute(f"create table of_set as {short} union all {longer}")
    oracle.cursor.execute("insert into of_set values ('eleven chars', 1234567)")
    assert oracle.one("select count(*) from of_set where dept > 123456.5") == 2
    oracle.cursor.execute("drop table of_set")


def test_lengths_in_characters(oracle: Session) -> None:
    oracle.cursor.execute("create table long_names (n varchar2(3 char) unique, b varchar2(3 byte))")
    oracle.cursor.execute("insert into long_names values ('äöü', 'abc')")
    assert oracle.rows("select n, length(n) from long_names") == [("äöü", 3)]
    for values in ("'vier', 'a'", "'a', 'äö'"):
        with pytest.raises(oracledb.DatabaseError, match="ORA-12899"):
            oracle.cursor.execute(f"insert into long_names values ({values})")
    oracle.cursor.execute("drop table long_names")


@pytest.mark.parametrize(
    ("expression", "name"),
    [
        ("upper('a b')||1e2", "UPPER('AB')||1E2"),
        ("case when 1 = 1 then 'x' end", "CASEWHEN1=1THEN'X'END"),
        ('1 "As It Is"', "As It Is"),
        ("dual.dummy", "DUMMY"),
    ],
)
def test_the_name_of_an_expression_is_its_text(oracle: Session, expression: str, name: str) -> None:
    oracle.rows(f"select {expression} from dual")
    assert [d[0] for d in oracle.cursor.description] == [name]


def test_a_statement_has_one_time(oracle: Session) -> None:
    [[times, first]] = oracle.rows(
        "select count(distinct to_char(systimestamp, 'SS.FF')), max(to_char(systimestamp, 'SS.FF'))"
        " from sys.obj$"
    )
    assert times == 1
    assert oracle.one("select to_char(systimestamp, 'SS.FF') from dual") != first


def test_the_session_parameters_are_those_that_were_set(oracle: Session) -> None:
    shown = "select value from nls_session_parameters where parameter = 'NLS_DATE_FORMAT'"
    oracle.cursor.execute("alter session set nls_date_format = 'YYYY-MM-DD' time_zone = '+01:00'")
    assert oracle.one(shown) == "YYYY-MM-DD"
    assert oracle.one("select sessiontimezone from dual") == "+01:00"
    oracle.cursor.execute("alter session set nls_date_format = 'DD-MON-RR' time_zone = '+00:00'")
    assert oracle.one(shown) == "DD-MON-RR"
