# SPDX-License-Identifier: GPL-2.0-or-later
"""DBMS_XPLAN.DISPLAY_CURSOR: its rows against known loops, and its gets against v$mystat."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import oracledb
import pytest

from .conftest import Lab, Session
from .sqltrace import read

HINT = "/*+ gather_plan_statistics */"
DISPLAY = "select * from table(dbms_xplan.display_cursor(:id, :child, :format))"
GETS = ("consistent gets", "db block gets")
WARNING = "   - Warning: basic plan statistics not available. These are only collected when:"


@dataclass(frozen=True)
class Row:
    operation: str  # with its indentation
    name: str
    starts: int | None = None
    rows: int | None = None
    buffers: int | None = None


def display(
    session: Session,
    format_: str | None = "ALLSTATS LAST",
    sql_id: str | None = None,
    child: int | None = None,
) -> list[str]:
    rows = session.rows(DISPLAY, id=sql_id, child=child, format=format_)
    return [line or "" for (line,) in rows]


def cells(lines: list[str]) -> list[Row]:
    """The rows of the table, whose figures may be blank."""

    def row(line: str) -> Row:
        _, _, operation, name, *figures, _ = line.split("|")
        if not figures:
            return Row(operation[1:].rstrip(), name.strip())
        starts, rows, _, buffers = (int(one) if one.strip().isdigit() else None for one in figures)
        return Row(operation[1:].rstrip(), name.strip(), starts, rows, buffers)

    return [row(line) for line in lines if line[:6].replace(" ", "").strip("|").isdigit()]


def ran(session: Session, sql: str) -> tuple[int, int, list[Row]]:
    """The second execution of `sql`: its rows, its gets by v$mystat, and what is displayed."""
    session.cursor.execute(sql)
    if session.cursor.description:
        session.cursor.fetchall()
    before = session.statistics()
    session.cursor.execute(sql)
    rows = len(session.cursor.fetchall()) if session.cursor.description else 0
    table = cells(display(session))
    after = session.statistics()
    return rows, sum(after[name] - before[name] for name in GETS), table


@pytest.fixture
def tables(lab: Lab) -> Session:
    """100 rows in A, of which 15 have X = 1, and ten in B for each of them, found by an index."""
    session = lab.connect()
    for sql in (
        "create table a (id number, x number)",
        "create table b (id number, a_id number, pad varchar2(4000))",
        "create index b_a on b (a_id)",
        "insert into a select rownum, mod(rownum, 7) from sys.obj$ where rownum <= 100",
        "insert into b select x.id * 1000 + y.id, x.id, rpad('z', 300) from a x, a y"
        " where y.id <= 10",
        "alter session set statistics_level = all",
    ):
        session.cursor.execute(sql)
    session.connection.commit()
    return session


def test_the_form(tables: Session) -> None:
    sql = "select a.x, b.pad from a, b where a.id = b.a_id and a.x = 1"
    tables.rows(sql)
    sql_id = tables.one(
        "select prev_sql_id from v$session where sid = sys_context('userenv','sid')"
    )
    lines = display(tables, "allstats last", sql_id)
    assert lines[:3] == [f"SQL_ID  {sql_id}, child number 0", "-" * 37, sql]
    assert lines[3] == ""
    assert lines[4].startswith("Plan hash value: ")
    rule = "-" * 86
    assert lines[5:10] == [
        "",
        rule,
        "| Id  | Operation                    | Name | Starts | A-Rows |   A-Time   | Buffers |",
        rule,
        lines[9],
    ]
    assert lines[9].startswith(
        "|   0 | SELECT STATEMENT             |      |      1 |    150 |00:00:"
    )
    assert {len(line) for line in lines[6:-1]} == {86}
    assert lines[-1] == rule


def test_rows_of_known_loops(tables: Session) -> None:
    """GIVEN 100 rows, THEN what is inside of their loop starts 100 times."""
    sql = "select /*+ ordered */ a.x, b.id from a, b where b.a_id = a.id and b.id > 50000"
    rows, gets, table = ran(tables, sql)
    figures = [(row.operation, row.name, row.starts, row.rows) for row in table]
    assert figures == [
        ("SELECT STATEMENT", "", 1, rows),
        (" NESTED LOOPS", "", 1, rows),
        ("  TABLE ACCESS FULL", "A", 1, 100),
        ("  TABLE ACCESS BY INDEX ROWID", "B", 100, rows),
        ("   INDEX RANGE SCAN", "B_A", 100, 1000),
    ]
    assert rows == 510
    whole, join, outer, inner, index = (row.buffers for row in table)
    assert whole == gets
    figures_known = [one for one in (whole, join, outer, inner, index) if one is not None]
    whole, join, outer, inner, index = figures_known
    assert join == outer + inner
    # The header of the data file is read for the statement; each entry's row is a get or more.
    assert whole == join + 1
    assert inner >= index + 1000


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("select count(*) from a", [(" TABLE ACCESS FULL", 1, 100)]),
        ("select count(*) from b", [(" INDEX FULL SCAN", 1, 1000)]),
        ("select x from a s where x = 1", [(" TABLE ACCESS FULL", 1, 15)]),
        (
            "select a.x from a left join b on a.id = b.a_id and b.id = 1003 where a.x < 3",
            [
                (" NESTED LOOPS OUTER", 1, 44),
                ("  TABLE ACCESS FULL", 1, 44),
                ("  TABLE ACCESS BY INDEX ROWID", 44, 1),
                ("   INDEX RANGE SCAN", 44, 440),
            ],
        ),
        (
            "select x, id from a order by x, id",
            [(" SORT ORDER BY", 1, 100), ("  TABLE ACCESS FULL", 1, 100)],
        ),
        (
            "select x, count(*) from a group by x order by 2",
            [
                (" SORT ORDER BY", 1, 7),
                ("  SORT GROUP BY", 1, None),
                ("   TABLE ACCESS FULL", 1, 100),
            ],
        ),
        (
            "select x, (select count(*) from b where b.a_id = a.id) from a",
            [
                (" TABLE ACCESS FULL", 1, 100),
                (" CORRELATED SCALAR SUBQUERY 1", 100, None),
                ("  INDEX RANGE SCAN", 100, 1000),
            ],
        ),
        ("select x from a where exists (select 1 from b where b.a_id = a.id and id < 0)", None),
        ("select max(x) from (select x from a union all select a_id from b)", None),
        ("select * from b where a_id = 7 or id in (select id from a)", None),
        ("select * from b where a_id = 7 or a_id = 9 and id > 0", None),
        ("select level from dual connect by level <= 50", None),
        ("select * from a full join b on a.id = b.a_id and b.id < 2000", None),
        ("with w as (select x, count(*) n from a group by x) select * from w p, w q", None),
        ("select x, row_number() over (order by id) from a", None),
        (
            "update a set x = x + 1 where id <= 50",
            [(" UPDATE", 1, 0), ("  TABLE ACCESS FULL", 1, 50)],
        ),
        ("update b set a_id = a_id + 1 where id < 9000", None),
        ("delete from b where a_id = 3", None),
        ("insert into a select id, x from a where x = 2", None),
        ("insert into a values (1, 2)", [(" LOAD TABLE CONVENTIONAL", 1, 0)]),
    ],
)
def test_gets_are_those_of_v_mystat(
    tables: Session, sql: str, expected: list[tuple[str, int, int | None]] | None
) -> None:
    rows, gets, table = ran(tables, sql)
    assert (table[0].rows, table[0].buffers) == (rows, gets)
    if expected:
        assert [(row.operation, row.starts, row.rows) for row in table[1:]] == expected
    # Each operation has those below it, and no two of a level have the same gets.
    depth = [len(row.operation) - len(row.operation.lstrip()) for row in table]
    for at, row in enumerate(table):
        below = 0
        for other in range(at + 1, len(table)):
            if depth[other] <= depth[at]:
                break
            if depth[other] == depth[at] + 1:
                below += table[other].buffers or 0
        assert row.buffers is None or row.buffers >= below


def test_the_rest_of_long_rows(tables: Session) -> None:
    """Is read where a column is needed, after the scan's part of the program."""
    tables.cursor.execute(
        "create table wide (id number, a varchar2(4000), b varchar2(4000), c varchar2(4000),"
        " d varchar2(4000), e varchar2(4000))"
    )
    pad = "rpad('x', 4000)"
    tables.cursor.execute(
        f"insert into wide select id, {pad}, {pad}, {pad}, {pad}, {pad} from a where id <= 10"
    )
    tables.connection.commit()
    short = ran(tables, "select id from wide")[2]
    rows, gets, table = ran(tables, "select e from wide")
    assert [row.rows for row in table] == [rows, rows]
    assert [row.buffers for row in table] == [gets, gets - 1]
    assert gets >= (short[0].buffers or 0) + rows


