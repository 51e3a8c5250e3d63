# SPDX-License-Identifier: GPL-2.0-or-later
"""BINARY_DOUBLE and BINARY_FLOAT keep every bit, and calculate as IEEE 754 and Oracle's two rules
say: no -0, and one NaN that equals itself and is greater than all else."""

from __future__ import annotations

import math
import struct
from typing import Any

import oracledb
import pytest

from .conftest import Session

DOUBLE, FLOAT = oracledb.DB_TYPE_BINARY_DOUBLE, oracledb.DB_TYPE_BINARY_FLOAT
INFINITY, NAN = math.inf, math.nan
DOUBLES = [
    0.1 + 0.2, 0.1, 1 / 3, -1.5, 2**53 + 2.0, 1.7976931348623157e308, 2.2250738585072014e-308,
    5e-324, -5e-324, 4.9e-320, 1e300, 1e-300, INFINITY, -INFINITY, NAN, 0.0, 123456789.123456789,
]  # fmt: skip
FLOATS = [
    struct.unpack("f", struct.pack("f", value))[0]
    for value in (0.1, 1 / 3, -1.5, 16777217.0, 3.4028234663852886e38, 1.4e-45, 1.2e-38, 0.0)
] + [INFINITY, -INFINITY, NAN]


def bits(value: float) -> bytes:
    return struct.pack("d", NAN if math.isnan(value) else value)


def bound(session: Session, sql: str, value: Any, db_type: Any) -> Any:
    cursor = session.connection.cursor()
    cursor.setinputsizes(db_type)
    cursor.execute(sql, [value])
    return cursor.fetchone()


@pytest.mark.parametrize("value", DOUBLES, ids=repr)
def test_a_double_keeps_every_bit(session: Session, value: float) -> None:
    (got,) = bound(session, "select :1 from dual", value, DOUBLE)
    assert bits(got) == bits(value)
    (got,) = bound(session, "select -(-:1) * 1 + 0 from dual", value, DOUBLE)
    assert bits(got) == bits(value)


@pytest.mark.parametrize("value", FLOATS, ids=repr)
def test_a_float_keeps_every_bit(session: Session, value: float) -> None:
    (got,) = bound(session, "select :1 from dual", value, FLOAT)
    assert bits(got) == bits(value)


def test_there_is_no_negative_zero(session: Session) -> None:
    for db_type in (DOUBLE, FLOAT):
        (got,) = bound(session, "select :1 from dual", -0.0, db_type)
        assert bits(got) == bits(0.0)


def test_columns_keep_every_bit(session: Session) -> None:
    cursor = session.cursor
    cursor.execute("create table bits (n number, d binary_double, f binary_float)")
    cursor.setinputsizes(None, DOUBLE, FLOAT)
    rows = [(n, DOUBLES[n], FLOATS[n % len(FLOATS)]) for n in range(len(DOUBLES))]
    cursor.executemany("insert into bits values (:1, :2, :3)", rows)
    got = cursor.execute("select n, d, f from bits order by n").fetchall()
    described = [column[1].name for column in cursor.description[1:]]
    assert described == ["DB_TYPE_BINARY_DOUBLE", "DB_TYPE_BINARY_FLOAT"]
    assert [(n, bits(d), bits(f)) for n, d, f in got] == [(n, bits(d), bits(f)) for n, d, f in rows]
    ordered = session.rows("select d from bits order by d")
    finite = sorted(value for value in DOUBLES if not math.isnan(value))
    assert [bits(value) for (value,) in ordered] == [bits(value) for value in [*finite, NAN]]
    assert math.isnan(session.one("select max(d) from bits"))
    assert session.one("select min(d) from bits") == -INFINITY
    for n, value in enumerate(DOUBLES):
        found = bound(session, "select n from bits where d = :1", value, DOUBLE)
        assert found == (n,)
    types = session.rows("select data_type, data_length from user_tab_columns where column_id > 1")
    assert types == [("BINARY_DOUBLE", 8), ("BINARY_FLOAT", 4)]


