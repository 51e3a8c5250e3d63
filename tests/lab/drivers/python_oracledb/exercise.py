# SPDX-License-Identifier: GPL-2.0-or-later
"""python-oracledb, any version with a thin mode: README.md describes what this program does."""

import array
import contextlib
import datetime
import decimal
import json
import math
from collections.abc import Callable
from typing import Any

import oracledb
from checks import SECTIONS, check, connect, failure, left_out, lengths, version
from ways import check_cancels, check_ways


def check_lengths(connection: Any) -> None:
    cursor = connection.cursor()
    wrong: list[object] = []
    binds = ["v1", 12.5, None, b"\0\xfe\xff", datetime.datetime(2024, 7, 1, 12, 34, 56), "é€"]
    zoned = oracledb.DB_TYPE_TIMESTAMP_TZ
    if version() < (1, 4):
        left_out("TIMESTAMP WITH TIME ZONE without a fraction, of which it sends no zone")
        zoned = oracledb.DB_TYPE_TIMESTAMP
    for n in lengths():
        cursor.setinputsizes(None, None, None, None, zoned, 4000)
        cursor.execute(f"select {' ' * n}:a s, :b n, :c, :d r, :e t, :f from dual", binds)
        if (rows := cursor.fetchall()) != [tuple(binds)]:
            wrong.append((n, rows))
    check("binds after a statement of any length", wrong[:3], [])
    wrong = []
    out, number = cursor.var(str), cursor.var(int)
    for n in lengths():
        cursor.execute(
            f"begin {' ' * n}select 'v' || :a, 7 into :b, :c from dual; end;", [n, out, number]
        )
        if (out.getvalue(), number.getvalue()) != (f"v{n}", 7):
            wrong.append((n, out.getvalue(), number.getvalue()))
    check("binds of a block of any length", wrong[:3], [])
    wrong = []
    for n in lengths():
        # A value has no more than 4,000 bytes: the rest is further columns.
        sizes = [4000] * (n // 4000) + [n % 4000]
        columns = ", ".join(f"lpad('x', {size}, 'x') c{i}" for i, size in enumerate(sizes))
        cursor.execute(f"select {columns}, level n from dual connect by level <= 3")
        rows = cursor.fetchall()
        expected = [(*("x" * size or None for size in sizes), level) for level in (1, 2, 3)]
        if rows != expected:
            wrong.append((n, len(rows)))
    check("rows of any length", wrong[:3], [])
    cursor.execute("create table lengths (n number, v varchar2(4000))")
    wrong = []
    for n in lengths():
        rows = [(i, "y" * (n * (i + 1) // 3 % 4000)) for i in range(3)]
        cursor.executemany("insert into lengths values (:1, :2)", rows)
        cursor.execute("select n, v from lengths order by n")
        if cursor.fetchall() != [(i, v or None) for i, v in rows]:
            wrong.append(n)
        connection.rollback()
    check("arrays of binds of any length", wrong[:3], [])
    wrong = []
    insert = "insert into lengths values (:1, :2) returning n + 1, v || '!' into :3, :4"
    for n in lengths():
        text = "y" * (n % 3999)
        cursor.execute(insert + " " * n, [n, text, number, out])
        if (number.getvalue(), out.getvalue()) != ([n + 1], [text + "!"]):
            wrong.append(n)
    connection.rollback()
    check("RETURNING of any length", wrong[:3], [])
    cursor.execute("drop table lengths")


def check_batches(connection: Any) -> None:
    cursor = connection.cursor()
    cursor.execute("create table batches (n number primary key, v varchar2(10))")
    insert = "insert into batches values (:1, :2)"
    for count in (1, 3000, 50000):
        cursor.executemany(insert, [(i, "x" * (i % 11)) for i in range(count)])
        check(f"rows changed by {count}", cursor.rowcount, count)
        cursor.execute("select count(*), sum(n) from batches")
        check(f"rows there of {count}", cursor.fetchone(), (count, count * (count - 1) // 2))
        connection.rollback()
    cursor.executemany(insert, [(i, "x") for i in range(6)], arraydmlrowcounts=True)
    check("counts of an insert", cursor.getarraydmlrowcounts(), [1] * 6)
    cursor.executemany(
        "update batches set v = 'y' where n < :1", [(3,), (0,), (6,)], arraydmlrowcounts=True
    )
    check("counts of an update", cursor.getarraydmlrowcounts(), [3, 0, 6])
    bad = [(7, "x"), (1, "x"), (8, "x" * 11), (9, "x")]
    cursor.executemany(insert, bad, batcherrors=True, arraydmlrowcounts=True)
    errors = [(e.offset, e.code) for e in cursor.getbatcherrors()]
    check("batch errors", errors, [(1, 1), (2, 12899)])
    check("counts with batch errors", cursor.getarraydmlrowcounts(), [1, 0, 0, 1])
    connection.rollback()
    many = [(i // 2, "x") for i in range(2000)]
    cursor.executemany(insert, many, batcherrors=True)
    offsets = [e.offset for e in cursor.getbatcherrors()]
    check("a thousand batch errors", offsets, list(range(1, 2000, 2)))
    connection.rollback()
    cursor.executemany(insert, [(0, "x"), (1, "x")])
    check("an error ends it", failure(lambda: cursor.executemany(insert, bad)), "ORA-00001")
    check("rows before the error", cursor.rowcount, 1)
    cursor.execute("select count(*) from batches")
    check("and they are there", cursor.fetchone(), (3,))
    connection.rollback()
    nowhere = [(i, "x" * 40) for i in range(3000)]
    missing = "insert into no_such_table values (:1, :2)"
    check("no such table", failure(lambda: cursor.executemany(missing, nowhere)), "ORA-00942")
    cursor.executemany("insert into batches select count(*), 'z' from batches", 5)
    check("iterations without binds", cursor.rowcount, 5)
    connection.rollback()
    cursor.execute("drop table batches")


MOMENT = datetime.datetime(2024, 7, 1, 12, 34, 56, 123456)
WHOLE = MOMENT.replace(microsecond=0)
VALUES: dict[str, tuple[Any, Any]] = {  # and the type that it is bound as, where not its own
    "int": (42, None),
    "negative": (-17, None),
    "float": (1.5, None),
    "a number of 38 digits": (12345678901234567890123456789012345678, None),
    "a large negative": (-(10**20) - 1, None),
    "a small fraction": (1e-30, None),
    "text": ("text", None),
    "text that is not ASCII": ("é€😀", None),
    "long text": ("x" * 4000, None),
    "a blank": (" ", None),
    "national text": ("é€😀", oracledb.DB_TYPE_NVARCHAR),
    "raw": (b"\x00\x01\xff", None),
    "date": (WHOLE, None),
    "the first date": (datetime.datetime(1, 1, 1), None),
    "the last date": (datetime.datetime(9999, 12, 31, 23, 59, 59), None),
    "timestamp": (MOMENT, oracledb.DB_TYPE_TIMESTAMP),
    "whole timestamp": (WHOLE, oracledb.DB_TYPE_TIMESTAMP),
    "timestamp with local zone": (MOMENT, oracledb.DB_TYPE_TIMESTAMP_LTZ),
    "timestamp with zone": (MOMENT, oracledb.DB_TYPE_TIMESTAMP_TZ),
    "binary double": (1.25, oracledb.DB_TYPE_BINARY_DOUBLE),
    "binary float": (1.25, oracledb.DB_TYPE_BINARY_FLOAT),
    "clob as text": ("c" * 3000, oracledb.DB_TYPE_LONG),
    "text of 4,001 bytes": ("x" * 4001, oracledb.DB_TYPE_LONG),
    "blob as bytes": (b"\xfe" * 1500, oracledb.DB_TYPE_LONG_RAW),
    "null": (None, None),
    "a boolean that is null": (None, oracledb.DB_TYPE_BOOLEAN),
    "interval": (datetime.timedelta(days=3, microseconds=5), oracledb.DB_TYPE_INTERVAL_DS),
    "negative interval": (-datetime.timedelta(days=3, hours=2), oracledb.DB_TYPE_INTERVAL_DS),
}


def check_types(connection: Any) -> None:
    for name, (value, db_type) in VALUES.items():
        cursor = connection.cursor()
        if db_type is not None:
            cursor.setinputsizes(db_type)
        try:
            cursor.execute("select :1 from dual", [value])
            got = cursor.fetchone()[0]
        except oracledb.Error as error:
            got = str(error).split("\n")[0]
        check(name, got, value)
    mixed = [decimal.Decimal("123456789.123456789"), True, ""]
    cursor.execute("select :1, :2, :3, cast(null as varchar2(3)) from dual", mixed)
    check("a decimal, a boolean, no text", cursor.fetchone(), (123456789.123456789, 1, None, None))
    check_intervals(connection)
    check_binary_numbers(connection)
    cursor.execute("select 1 from dual")
    check("the session lives", cursor.fetchone(), (1,))


def check_intervals(connection: Any) -> None:
    cursor = connection.cursor()
    span = datetime.timedelta(days=3, hours=2, microseconds=5)
    cursor.execute("create table intervals (a interval day to second, b interval year to month)")
    if hasattr(oracledb, "IntervalYM"):
        months = oracledb.IntervalYM(years=-1, months=-2)
        cursor.execute("insert into intervals values (:1, :2)", [span, months])
        cursor.execute("select a, b from intervals order by a")
        check("columns of intervals", cursor.fetchall(), [(span, months)])
    else:
        left_out("INTERVAL YEAR TO MONTH, which it does not read")
        cursor.execute("insert into intervals (a) values (:1)", [span])
        cursor.execute("select a from intervals")
        check("columns of intervals", cursor.fetchall(), [(span,)])
    cursor.execute("drop table intervals")


# Every bit comes back, but that of -0, which Oracle does not have.
DOUBLES = (
    0.1 + 0.2,
    -1 / 3,
    1.7976931348623157e308,
    5e-324,
    -5e-324,
    math.inf,
    -math.inf,
    math.nan,
)
SINGLES = (0.10000000149011612, 3.4028234663852886e38, 1.401298464324817e-45, math.inf, math.nan)


def check_binary_numbers(connection: Any) -> None:
    cursor = connection.cursor()
    cursor.execute("create table bits (d binary_double, f binary_float)")
    out = cursor.var(oracledb.DB_TYPE_BINARY_DOUBLE)
    for value in (*DOUBLES, -0.0):
        cursor.setinputsizes(oracledb.DB_TYPE_BINARY_DOUBLE, out)
        sql = "insert into bits (d) values (:1) returning d into :2"
        cursor.execute(sql, [value, out])
        got = [out.getvalue()[0]]
        cursor.setinputsizes(oracledb.DB_TYPE_BINARY_DOUBLE)
        got += cursor.execute("select :1 from dual", [value]).fetchone()
        cursor.setinputsizes(oracledb.DB_TYPE_BINARY_DOUBLE)
        got += cursor.execute("select d from bits where d = :1", [value]).fetchone()
        check(f"bits of {value}", [v.hex() for v in got], [(value or 0.0).hex()] * 3)
    for value in SINGLES:
        cursor.setinputsizes(oracledb.DB_TYPE_BINARY_FLOAT)
        cursor.execute("insert into bits (f) values (:1)", [value])
        cursor.setinputsizes(oracledb.DB_TYPE_BINARY_FLOAT)
        (got,) = cursor.execute("select f from bits where f = :1", [value]).fetchone()
        check(f"bits of the single {value}", got.hex(), value.hex())
    cursor.execute("select 0.1d + 0.2d from dual")
    check("a sum", cursor.fetchone(), (0.1 + 0.2,))
    cursor.execute("drop table bits")


def check_rowids(connection: Any) -> None:
    cursor = connection.cursor()
    cursor.execute("create table rowids (n number)")
    cursor.executemany("insert into rowids values (:1)", [(n,) for n in range(1000)])
    cursor.execute("select rowid, n from rowids order by n")
    check("its type", cursor.description[0][1], oracledb.DB_TYPE_ROWID)
    rows = cursor.fetchall()
    check("different ones", len({rowid for rowid, _ in rows}), 1000)
    wrong = []
    for rowid, n in rows[::83]:
        cursor.execute("select n from rowids where rowid = :1", [rowid])
        if cursor.fetchall() != [(n,)]:
            wrong.append(n)
    check("bound as text", wrong, [])
    cursor.setinputsizes(oracledb.DB_TYPE_ROWID)
    cursor.execute("select n from rowids where rowid = :1", [rows[7][0]])
    check("bound as a ROWID", cursor.fetchall(), [(7,)])
    cursor.execute("update rowids set n = -1 where n = 9")
    check("the last one", cursor.lastrowid, rows[9][0])
    if version() < (1, 2):
        left_out("a ROWID returned: it asks for a UROWID, which the lab refuses")
    else:
        out = cursor.var(oracledb.DB_TYPE_ROWID)
        cursor.execute("delete from rowids where n = 500 returning rowid into :1", [out])
        check("returned", out.getvalue(), [rows[500][0]])
    unknown = "select n from rowids where rowid = 'nonsense'"
    check("one that is none", failure(lambda: cursor.execute(unknown).fetchall()), "ORA-01410")
    connection.rollback()
    cursor.execute("drop table rowids")


def check_lobs(connection: Any) -> None:
    cursor = connection.cursor()
    cursor.execute("create table lobs (n number, c clob, b blob)")
    insert = "insert into lobs values (:1, :2, :3)"
    values: list[tuple[int, str | None, bytes | None]] = [
        (n, "é€😀x"[n % 4] * size, bytes([n]) * size)
        for n, size in enumerate((1, 3000, 5000, 40000, 200_000))
    ]
    for n, text, data in values[:4]:
        cursor.setinputsizes(None, oracledb.DB_TYPE_CLOB, oracledb.DB_TYPE_BLOB)
        cursor.execute(insert, [n, text, data])
    for n, text, data in values[4:]:
        clob = connection.createlob(oracledb.DB_TYPE_CLOB)
        blob = connection.createlob(oracledb.DB_TYPE_BLOB)
        clob.write(text)
        blob.write(data)
        cursor.execute(insert, [n, clob, blob])
    values.append((5, None, None))
    cursor.execute(insert, [5, None, None])
    cursor.execute("select n, c, b from lobs order by n")
    described = [d[1].name for d in cursor.description]
    check("columns", described, ["DB_TYPE_NUMBER", "DB_TYPE_CLOB", "DB_TYPE_BLOB"])
    rows = [tuple(v.read() if hasattr(v, "read") else v for v in row) for row in cursor]
    check("locators", rows == values, True)
    cursor.execute("select c from lobs where n = 3")
    (clob,) = cursor.fetchone()
    check("a part", (clob.size(), clob.read(39_990, 20)), (40000, "x" * 11))
    oracledb.defaults.fetch_lobs = False
    for times in ("once", "again"):
        cursor = connection.cursor()
        cursor.arraysize = 2
        # Another text: a statement that is cached keeps how its columns were fetched.
        cursor.execute("select n, c, b from lobs order by 1")
        check(f"strings {times}", cursor.fetchall() == values, True)
    oracledb.defaults.fetch_lobs = True
    compared = "select n from lobs where c = 'x'"
    check("no comparison", failure(lambda: cursor.execute(compared)), "ORA-00932")
    cursor.execute("drop table lobs")


def check_cursors(connection: Any) -> None:
    cursor = connection.cursor()
    block = "begin open :c for select level n, :v v from dual connect by level <= 250; end;"
    for i in range(3):
        opened = connection.cursor()
        cursor.execute(block, [opened, f"v{i}"])
        check(f"cursor {i}", opened.fetchall(), [(n, f"v{i}") for n in range(1, 251)])
        opened.close()
    missing = "begin open :c for select 1 from no_such_table; end;"
    failed = failure(lambda: cursor.execute(missing, [connection.cursor()]))
    check("a cursor of no table", failed, "ORA-06550")
    cursor.execute(
        "declare a sys_refcursor; b sys_refcursor; begin"
        " open a for select 'first' x from dual; dbms_sql.return_result(a);"
        " open b for select level from dual connect by level <= 3;"
        " dbms_sql.return_result(b); end;"
    )
    results = [result.fetchall() for result in cursor.getimplicitresults()]
    check("implicit results", results, [[("first",)], [(1,), (2,), (3,)]])
    cursor.execute("select 1 from dual")
    check("the session lives", cursor.fetchone(), (1,))


def check_returning(connection: Any) -> None:
    cursor = connection.cursor()
    cursor.execute("create table returning (n number primary key, v varchar2(10))")
    number, text = cursor.var(int), cursor.var(str)
    insert = "insert into returning values (:1, :2) returning n, v || '!' into :3, :4"
    for i in range(3):
        cursor.execute(insert, [i, f"v{i}", number, text])
        check(f"insert {i}", (number.getvalue(), text.getvalue()), ([i], [f"v{i}!"]))
    change = "update returning set v = v || 'x' where n >= :1 returning n, v into :2, :3"
    cursor.execute(change, [1, number, text])
    check("update", (number.getvalue(), text.getvalue()), ([1, 2], ["v1x", "v2x"]))
    cursor.execute(change, [9, number, text])
    check("update of no row", (number.getvalue(), cursor.rowcount), ([], 0))
    taken = cursor.var(str, arraysize=3)
    cursor.setinputsizes(None, taken)
    cursor.executemany("delete from returning where n = :1 returning v into :2", [(2,), (0,), (7,)])
    check("deletes", [taken.getvalue(i) for i in range(3)], [["v2x"], ["v0"], []])
    duplicate = failure(lambda: cursor.execute(insert, [1, "x", number, text]))
    check("an error", duplicate, "ORA-00001")
    connection.rollback()
    cursor.execute("drop table returning")


def check_described(connection: Any) -> None:
    cursor = connection.cursor()
    cursor.execute("create table described (a number(5,2), b varchar2(3), c number, d date)")
    cursor.executemany("insert into described values (:1, :2, :3, null)", [(None, None, None)])
    cursor.execute("insert into described values (1.25, 'abc', 7, null)")
    cursor.execute("select * from described order by a nulls first")
    precise = [(d[0], d[1].name, d[3], d[4], d[5]) for d in cursor.description]
    check(
        "columns",
        precise,
        [
            ("A", "DB_TYPE_NUMBER", None, 5, 2),
            ("B", "DB_TYPE_VARCHAR", 3, None, None),
            ("C", "DB_TYPE_NUMBER", None, 0, -127),
            ("D", "DB_TYPE_DATE", None, None, None),
        ],
    )
    check("a null first", cursor.fetchall()[1], (1.25, "abc", 7, None))
    cursor.execute("select nullif(level, 1) n from dual connect by level <= 3")
    check("an expression", cursor.fetchall(), [(None,), (2,), (3,)])
    cursor.execute("drop table described")


def check_fetches(connection: Any) -> None:
    for size in (1, 2, 7, 100, 1000):
        cursor = connection.cursor()
        cursor.arraysize = cursor.prefetchrows = size
        cursor.execute("select level, 'row' || level from dual connect by level <= 1009")
        rows = cursor.fetchall()
        check(f"{size} rows a fetch", rows, [(i, f"row{i}") for i in range(1, 1010)])
    cursor = connection.cursor()
    cursor.arraysize = 5000
    cursor.execute("select level, lpad('x', 3000, 'x') from dual connect by level <= 5000")
    check("15 MB in one answer", sum(len(row[1]) for row in cursor), 15_000_000)


def check_blocks(connection: Any) -> None:
    cursor = connection.cursor()
    out = cursor.var(str)
    for i in range(5):
        cursor.execute("begin select 'v' || :a into :b from dual; end;", [i, out])
        check(f"out bind {i}", out.getvalue(), f"v{i}")
    typed: list[tuple[str, Any, object]] = [
        ("2.5", oracledb.DB_TYPE_NUMBER, 2.5),
        ("-2.5", oracledb.DB_TYPE_BINARY_DOUBLE, -2.5),
        ("2.5", oracledb.DB_TYPE_BINARY_FLOAT, 2.5),
        ("7", oracledb.DB_TYPE_BINARY_INTEGER, 7),
        ("'é€'", oracledb.DB_TYPE_NVARCHAR, "é€"),
        ("'é€'", oracledb.DB_TYPE_NCHAR, "é€"),
        ("'x'", oracledb.DB_TYPE_LONG, "x"),
        ("timestamp '2024-07-01 12:34:56.123456'", oracledb.DB_TYPE_TIMESTAMP, MOMENT),
        ("null", oracledb.DB_TYPE_BINARY_DOUBLE, None),
        ("1", oracledb.DB_TYPE_BOOLEAN, "ORA-03001"),
    ]
    for text, db_type, want in typed:
        typed_out = cursor.var(db_type)
        ended = failure(
            lambda text=text, out=typed_out: cursor.execute(
                f"begin select {text} into :out from dual; end;", [out]
            )
        )
        got = typed_out.getvalue() if ended == "done" else ended
        check(f"out bind of {db_type.name}", got, want)


def check_scrolling(connection: Any) -> None:
    if version() < (3, 0):
        return  # they came with 3.0
    cursor = connection.cursor(scrollable=True)
    cursor.arraysize = cursor.prefetchrows = 4
    cursor.execute("select level from dual connect by level <= 23")
    check("first", cursor.fetchone(), (1,))
    for mode, value, want in [
        ("last", 0, 23),
        ("first", 0, 1),
        ("absolute", 15, 15),
        ("relative", 4, 19),  # from the row fetched last
        ("relative", -9, 10),
        ("absolute", 2, 2),
    ]:
        cursor.scroll(value, mode)
        check(f"{mode} {value}", cursor.fetchone(), (want,))
    check("and on from there", cursor.fetchmany(4), [(3,), (4,), (5,), (6,)])
    cursor.scroll(20, "absolute")
    check("to the end", cursor.fetchall(), [(20,), (21,), (22,), (23,)])
    cursor.scroll(0, "first")
    check("and back", [row[0] for row in cursor], list(range(1, 24)))
    cursor.execute("select level from dual connect by level <= 23")
    check("once more", [row[0] for row in cursor], list(range(1, 24)))


def check_cache(connection: Any) -> None:
    cursor = connection.cursor()
    moment = datetime.datetime(2024, 7, 1, 12, 34, 56)
    values = [1, "text", None, 2.5, "x" * 4000, b"\0\1", moment, "again", None, 7]
    for i, value in enumerate(values):
        cursor.setinputsizes(None)
        cursor.execute("select :1 v from dual", [value])
        check(f"value {i} of another type", cursor.fetchall(), [(value,)])
    for round in range(2):
        wrong = []
        for n in range(60):
            cursor.execute(f"select {n} n, :1 v from dual", [n])
            if cursor.fetchall() != [(n, n)]:
                wrong.append(n)
        check(f"sixty statements, round {round}", wrong, [])
    cursor.execute("create table cached (n number)")
    for columns, row in (
        ("n number", (7,)),
        ("v varchar2(9), n number", ("seven", 8)),
        ("d date", (moment,)),
    ):
        cursor.execute("drop table cached")
        cursor.execute(f"create table cached ({columns})")
        marks = ", ".join(f":{i + 1}" for i in range(len(row)))
        cursor.execute(f"insert into cached values ({marks})", row)
        for times in ("once", "again"):
            # What a driver keeps of a query whose table is another one now.
            cursor.execute("select * from cached")
            check(f"{columns}, {times}", cursor.fetchall(), [row])
    cursor.execute("drop table cached")
    half = connection.cursor()
    half.arraysize = half.prefetchrows = 2
    half.execute("select level from dual connect by level <= 9")
    first = half.fetchmany(3)
    half.execute("select level from dual connect by level <= 9")
    check("begun again in the middle", (first, half.fetchone()), ([(1,), (2,), (3,)], (1,)))


def check_metadata(_: Any) -> None:
    """It has none of its own."""


def check_session(connection: Any) -> None:
    cursor = connection.cursor()
    connection.module, connection.action = "a module", "an action"
    connection.client_identifier = "a client"
    cursor.execute(
        "select module, action, client_identifier from v$session"
        " where sid = sys_context('userenv', 'sid')"
    )
    check("attributes", cursor.fetchone(), ("a module", "an action", "a client"))
    connection.ping()
    check("wrong password", failure(lambda: connect(password="x")), "ORA-01017")
    check("no such user", failure(lambda: connect(user="nobody")), "ORA-01017")
    check("SYSDBA", failure(lambda: connect(mode=sysdba())), "ORA-01031")
    check("proxy user", failure(lambda: connect(user="scott[hr]")), "ORA-28150")
    check("logon with a new password", failure(lambda: connect(newpassword="y")), "ORA-01031")
    change = failure(lambda: connection.changepassword("tiger", "y"))
    check("change of password", change, "ORA-01031")
    check("trace", failure(lambda: cursor.execute("alter session set sql_trace=true")), "done")
    check_refusals(connection)
    unknown = failure(lambda: cursor.execute("alter session set nosuchparam=1"))
    check("unknown parameter", unknown, "ORA-02248")
    cursor.execute("select 1 from dual")
    check("the session lives", cursor.fetchone(), (1,))


def check_refusals(connection: Any) -> None:
    """What the lab does not have is refused, and the session lives."""

    def bound(value: object, db_type: Any) -> Callable[[], object]:
        def run() -> object:
            cursor = connection.cursor()
            cursor.setinputsizes(db_type)
            return cursor.execute("select :1 from dual", [value])

        return run

    def of_schema(name: str) -> str:
        connection.current_schema = name
        return str(failure(lambda: connection.cursor().execute("select 1 from dual")))

    refused: dict[str, Callable[[], object]] = {
        "an object type": lambda: connection.gettype("SYS.ODCINUMBERLIST"),
        "a procedure": lambda: connection.cursor().callproc("nosuch", [1]),
        "a bind that is JSON": bound({"a": 1}, oracledb.DB_TYPE_JSON),
    }
    if hasattr(oracledb, "DB_TYPE_VECTOR"):
        refused["a vector"] = bound(array.array("f", [1, 2]), oracledb.DB_TYPE_VECTOR)
    if hasattr(connection, "tpc_begin") and hasattr(connection, "xid"):
        transaction = connection.xid(1, "gtrid", "bqual")
        refused["a distributed transaction"] = lambda: connection.tpc_begin(transaction)
    refused["another schema"] = lambda: of_schema("HR")
    for name, run in refused.items():
        answer = run() if name == "another schema" else failure(run)
        if version() < (2, 1) and str(answer).startswith("DPY-300"):
            left_out(f"{name}, which the driver itself refuses")
            continue
        check(f"{name} is refused", str(answer)[:4], "ORA-")
        if name == "another schema":  # the driver asks for it with each call
            check("one's own schema", of_schema("SCOTT"), "done")
        cursor = connection.cursor()
        cursor.execute("select 7 from dual")
        check(f"the session lives after {name}", cursor.fetchall(), [(7,)])


def sysdba() -> Any:
    return getattr(oracledb, "AUTH_MODE_SYSDBA", None) or oracledb.SYSDBA


CHECKS: dict[str, Callable[[Any], None]] = {
    "lengths": check_lengths,
    "batches": check_batches,
    "types": check_types,
    "rowids": check_rowids,
    "described": check_described,
    "fetches": check_fetches,
    "blocks": check_blocks,
    "scrolling": check_scrolling,
    "lobs": check_lobs,
    "cursors": check_cursors,
    "returning": check_returning,
    "cache": check_cache,
    "cancels": check_cancels,
    "ways": check_ways,
    "metadata": check_metadata,
    "session": check_session,
}


def main() -> None:
    with contextlib.closing(connect()) as connection:
        for section in SECTIONS:
            print(json.dumps({"section": section}), flush=True)
            CHECKS[section](connection)


if __name__ == "__main__":
    main()