def test_operations_that_are_several_ranges_have_no_figures(tables: Session) -> None:
    rows, gets, table = ran(tables, "select * from b where a_id = 7 or a_id = 9 and id > 0")
    assert table[0] == Row("SELECT STATEMENT", "", 1, rows, gets)
    assert table[1].operation == " MULTI-INDEX OR"
    assert len(table) == 8
    assert all((one.starts, one.rows, one.buffers) == (None, None, None) for one in table[1:])


def test_one_cursor_of_two_operations_gives_no_figures(tables: Session) -> None:
    """GIVEN that the rows of A that nothing matched are read by the join's own cursor."""
    sql = "select a.x, b.id from b right join a on a.id = b.a_id and b.id > 50000"
    rows, gets, table = ran(tables, sql)
    assert [(row.operation, row.name, row.starts, row.rows) for row in table] == [
        ("SELECT STATEMENT", "", 1, rows),
        (" NESTED LOOPS", "", 1, None),
        ("  TABLE ACCESS FULL", "B", 1, 1000),
        ("  TABLE ACCESS FULL", "A", None, None),
        (" RIGHT-JOIN A", "", None, None),
        ("  TABLE ACCESS FULL", "A", None, None),
    ]
    assert table[0].buffers == gets
    assert [row.buffers for row in table if row.name == "A"] == [None, None]