def test_returning_keeps_every_bit(session: Session) -> None:
    cursor = session.cursor
    cursor.execute("create table returned (d binary_double)")
    out = cursor.var(DOUBLE)
    for value in DOUBLES:
        cursor.setinputsizes(DOUBLE, out)
        cursor.execute("insert into returned values (:1) returning d into :2", [value, out])
        assert bits(out.getvalue()[0]) == bits(value)
    cursor.setinputsizes(DOUBLE)
    cursor.execute("update returned set d = :1 where d = 0.1d", [0.1 + 0.2])
    assert cursor.rowcount == 1
    assert session.one("select count(*) from returned where d = 0.30000000000000004d") == 2


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("0.1d + 0.2d", 0.1 + 0.2),
        ("0.1d + 0.2", 0.1 + 0.2),
        ("0.1f + 0.2d", FLOATS[0] + 0.2),
        ("1d / 3", 1 / 3),
        ("1d / 0", INFINITY),
        ("-1d / 0", -INFINITY),
        ("0d / 0", NAN),
        ("1e308d * 10", INFINITY),
        ("5e-324d / 2", 0.0),
        ("-(1e308d * 10)", -INFINITY),
        ("binary_double_infinity - binary_double_infinity", NAN),
        ("binary_float_nan", NAN),
        ("1f / 3f", FLOATS[1]),
        ("16777216f + 1f", 16777216.0),
        ("to_binary_double('0.1') * 3", 0.1 * 3),
        ("cast(1 as binary_double) / 3", 1 / 3),
        ("to_number(1.25d)", 1.25),
        ("nvl(1d / 0, 1)", INFINITY),
        ("coalesce(null, 0.30000000000000004d)", 0.1 + 0.2),
        ("decode(1, 1, 0.1d, 2)", 0.1),
    ],
)
def test_arithmetic(session: Session, expression: str, value: float) -> None:
    assert bits(session.one(f"select {expression} from dual")) == bits(value)


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        ("binary_double_nan = binary_double_nan", True),
        ("binary_double_nan > binary_double_infinity", True),
        ("binary_double_nan > 1", True),
        ("0.1d + 0.2d = 0.3", False),
        ("0.1d + 0.2d > 0.3d", True),
        ("0.1d = 0.1", True),
        ("0.1f = 0.1", True),
        ("0.1f = 0.1d", False),
        ("-0d = 0", True),
        ("'1.5' = 1.5d", True),
        ("1e300d > 1e125", True),
    ],
)
def test_comparisons(session: Session, condition: str, holds: bool) -> None:
    assert bool(session.rows(f"select 1 from dual where {condition}")) == holds


def test_sums(session: Session) -> None:
    session.cursor.execute("create table sums (d binary_double)")
    session.cursor.setinputsizes(DOUBLE)
    session.cursor.executemany("insert into sums values (:1)", [(0.1,)] * 10)
    total = 0.0
    for _ in range(10):
        total += 0.1
    [(got, average)] = session.rows("select sum(d), avg(d) from sums")
    assert (bits(got), bits(average)) == (bits(total), bits(total / 10))


@pytest.mark.parametrize(
    ("sql", "error"),
    [
        ("select to_number(0.1d) from dual", "ORA-03001"),
        ("select to_number(1d / 0) from dual", "ORA-01426"),
        ("select to_char(0.1d) from dual", "ORA-03001"),
        ("select 0.1d || 'x' from dual", "ORA-03001"),
        ("select abs(-0.1d) from dual", "ORA-03001"),
        ("select round(0.1d) from dual", "ORA-03001"),
        ("select nvl(1, 0.1d) from dual", "ORA-03001"),
        ("select decode(1, 1, 0.1f, 0.1d) from dual", "ORA-03001"),
        ("select case when 1 = 1 then 1 else 0.1d end from dual", "ORA-03001"),
        ("select 0.1d from dual union select 1 from dual", "ORA-03001"),
        ("select cast(1 as binary_double(5)) from dual", "ORA-03001"),
        ("select 1 from dual fetch first 1d rows only", "ORA-00936"),
        ("select 1e309d from dual", "ORA-01426"),
        ("select date '2024-01-01' + 0.1d from dual", "ORA-03001"),
    ],
)
def test_what_is_not_known_is_refused(session: Session, sql: str, error: str) -> None:
    with pytest.raises(oracledb.DatabaseError, match=error):
        session.rows(sql)


def test_a_number_column_takes_what_it_can_hold_exactly(session: Session) -> None:
    cursor = session.cursor
    cursor.execute("create table numbers (n number)")
    insert = "insert into numbers values (:1)"
    for value in (1.25, 1e15, -3.0):
        cursor.setinputsizes(DOUBLE)
        cursor.execute(insert, [value])
    assert session.rows("select n from numbers order by n") == [(-3,), (1.25,), (10**15,)]
    for value, error in ((0.1, "ORA-03001"), (INFINITY, "ORA-01426"), (NAN, "ORA-01426")):
        cursor.setinputsizes(DOUBLE)
        with pytest.raises(oracledb.DatabaseError, match=error):
            cursor.execute(insert, [value])


def test_the_same_statement_with_binds_of_other_types(session: Session) -> None:
    sql = "select :1 * 3 from dual"
    assert bound(session, sql, 0.1, DOUBLE) == (0.1 * 3,)
    assert bound(session, sql, 0.1, None) == (0.3,)
    assert bound(session, sql, 0.1, DOUBLE) == (0.1 * 3,)


def test_create_table_as(session: Session) -> None:
    session.cursor.execute("create table made as select 0.1d + 0.2d d, 1.5f f from dual")
    assert session.rows("select d, f from made") == [(0.1 + 0.2, 1.5)]
