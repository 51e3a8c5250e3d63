# SPDX-License-Identifier: GPL-2.0-or-later
"""Known answers: what Oracle's manuals say of functions, formats, NULLs, groups and windows.

Many statements in one session, so that they cost little."""

from __future__ import annotations

import datetime
from datetime import timedelta

import oracledb

from .conftest import Lab, Session


def at(text: str) -> datetime.datetime:
    return datetime.datetime.fromisoformat(text)


def answer(session: Session, statement: str) -> object:
    """The rows, or the error."""
    try:
        return session.cursor.execute(statement).fetchall()
    except oracledb.DatabaseError as error:
        return str(error).split("\nHelp:")[0]


# of dual
VALUES: list[tuple[str, object]] = [
    ("mod(11,4)", 3),
    ("mod(-11,4)", -3),
    ("mod(11,-4)", 3),
    ("mod(11,0)", 11),
    ("remainder(11,4)", -1),
    ("remainder(5,2)", 1),
    ("remainder(-11,4)", 1),
    ("round(15.193,-1)", 20),
    ("trunc(15.79,-1)", 10),
    ("trunc(-15.79)", -15),
    ("ceil(15.7)", 16),
    ("ceil(-15.7)", -15),
    ("floor(15.7)", 15),
    ("floor(-15.7)", -16),
    ("sign(-15)", -1),
    ("sign(0)", 0),
    ("abs(-15)", 15),
    ("power(3,2)", 9),
    ("power(-2,3)", -8),
    ("power(0,0)", 1),
    ("bitand(6,3)", 2),
    ("bitand(-1,7)", 7),
    ("greatest('HARRY','HARRIOT','HAROLD')", "HARRY"),
    ("least('HARRY','HARRIOT','HAROLD')", "HAROLD"),
    ("greatest(1,null)", None),
    ("q'[it's]'", "it's"),
    ("Q'!a''b!'", "a''b"),
    ("q'{a}b}'||q'(x)'||q'<y'>'", "a}bxy'"),
    ("q'a1a'||q'é2é'||q'*3*'||q''4''", "1234"),
    ("q'[]'", None),
    ("length(q'[a''b]')", 4),
    ("to_char(date q'[2020-01-02]','YY')||extract(day from interval q'!3!' day)", "203"),
    ("trim('''' from '''a''')||trim(q'[']' from q'['b']')", "ab"),
    ("1e-130/10", 0),
    ("100*1.0", 100),
    ("12345678901234567890*98765432109876543210", 1219326311370217952237463801111263526900),
    ("power(2,100)", 1267650600228229401496703205376),
    ("1/7*7", 1),
    ("chr(67)||chr(65)||chr(84)", "CAT"),
    ("ascii('Q')", 81),
    ("concat('a','b')", "ab"),
    ("concat('a',null)", "a"),
    ("initcap('the soap')", "The Soap"),
    ("initcap('o''reilly mc-donald x1y')", "O'Reilly Mc-Donald X1y"),
    ("lower('MR')", "mr"),
    ("lpad('Page 1',15,'*.')", "*.*.*.*.*Page 1"),
    ("lpad('abc',2)", "ab"),
    ("lpad('a',3,'')", None),
    ("lpad('a',0)", None),
    ("lpad('',3,'x')", None),
    ("rpad('MORRISON',12,'ab')", "MORRISONabab"),
    ("ltrim('<=====>BROWNING<=====>', '<>=')", "BROWNING<=====>"),
    ("rtrim('<=====>BROWNING<=====>', '<>=')", "<=====>BROWNING"),
    ("ltrim('  a')", "a"),
    ("trim('  a ')", "a"),
    ("trim('x' from 'xxaxx')", "a"),
    ("replace('JACK and JUE','J','BL')", "BLACK and BLUE"),
    ("replace('abc','b')", "ac"),
    ("replace('abc',null,'x')", "abc"),
    ("replace('aaa','aa','a')", "aa"),
    ("substr('ABCDEFG',3,4)", "CDEF"),
    ("substr('ABCDEFG',-5,4)", "CDEF"),
    ("substr('ABCDEFG',0,2)", "AB"),
    ("substr('ABCDEFG',8)", None),
    ("substr('ABC',2,0)", None),
    ("substr('ABC',-4)", None),
    ("substr('ABC',1.9,1.9)", "A"),
    ("translate('SQL*Plus User''s Guide', ' */''', '___')", "SQL_Plus_Users_Guide"),
    ("translate('abc','ab','x')", "xc"),
    ("translate('abc','abc','')", None),
    ("instr('CORPORATE FLOOR','OR', 3, 2)", 14),
    ("instr('CORPORATE FLOOR','OR', -3, 2)", 2),
    ("instr('abc','')", None),
    ("instr('abc','d')", 0),
    ("instr('abcabc','c',-1)", 6),
    ("instr('abc','a',0)", 0),
    ("length('CANDIDE')", 7),
    ("lengthb('ä')", 2),
    ("upper('ß')", "ß"),
    ("vsize('x')", 1),
    ("nvl(null,'x')", "x"),
    ("nvl2('a',1,2)", 1),
    ("nvl2(null,1,2)", 2),
    ("coalesce(null,null,3)", 3),
    ("nullif(1,1)", None),
    ("nullif(1,2)", 1),
    ("decode(1,1,'a','b')", "a"),
    ("decode(null,null,'n','x')", "n"),
    ("decode(3,1,'a',2,'b')", None),
    ("case when null is null then 1 end", 1),
    ("add_months(date '2024-01-31',1)", at("2024-02-29")),
    ("add_months(date '2023-01-31',1)", at("2023-02-28")),
    ("add_months(date '2024-02-29',12)", at("2025-02-28")),
    ("add_months(date '2024-02-29',-12)", at("2023-02-28")),
    ("add_months(date '2024-04-30',1)", at("2024-05-31")),
    ("last_day(date '2024-02-10')", at("2024-02-29")),
    ("months_between(date '2024-03-31',date '2024-02-29')", 1),
    ("next_day(date '2009-10-15','TUESDAY')", at("2009-10-20")),
    ("next_day(date '2009-10-20','TUE')", at("2009-10-27")),
    ("round(date '1992-10-27','YEAR')", at("1993-01-01")),
    ("trunc(date '1992-10-27','YEAR')", at("1992-01-01")),
    ("round(date '2024-02-16','MONTH')", at("2024-03-01")),
    ("round(date '2024-02-15','MONTH')", at("2024-02-01")),
    ("round(date '2024-05-16','Q')", at("2024-07-01")),
    ("round(date '2024-05-15','Q')", at("2024-04-01")),
    ("trunc(date '2024-05-16','Q')", at("2024-04-01")),
    ("trunc(date '2024-05-16','IW')", at("2024-05-13")),
    ("trunc(date '2024-05-16','WW')", at("2024-05-13")),
    ("trunc(date '2024-05-16','W')", at("2024-05-15")),
    ("trunc(date '2024-05-16','DAY')", at("2024-05-12")),
    ("trunc(date '2024-05-16','CC')", at("2001-01-01")),
    ("trunc(date '2024-05-16','IYYY')", at("2024-01-01")),
    ("round(date '2024-05-16','IW')", at("2024-05-13")),
    ("round(date '2024-05-16','D')", at("2024-05-19")),
    ("to_char(date '2024-12-30','IYYY-IW')", "2025-01"),
    ("to_char(date '2021-01-03','IYYY IW WW W D DDD J')", "2020 53 01 1 1 003 2459218"),
    ("to_char(date '2024-02-05','Day, DD Month YYYY')", "Monday   , 05 February  2024"),
    ("to_char(date '2024-02-05','fmDay, DD Month YYYY')", "Monday, 5 February 2024"),
    ("to_char(to_date('13:05','HH24:MI'),'HH:MI AM')", "01:05 PM"),
    ("to_char(to_date('00:05','HH24:MI'),'HH:MI P.M.')", "12:05 A.M."),
    ("to_char(date '2024-02-05'+0.5,'SSSSS')", "43200"),
    ("to_char(timestamp '2024-02-05 01:02:03.456789','FF3 FF FF9')", "456 456789 456789000"),
    ("to_char(timestamp '2024-02-05 01:02:03.456789','HH24:MI:SS.FF2')", "01:02:03.45"),
    ("to_date('31-DEC-99','DD-MON-RR')", at("1999-12-31")),
    ("to_date('01-JAN-49','DD-MON-RR')", at("2049-01-01")),
    ("to_date('01-JAN-50','DD-MON-RR')", at("1950-01-01")),
    ("to_date('2024 60','YYYY DDD')", at("2024-02-29")),
    ("to_date('2460000','J')", at("2023-02-24")),
    ("to_date('2024/01/05','YYYY-MM-DD')", at("2024-01-05")),
    ("to_date('2024-1-5','YYYY-MM-DD')", at("2024-01-05")),
    ("to_date('20240105','YYYY-MM-DD')", at("2024-01-05")),
    ("to_date('5 January 2024','DD MON YYYY')", at("2024-01-05")),
    ("to_date('05JAN2024','DDMONYYYY')", at("2024-01-05")),
    (
        "to_timestamp('2024-01-05 10:11:12.5','YYYY-MM-DD HH24:MI:SS.FF')",
        at("2024-01-05 10:11:12.500000"),
    ),
    ("extract(month from date '2024-05-16')", 5),
    ("date '2024-03-01'-date '2024-02-01'", 29),
    ("date '2024-03-01'-1/24", at("2024-02-29 23:00:00")),
    ("to_char(date '2024-03-01'+1/86400,'HH24:MI:SS')", "00:00:01"),
    ("to_char(-5,'S99')", " -5"),
    ("cast('5.6' as number(3))", 6),
    ("cast('abc' as varchar2(2))", "ab"),
    ("cast(date '2024-01-05' as varchar2(20))", "05-JAN-24"),
    ("cast(5 as char(3))||'|'", "5  |"),
    ("to_char(1234.567,'9,999.99')", " 1,234.57"),
    ("to_char(-1234.567,'9,999.99')", "-1,234.57"),
    ("to_char(.5,'0.99')", " 0.50"),
    ("to_char(.5,'9.99')", "  .50"),
    ("to_char(0,'9.99')", "  .00"),
    ("to_char(1234,'999')", "####"),
    ("to_char(12,'0999')", " 0012"),
    ("to_char(12,'9990')", "   12"),
    ("to_char(-12,'9990PR')", "  <12>"),
    ("to_char(12,'9990PR')", "   12 "),
    ("to_char(12,'S9990')", "  +12"),
    ("to_char(12,'9990S')", "  12+"),
    ("to_char(12,'9990MI')||'|'", "  12 |"),
    ("to_char(12,'fm9990')", "12"),
    ("to_char(12.50,'fm9990.99')", "12.5"),
    ("to_char(12,'fm9990.00')", "12.00"),
    ("to_char(255,'XX')", " FF"),
    ("to_char(255,'xxxx')", "   ff"),
    ("to_char(255,'fm0xxx')", "00ff"),
    ("to_char(1234567,'9.99EEEE')", "  1.23E+06"),
    ("to_char(0.00012,'9.9EEEE')", "  1.2E-04"),
    ("to_char(123,'$999')", " $123"),
    ("to_char(0,'$999')", "   $0"),
    ("to_char(123.456,'TM')", "123.456"),
    ("to_char(1e10,'TM')", "10000000000"),
    ("to_char(1e-10)", ".0000000001"),
    ("to_char(1e125)", "1.000000000000000000000000000000000E+125"),
    ("to_char(0.1)", ".1"),
    ("to_char(123,'9G9G9')", " 1,2,3"),
    ("to_char(99.99,'99')", "###"),
    ("to_char(99.99,'99.9')", "#####"),
    ("to_char(null,'9')", None),
    ("to_number(' 5 ')", 5),
    ("to_number('5-','9MI')", -5),
    ("to_number('<5>','9PR')", -5),
    ("to_number('$5','$9')", 5),
    ("to_number('1e3')", 1000),
    ("to_number('5.')", 5),
    ("to_number('')", None),
    ("sys_context('userenv','current_schema')", "SCOTT"),
    ("hextoraw('4A')", b"J"),
    ("dump(12.5)", "Typ=2 Len=3: 193,13,51"),
    ("to_dsinterval('1 00:00:00')", timedelta(1, 0)),
    ("trunc(date '2024-05-16' + 5/24, 'HH')", at("2024-05-16 05:00:00")),
    ("trunc(date '2024-05-16' + 5/24+1/1440, 'MI')", at("2024-05-16 05:01:00")),
    ("interval '1' day * 1.5", timedelta(1, 43200)),
    ("numtodsinterval(90,'minute')", timedelta(0, 5400)),
    ("'a'||1||null||2.50", "a12.5"),
    ("'abc' || date '2024-01-05'", "abc05-JAN-24"),
    ("1||''", "1"),
    ("-'5'", -5),
    ("'5'*'2'", 10),
    ("'5'+5", 10),
    ("trim(5)", "5"),
    ("length(12345.60)", 7),
    ("substr(12345,2,2)", "23"),
    ("upper(123)", "123"),
    ("lpad(7,3,0)", "007"),
    ("abs('-3')", 3),
    ("greatest(date '2024-01-01',date '2023-01-01')", at("2024-01-01")),
    ("nvl(to_char(null),'x')", "x"),
    ("lower(null)", None),
    ("sum(1)", 1),
    ("max('a')", "a"),
    ("count(null)", 0),
    ("count(distinct 1)", 1),
    ("avg(2)", 2),
    ("to_char(sum(1.5))", "1.5"),
    ("to_date('01-JAN-2024','DD-MON-RR')", at("2024-01-01")),
    ("to_date('01-JAN-2024','DD-MON-YY')", at("2024-01-01")),
    ("to_date('01-JAN-2024','DD-MM-YYYY')", at("2024-01-01")),
    ("to_date('01-01-2024','DD-MM-YY')", at("2024-01-01")),
    ("to_date('2024-01-05','YY-MM-DD')", at("2024-01-05")),
    ("to_date('240105','YYMMDD')", at("2024-01-05")),
    ("to_date('January 5','MON DD')", at("2026-01-05")),
    ("to_char(12,'')", None),
    ("to_char(date '2024-02-05','YYYY\"AD\"')", "2024AD"),
    ("to_date('2024 366','YYYY DDD')", at("2024-12-31")),
    ("to_char(to_date('2024-01-01 3661','YYYY-MM-DD SSSSS'),'HH24:MI:SS')", "01:01:01"),
    ("to_date('99-01-05','YY-MM-DD')", at("2099-01-05")),
    ("to_date('5 January 2024','DD MM YYYY')", at("2024-01-05")),
    ("to_date('01-JAN-2024 10:11','DD-MON-RR HH24:MI')", at("2024-01-01 10:11:00")),
    ("to_date('0024-01-05','YYYY-MM-DD')", at("0024-01-05")),
    ("to_date('12/31/1999','MM/DD/YY')", at("1999-12-31")),
    ("case when 1 = any (1,2) then 1 end", 1),
    ("case when 3 <> all (1,2) then 1 end", 1),
    ("case when 3 <> all (1,null) then 1 else 0 end", 0),
    ("case when 1 = some (select 1 from dual) then 1 end", 1),
    ("case when 1 <> all (select 2 from dual) then 1 end", 1),
]