def test_what_a_function_of_pl_sql_reads_is_its_callers(tables: Session) -> None:
    tables.cursor.execute(
        "create function seen(wanted number) return number is n number;"
        " begin select count(*) into n from b where a_id = wanted; return n; end;"
    )
    rows, gets, table = ran(tables, "select x from a where seen(id) = 10")
    assert (rows, table[0].buffers) == (100, gets)
    assert table[1].buffers == gets - 1
    assert gets > 200


def test_all_executions_and_the_last(tables: Session) -> None:
    """Also by several cursors, one after the other."""
    sql = f"select {HINT} id from a where x = :x"
    for x in (1, 2, 6):
        with tables.connection.cursor() as cursor:
            cursor.execute(sql, x=x)
            cursor.fetchall()
    sql_id = tables.one(
        "select prev_sql_id from v$session where sid = sys_context('userenv','sid')"
    )
    last = cells(display(tables, "ALLSTATS LAST", sql_id))
    every = cells(display(tables, "ALLSTATS", sql_id))
    assert [(row.starts, row.rows) for row in last] == [(1, 14), (1, 14)]
    assert [(row.starts, row.rows) for row in every] == [(3, 15 + 15 + 14), (3, 15 + 15 + 14)]
    assert [row.buffers for row in every] == [3 * (row.buffers or 0) for row in last]