ERRORS: list[tuple[str, str]] = [
    ("sqrt(26)", "ORA-03001: unimplemented feature: SQRT"),
    ("log(2,8)", "ORA-03001: unimplemented feature: LOG"),
    ("1e125*10", "ORA-01426: numeric overflow"),
    ("nq'[a]'", "ORA-03001: unimplemented feature: a literal of the national character set"),
    ("n'a'", "ORA-03001: unimplemented feature: a literal of the national character set"),
    ("to_char(date '2024-02-05','YEAR')", "ORA-03001: unimplemented feature: date format"),
    ("to_date('20240230','YYYYMMDD')", "ORA-01839: date not valid for month specified"),
    ("to_date('2024-13-01','YYYY-MM-DD')", "ORA-01843: not a valid month"),
    (
        "to_date('2024-01-05 10','YYYY-MM-DD')",
        "ORA-01830: date format picture ends before converting entire input string",
    ),
    ("to_char(485,'RN')", "ORA-03001: unimplemented feature: number format"),
    ("to_char(485,'fmrn')", "ORA-03001: unimplemented feature: number format"),
    ("to_char(12,'99V99')", "ORA-03001: unimplemented feature: number format"),
    ("to_number('FF','XX')", "ORA-03001: unimplemented feature: number format"),
    ("to_number('1,2')", "ORA-01722: invalid number"),
    ("to_number('12','9')", "ORA-01722: invalid number"),
    ("to_char(0,'B9')", "ORA-03001: unimplemented feature: number format"),
    ("to_char(12,'9z')", "ORA-01481: invalid number format model"),
    (
        "to_date('2023 366','YYYY DDD')",
        "ORA-01848: day of year must be between 1 and 365 (366 for leap year)",
    ),
    (
        "to_date('2024 0','YYYY DDD')",
        "ORA-01848: day of year must be between 1 and 365 (366 for leap year)",
    ),
    ("to_date('86400','SSSSS')", "ORA-01853: seconds in day must be between 0 and 86399"),
    ("to_date('2024 060 01','YYYY DDD MM')", "ORA-03001: unimplemented feature: date format"),
    ("to_date('01-XXX-2024','DD-MON-YYYY')", "ORA-01843: not a valid month"),
    ("to_date('2024-06-15','YYYY-Q')", "ORA-01820: format code cannot appear in date input format"),
    (
        "case when 1 > any (1,2) then 1 end",
        "ORA-03001: unimplemented feature: ANY and ALL other than = ANY and <> ALL",
    ),
    (
        "case when 1 > all (select 1 from dual) then 1 end",
        "ORA-03001: unimplemented feature: ANY and ALL other than = ANY and <> ALL",
    ),
    (
        "case when 1 <> any (1,2) then 1 end",
        "ORA-03001: unimplemented feature: ANY and ALL other than = ANY and <> ALL",
    ),
    ("sqrt(4)", "ORA-03001: unimplemented feature: SQRT"),
    ("cv()", "ORA-03001: unimplemented feature: CV"),
]

# of the tables that Oracle has always had for examples
ROWS: list[tuple[str, object]] = [
    # KEEP: an aggregate of the rows that come first or last, all of them
    ("select max(sal) keep (dense_rank first order by hiredate) from emp", [(800,)]),
    (
        "select deptno, min(sal) keep (dense_rank first order by comm) worst,"
        " max(sal) keep (dense_rank last order by comm) best"
        " from emp group by deptno order by deptno",
        [(10, 1300, 5000), (20, 800, 3000), (30, 1500, 2850)],
    ),
    (
        "select deptno, count(*) keep (dense_rank last order by sal),"
        " sum(sal) keep (dense_rank last order by job),"
        " avg(sal) keep (dense_rank first order by job desc, deptno)"
        " from emp group by deptno order by 1",
        [(10, 1, 5000, 5000), (20, 2, 2975, 2975), (30, 1, 5600, 1400)],
    ),
    (
        "select max(ename) keep (dense_rank last order by sal),"
        " min(ename) keep (dense_rank last order by sal desc nulls last) from emp where deptno=20",
        [("SCOTT", "SMITH")],
    ),
    (
        "select count(comm) keep (dense_rank first order by deptno desc),"
        " count(comm) keep (dense_rank first order by comm nulls first) from emp",
        [(4, 0)],
    ),
    (
        "select max(sal) keep (dense_rank first order by hiredate),"
        " count(*) keep (dense_rank first order by hiredate),"
        " sum(sal) keep (dense_rank first order by hiredate) from emp where 1=0",
        [(None, 0, None)],
    ),
    (
        "select deptno, max(sal) keep (dense_rank last order by hiredate)"
        " from emp group by rollup(deptno) order by 1",
        [(10, 1300), (20, 1100), (30, 950), (None, 1100)],
    ),
    (
        "select deptno from emp group by deptno"
        " having max(sal) keep (dense_rank last order by hiredate) > 1200",
        [(10,)],
    ),
    ("select max(sal) keep from emp", [(5000,)]),
    ("select max(keep) from (select 1 keep from dual)", [(1,)]),
    (
        "select max(sal) keep (rank first order by sal) from emp",
        "ORA-00907: missing right parenthesis",
    ),
    (
        "select listagg(ename) keep (dense_rank first order by sal) from emp",
        "ORA-03001: unimplemented feature: KEEP of this",
    ),
    (
        "select count(distinct sal) keep (dense_rank first order by deptno) from emp",
        "ORA-03001: unimplemented feature: KEEP of this",
    ),
    (
        "select max(sal) keep (dense_rank first order by sal) over (partition by deptno) from emp",
        "ORA-03001: unimplemented feature: OVER behind KEEP",
    ),
    (
        (
            "select deptno, count(*), sum(sal), min(sal), max(sal), avg(comm), count(comm) "
            "from emp group by deptno order by 1"
        ),
        [
            (10, 3, 8750, 1300, 5000, None, 0),
            (20, 5, 10875, 800, 3000, None, 0),
            (30, 6, 9400, 950, 2850, 550, 4),
        ],
    ),
    (
        (
            "select count(distinct job), sum(distinct deptno), avg(distinct sal) from emp "
            "where deptno=30"
        ),
        [(3, 30, 1630)],
    ),
    ("select max(ename), min(ename) from emp", [("WARD", "ADAMS")]),
    ("select sum(sal), count(*) from emp where 1=0", [(None, 0)]),
    ("select deptno from emp group by deptno having count(*) > 5", [(30,)]),
    (
        "select deptno, job, sum(sal) from emp group by rollup(deptno, job) order by 1,2",
        [
            (10, "CLERK", 1300),
            (10, "MANAGER", 2450),
            (10, "PRESIDENT", 5000),
            (10, None, 8750),
            (20, "ANALYST", 6000),
            (20, "CLERK", 1900),
            (20, "MANAGER", 2975),
            (20, None, 10875),
            (30, "CLERK", 950),
            (30, "MANAGER", 2850),
            (30, "SALESMAN", 5600),
            (30, None, 9400),
            (None, None, 29025),
        ],
    ),
    (
        (
            "select ename, rank() over (order by sal desc), dense_rank() over (order by sal "
            "desc), row_number() over (order by sal desc, ename) from emp where deptno=20 "
            "order by 4"
        ),
        [
            ("FORD", 1, 1, 1),
            ("SCOTT", 1, 1, 2),
            ("JONES", 3, 2, 3),
            ("ADAMS", 4, 3, 4),
            ("SMITH", 5, 4, 5),
        ],
    ),
    (
        (
            "select ename, sum(sal) over (partition by deptno order by hiredate) from emp "
            "where deptno=10 order by hiredate"
        ),
        [("CLARK", 2450), ("KING", 7450), ("MILLER", 8750)],
    ),
    (
        (
            "select ename, lag(sal) over (order by sal, ename), lead(sal,2,0) over (order by "
            "sal, ename) from emp where deptno=10 order by sal"
        ),
        [("MILLER", None, 5000), ("CLARK", 1300, 0), ("KING", 2450, 0)],
    ),
    (
        (
            "select ename, first_value(ename) over (partition by deptno order by sal desc), "
            "last_value(ename) over (partition by deptno order by sal) from emp where "
            "deptno=10 order by ename"
        ),
        [("CLARK", "KING", "CLARK"), ("KING", "KING", "KING"), ("MILLER", "KING", "MILLER")],
    ),
    (
        (
            "select ename, ntile(3) over (order by sal, empno) from emp where deptno=30 "
            "order by sal, empno"
        ),
        [("JAMES", 1), ("WARD", 1), ("MARTIN", 2), ("TURNER", 2), ("ALLEN", 3), ("BLAKE", 3)],
    ),
    (
        "select ename, count(*) over () from emp where deptno=10 order by 1",
        [("CLARK", 3), ("KING", 3), ("MILLER", 3)],
    ),
    ("select deptno from dept minus select deptno from emp", [(40,)]),
    ("select deptno from emp intersect select deptno from dept order by 1", [(10,), (20,), (30,)]),
    ("select null from dual union select null from dual", [(None,)]),
    ("select ename from emp where comm = null", []),
    ("select ename from emp where comm <> 300 order by 1", [("MARTIN",), ("TURNER",), ("WARD",)]),
    (
        "select ename from emp where not (comm = 300) order by 1",
        [("MARTIN",), ("TURNER",), ("WARD",)],
    ),
    ("select ename from emp where comm in (300, null) order by 1", [("ALLEN",)]),
    ("select ename from emp where comm not in (300, null)", []),
    ("select ename from emp where mgr not in (select mgr from emp)", []),
    (
        (
            "select ename from emp e where not exists (select 1 from emp m where m.mgr = "
            "e.empno) and deptno=10"
        ),
        [("MILLER",)],
    ),
    (
        "select ename from emp order by comm, ename fetch first 5 rows only",
        [("TURNER",), ("ALLEN",), ("WARD",), ("MARTIN",), ("ADAMS",)],
    ),
    (
        "select ename from emp order by comm desc, ename fetch first 3 rows only",
        [("ADAMS",), ("BLAKE",), ("CLARK",)],
    ),
    (
        (
            "select ename from emp order by comm desc nulls last, ename offset 1 rows fetch "
            "next 2 rows only"
        ),
        [("WARD",), ("ALLEN",)],
    ),
    (
        (
            "select d.dname, e.ename from dept d left join emp e on d.deptno=e.deptno and "
            "e.sal>2900 order by 1,2"
        ),
        [
            ("ACCOUNTING", "KING"),
            ("OPERATIONS", None),
            ("RESEARCH", "FORD"),
            ("RESEARCH", "JONES"),
            ("RESEARCH", "SCOTT"),
            ("SALES", None),
        ],
    ),
    (
        (
            "select d.dname, count(e.empno) from emp e right join dept d on "
            "d.deptno=e.deptno group by d.dname order by 1"
        ),
        [("ACCOUNTING", 3), ("OPERATIONS", 0), ("RESEARCH", 5), ("SALES", 6)],
    ),
    (
        (
            "select d.dname, e.ename from dept d, emp e where d.deptno=e.deptno(+) and "
            "e.job(+)='CLERK' order by 1,2"
        ),
        [
            ("ACCOUNTING", "MILLER"),
            ("OPERATIONS", None),
            ("RESEARCH", "ADAMS"),
            ("RESEARCH", "SMITH"),
            ("SALES", "JAMES"),
        ],
    ),
    ("select count(*) from emp full join dept using (deptno)", [(15,)]),
    (
        "select deptno, count(*) from emp natural join dept group by deptno order by 1",
        [(10, 3), (20, 5), (30, 6)],
    ),
    ("select count(*) from emp cross join dept", [(56,)]),
    (
        ("select rownum, ename from (select ename from emp order by sal desc) where rownum <= 3"),
        [(1, "KING"), (2, "SCOTT"), (3, "FORD")],
    ),
    ("select ename from emp where rownum > 1", []),
    ("select ename from emp where rownum = 1 order by ename desc", [("SMITH",)]),
    (
        (
            "select sys_connect_by_path(ename,'/') from emp where ename='ADAMS' start with "
            "mgr is null connect by prior empno=mgr"
        ),
        [("/KING/JONES/SCOTT/ADAMS",)],
    ),
    ("select ename from emp where ename like 'S%' order by 1", [("SCOTT",), ("SMITH",)]),
    (
        "select ename from emp where ename like '_A%' order by 1",
        [("JAMES",), ("MARTIN",), ("WARD",)],
    ),
    ("select 1 from dual where 'a%b' like 'a\\%b' escape '\\'", [(1,)]),
    ("select 1 from dual where 'abc' like 'ABC'", []),
    ("select 1 from dual where '' is null", [(1,)]),
    ("select 1 from dual where '' = ''", []),
    ("select 1 from dual where 'a' < 'B'", []),
    ("select 1 from dual where 'Z' < 'a'", [(1,)]),
    ("select 1 from dual where 'a ' = 'a'", [(1,)]),
    ("select 1 from dual where cast('a' as char(3)) = 'a'", [(1,)]),
    ("select 1 from dual where 10 > '9'", [(1,)]),
    ("select 1 from dual where '10' > '9'", []),
    ("select 1 from dual where 5 between 5 and 1", []),
    ("select 1 from dual where 5 between 1 and 5", [(1,)]),
    ("select decode(sal, null, 'n', sal) from emp where empno=7839", [("5000",)]),
    (
        (
            "select case deptno when 10 then 'A' when 20 then 'B' end c, count(*) from emp "
            "group by case deptno when 10 then 'A' when 20 then 'B' end order by 1"
        ),
        [("A", 3), ("B", 5), (None, 6)],
    ),
    (
        (
            "select ename, case when sal > 2500 then 'high' when sal > 1500 then 'mid' else "
            "'low' end from emp where deptno=10 order by 1"
        ),
        [("CLARK", "mid"), ("KING", "high"), ("MILLER", "low")],
    ),
    (
        ("select (select dname from dept d where d.deptno=e.deptno) from emp e where empno=7839"),
        [("ACCOUNTING",)],
    ),
    (
        "select (select deptno from dept) from dual",
        "ORA-01427: single-row subquery returns more than one row",
    ),
    ("select (select deptno from dept where 1=0) from dual", [(None,)]),
    (
        (
            "with a as (select deptno, sum(sal) s from emp group by deptno), b as (select "
            "max(s) m from a) select deptno from a, b where s = m"
        ),
        [(20,)],
    ),
    (
        (
            "select deptno, listagg(ename, ',') within group (order by ename) from emp where "
            "deptno=10 group by deptno"
        ),
        [(10, "CLARK,KING,MILLER")],
    ),
    (
        (
            "select ename from emp where (deptno, sal) in (select deptno, max(sal) from emp "
            "group by deptno) order by 1"
        ),
        [("BLAKE",), ("FORD",), ("KING",), ("SCOTT",)],
    ),
    ("select ename from emp where sal = some (800) order by 1", [("SMITH",)]),
    (
        (
            "select to_char(hiredate,'YYYY') y, count(*) from emp group by "
            "to_char(hiredate,'YYYY') order by y"
        ),
        [("1980", 1), ("1981", 10), ("1982", 1), ("1987", 2)],
    ),
    (
        "select distinct job from emp order by job",
        [("ANALYST",), ("CLERK",), ("MANAGER",), ("PRESIDENT",), ("SALESMAN",)],
    ),
    (
        "select job from emp group by job order by count(*) desc, job",
        [("CLERK",), ("SALESMAN",), ("MANAGER",), ("ANALYST",), ("PRESIDENT",)],
    ),
    ('select ename as "Name" from emp order by "Name" desc fetch first 1 row only', [("WARD",)]),
    ("select ename n from emp where n = 'KING'", 'ORA-00904: "N": invalid identifier'),
    (
        "select ename, sal*12 annual from emp where deptno=10 order by annual",
        [("MILLER", 15600), ("CLARK", 29400), ("KING", 60000)],
    ),
    ("select nvl(comm,0)+sal from emp where empno in (7369,7499) order by 1", [(800,), (1900,)]),
    (
        "select greatest(sal, nvl(comm,0)) from emp where deptno=30 order by 1",
        [(950,), (1250,), (1400,), (1500,), (1600,), (2850,)],
    ),
    (
        "select count(*), count(comm), count(all comm), count(distinct comm) from emp",
        [(14, 4, 4, 4)],
    ),
    (
        ("select deptno, min(hiredate), max(hiredate) from emp group by deptno having deptno = 10"),
        [(10, at("1981-06-09"), at("1982-01-23"))],
    ),
    (
        (
            "select empno from emp where hiredate between date '1981-12-01' and date "
            "'1981-12-31' order by 1"
        ),
        [(7900,), (7902,)],
    ),
    (
        ("select trunc(months_between(date '1990-01-01', hiredate)/12) from emp where empno=7369"),
        [(9,)],
    ),
    (
        "select hiredate + 1, hiredate - date '1980-12-17' from emp where empno=7369",
        [(at("1980-12-18"), 0)],
    ),
    ("select date '1981-01-01' - hiredate from emp where empno=7369", [(15,)]),
    (
        "select ename from emp where lower(ename) like '%a%' and rownum < 3 order by 1",
        [("ALLEN",), ("WARD",)],
    ),
    ("select 1 from emp where 1/0 = 1", "ORA-01476: divisor is equal to zero"),
    ("select max(sal) from emp group by deptno order by max(sal)", [(2850,), (3000,), (5000,)]),
    ("select deptno, max(sal) from emp", "ORA-00937: not a single-group group function"),
    ("select deptno, sal from emp group by deptno", "ORA-00979: not a GROUP BY expression"),
    ("select 'x' from dual group by 'x'", [("x",)]),
    ("select count(*) from (select distinct deptno, job from emp)", [(9,)]),
    ("select x.* from (select 1 a, 2 b from dual) x", [(1, 2)]),
    (
        (
            "select emp.ename, dept.dname from emp join dept on emp.deptno = dept.deptno "
            "where dname = 'ACCOUNTING' order by 1"
        ),
        [("CLARK", "ACCOUNTING"), ("KING", "ACCOUNTING"), ("MILLER", "ACCOUNTING")],
    ),
    ("select deptno from emp e, dept d", "ORA-00918: column ambiguously defined"),
    ("select nosuch from emp", 'ORA-00904: "NOSUCH": invalid identifier'),
    ("select ename from nosuch", "ORA-00942: table or view does not exist"),
    ("select ename, from emp", "ORA-00936: missing expression"),
    ("select ename emp", "ORA-00923: FROM keyword not found where expected"),
    (
        "select regexp_replace(ename,'[AEIOU]','') from emp where deptno=10 order by 1",
        [("CLRK",), ("KNG",), ("MLLR",)],
    ),
    ("select level from dual connect by level <= 3 order by level desc", [(3,), (2,), (1,)]),
    ("select dump(sal) from emp where empno=7369", [("Typ=2 Len=2: 194,9",)]),
    ("select ename from emp where empno = 07369", [("SMITH",)]),
    ("select ename from emp where empno = '7369'", [("SMITH",)]),
    ("select ename from emp where ename = 7369", "ORA-01722: invalid number"),
    (
        "select ename || ' ' || sal || ' ' || comm from emp where deptno=10 order by 1",
        [("CLARK 2450 ",), ("KING 5000 ",), ("MILLER 1300 ",)],
    ),
    ("select 1 as level from dual", "ORA-00923: FROM keyword not found where expected"),
    (
        "select distinct deptno, count(*) over (partition by deptno) from emp order by 1",
        [(10, 3), (20, 5), (30, 6)],
    ),
    (
        (
            "select job, deptno, sum(sal) from emp group by grouping sets ((job),(deptno)) "
            "order by 1,2"
        ),
        [
            ("ANALYST", None, 6000),
            ("CLERK", None, 4150),
            ("MANAGER", None, 8275),
            ("PRESIDENT", None, 5000),
            ("SALESMAN", None, 5600),
            (None, 10, 8750),
            (None, 20, 10875),
            (None, 30, 9400),
        ],
    ),
    ("select ename from emp where empno = (select max(empno) from emp)", [("MILLER",)]),
    (
        (
            "select ename from emp where deptno = 10 union select dname from dept where "
            "deptno = 10 order by 1"
        ),
        [("ACCOUNTING",), ("CLARK",), ("KING",), ("MILLER",)],
    ),
    (
        "select ename from emp where deptno = 10 order by nosuch",
        'ORA-00904: "NOSUCH": invalid identifier',
    ),
    (
        "select ename from emp order by 2",
        "ORA-01785: ORDER BY item must be the number of a SELECT-list expression",
    ),
    (
        "select ename from emp order by 0",
        "ORA-01785: ORDER BY item must be the number of a SELECT-list expression",
    ),
]