def test_without_statistics(tables: Session) -> None:
    tables.cursor.execute("alter session set statistics_level = typical")
    plan = [Row("SELECT STATEMENT", ""), Row(" INDEX FULL SCAN", "B_A")]
    tables.rows("select count(*) from b")
    lines = display(tables)
    assert cells(lines) == plan
    assert WARNING in lines
    tables.rows("select count(*) from b")
    lines = display(tables, None)
    assert cells(lines) == plan
    assert WARNING not in lines
    tables.rows("select count(*) from b")
    lines = display(tables, "BASIC")
    assert lines[:3] == ["EXPLAINED SQL STATEMENT:", "-" * 24, "select count(*) from b"]
    # The session's setting counts for the next execution, also of a parsed statement.
    tables.cursor.execute("alter session set statistics_level = all")
    tables.rows("select count(*) from b")
    assert cells(display(tables))[1] == Row(" INDEX FULL SCAN", "B_A", 1, 1000, 3)
    assert tables.one("select value from v$parameter where name = 'statistics_level'") == "ALL"


@pytest.mark.parametrize(
    "statement",
    ["commit", "begin null; end;", "select * from table(dbms_xplan.display_cursor('x'))"],
)
def test_what_has_no_plan(tables: Session, statement: str) -> None:
    tables.cursor.execute(statement)
    lines = display(tables, sql_id="x" if statement.startswith("select") else None)
    assert any(line.startswith("NOTE: cannot fetch plan for SQL_ID: ") for line in lines)


@pytest.mark.parametrize(
    ("sql", "error"),
    [
        (
            "select * from table(dbms_xplan.display_cursor(format => 'ADVANCED'))",
            "ORA-03001.*format",
        ),
        ("select * from table(dbms_xplan.display_cursor(1, 2, 3, 4))", "ORA-00909"),
        ("select * from table(dbms_xplan.display_cursor(other => 1))", "ORA-00909"),
        ("select * from table(dbms_xplan.display_awr('x'))", "ORA-03001.*table"),
        ("alter session set statistics_level = basic", "ORA-03001.*basic"),
        ("alter session set statistics_level = other", "ORA-00922"),
    ],
)
def test_what_is_refused(tables: Session, sql: str, error: str) -> None:
    with pytest.raises(oracledb.DatabaseError, match=error):
        tables.rows(sql)


def test_the_same_figures_in_sql_trace(tables: Session) -> None:
    path = Path(tables.one("select value from v$diag_info where name = 'Default Trace File'"))
    tables.cursor.execute("alter session set sql_trace = true")
    sql = "select /*+ ordered */ a.x, b.pad from a, b where b.a_id = a.id"
    tables.rows(sql)
    table = cells(display(tables))
    tables.cursor.execute("alter session set sql_trace = false")
    lines = [line for line in path.read_text().splitlines() if line.startswith("STAT")]
    figures = [
        f"cnt={row.rows} {row.operation.strip()} {row.name} (cr={row.buffers} str={row.starts}"
        for row in table[1:]
    ]
    assert len(figures) == 4
    for figure, line in zip(figures, lines, strict=False):
        operation = line.split("op='")[1].split(" (")[0].strip()
        count, cr, starts = (line.split(f"{key}=")[1].split()[0] for key in ("cnt", "(cr", "str"))
        assert figure.split() == f"cnt={count} {operation} (cr={cr} str={starts}".split()
    assert read(path).statements


def test_sql_trace_of_rows_that_were_not_fetched(tables: Session) -> None:
    """GIVEN an execution that another one follows half-way, THEN each has its own figures."""
    path = Path(tables.one("select value from v$diag_info where name = 'Default Trace File'"))
    tables.cursor.execute("alter session set events '10046 trace name context forever, level 16'")
    with tables.connection.cursor() as cursor:
        cursor.arraysize, cursor.prefetchrows = 10, 0
        cursor.execute("select id from b where id > :n", n=0)
        cursor.fetchmany(10)
        cursor.execute("select id from b where id > :n", n=100_001)
        assert len(cursor.fetchall()) == 9
    tables.cursor.execute("alter session set events '10046 trace name context off'")
    counts = [rows for _, rows, _, operation in read(path).plans if operation.endswith(" B")]
    assert counts == [10, 9]