EMP = """
7369 SMITH CLERK 7902 1980-12-17 800 - 20
7499 ALLEN SALESMAN 7698 1981-02-20 1600 300 30
7521 WARD SALESMAN 7698 1981-02-22 1250 500 30
7566 JONES MANAGER 7839 1981-04-02 2975 - 20
7654 MARTIN SALESMAN 7698 1981-09-28 1250 1400 30
7698 BLAKE MANAGER 7839 1981-05-01 2850 - 30
7782 CLARK MANAGER 7839 1981-06-09 2450 - 10
7788 SCOTT ANALYST 7566 1987-04-19 3000 - 20
7839 KING PRESIDENT - 1981-11-17 5000 - 10
7844 TURNER SALESMAN 7698 1981-09-08 1500 0 30
7876 ADAMS CLERK 7788 1987-05-23 1100 - 20
7900 JAMES CLERK 7698 1981-12-03 950 - 30
7902 FORD ANALYST 7566 1981-12-03 3000 - 20
7934 MILLER CLERK 7782 1982-01-23 1300 - 10
"""
DEPT = "10 ACCOUNTING,20 RESEARCH,30 SALES,40 OPERATIONS"


def test_values_and_errors(lab: Lab) -> None:
    session = lab.connect()
    got = [
        (expression, answer(session, f"select {expression} from dual"))
        for expression, _ in [*VALUES, *ERRORS]
    ]
    wanted: list[tuple[str, object]] = [
        *((expression, [(value,)]) for expression, value in VALUES),
        *ERRORS,
    ]
    assert [one for one in got if one not in wanted] == []


def test_rows(lab: Lab) -> None:
    session = lab.connect()
    cursor = session.cursor
    cursor.execute(
        "create table emp (empno number(4) primary key, ename varchar2(10), job varchar2(9),"
        " mgr number(4), hiredate date, sal number(7, 2), comm number(7, 2), deptno number(2))"
    )
    cursor.execute("create table dept (deptno number(2) primary key, dname varchar2(14))")
    for row in EMP.split("\n")[1:-1]:
        cursor.execute(
            "insert into emp values (:1, :2, :3, :4, to_date(:5, 'YYYY-MM-DD'), :6, :7, :8)",
            [None if word == "-" else word for word in row.split()],
        )
    for row in DEPT.split(","):
        cursor.execute("insert into dept values (:1, :2)", row.split())
    got = [(statement, answer(session, statement)) for statement, _ in ROWS]
    assert [one for one in got if one not in ROWS] == []
