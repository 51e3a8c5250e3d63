# SPDX-License-Identifier: GPL-2.0-or-later
"""INTERVALs: literals, functions and arithmetic, as Oracle documents them and Python computes."""

from __future__ import annotations

import datetime
import random
from datetime import timedelta

import oracledb
import pytest

from .conftest import Session


def ym(months: int) -> oracledb.IntervalYM:
    years, rest = divmod(abs(months), 12)
    sign = -1 if months < 0 else 1
    return oracledb.IntervalYM(sign * years, sign * rest)


def at(text: str) -> datetime.datetime:
    return datetime.datetime.fromisoformat(text)


# of dual, with binds
BOUND: list[tuple[str, list[object], object]] = [
    (":1 * 2", [timedelta(2)], timedelta(4)),
    ("2 * :1", [timedelta(2)], timedelta(4)),
    (":1 / 2", [timedelta(3)], timedelta(1.5)),
    (":1 * :2", [timedelta(2), 1.5], timedelta(3)),
    (":1 * :2", [3, timedelta(2)], timedelta(6)),
    ("(:1 + :2) * :3", [timedelta(1), timedelta(2), 2], timedelta(6)),
    (":1 * 2", [3], 6),
    (":1 * 2", ["3"], 6),
    ("case when :1 * 2 > interval '3' day then 1 end", [timedelta(2)], 1),
]


# of dual
VALUES: list[tuple[str, object]] = [
    # the examples of the SQL Language Reference
    ("interval '123-2' year(3) to month", ym(123 * 12 + 2)),
    ("interval '123' year(3)", ym(123 * 12)),
    ("interval '300' month(3)", ym(300)),
    ("interval '4' year", ym(48)),
    ("interval '50' month", ym(50)),
    ("interval '5-3' year to month + interval '20' month", ym(83)),
    ("interval '4 5:12:10.222' day to second(3)",
     timedelta(4, hours=5, minutes=12, seconds=10.222)),
    ("interval '4 5:12' day to minute", timedelta(4, hours=5, minutes=12)),
    ("interval '400 5' day(3) to hour", timedelta(400, hours=5)),
    ("interval '400' day(3)", timedelta(400)),
    ("interval '11:12:10.2222222' hour to second(7)",
     timedelta(hours=11, minutes=12, seconds=10, microseconds=222222)),
    ("interval '11:20' hour to minute", timedelta(hours=11, minutes=20)),
    ("interval '10' hour", timedelta(hours=10)),
    ("interval '10:22' minute to second", timedelta(minutes=10, seconds=22)),
    ("interval '10' minute", timedelta(minutes=10)),
    ("interval '4' day", timedelta(4)),
    ("interval '25' hour", timedelta(hours=25)),
    ("interval '40' minute", timedelta(minutes=40)),
    ("interval '120' hour(3)", timedelta(5)),
    ("interval '30.12345' second(2,4)", timedelta(seconds=30, microseconds=123500)),
    ("interval '20' day - interval '240' hour(3)", timedelta(10)),
    # signs and forms
    ("interval '-1 2:3:4' day to second", -timedelta(1, hours=2, minutes=3, seconds=4)),
    ("interval '+3' day", timedelta(3)),
    ("- interval '3' day", timedelta(-3)),
    ("interval '-1-6' year to month", ym(-18)),
    ("interval '0' day", timedelta(0)),
    ("interval '59.9999999' second", timedelta(minutes=1)),
    ("interval '1:2.5' minute to second", timedelta(minutes=1, seconds=2.5)),
    # functions
    ("numtodsinterval(1, 'DAY')", timedelta(1)),
    ("numtodsinterval(1.5, 'day')", timedelta(1.5)),
    ("numtodsinterval(90, 'minute')", timedelta(minutes=90)),
    ("numtodsinterval(-36, 'hour')", timedelta(hours=-36)),
    ("numtodsinterval(0.5, 'second')", timedelta(seconds=0.5)),
    ("numtodsinterval(1e5, 'SECOND ')", timedelta(seconds=100000)),
    ("numtodsinterval(null, 'DAY')", None),
    ("numtoyminterval(1, 'YEAR')", ym(12)),
    ("numtoyminterval(1.5, 'year')", ym(18)),
    ("numtoyminterval(-14, 'month')", ym(-14)),
    ("to_dsinterval('100 10:00:00')", timedelta(100, hours=10)),
    ("to_dsinterval('-0 00:00:01.5')", timedelta(seconds=-1.5)),
    ("to_yminterval('01-02')", ym(14)),
    ("to_yminterval('-2-03')", ym(-27)),
    ("extract(day from interval '4 5:12:10.222' day to second)", 4),
    ("extract(hour from interval '4 5:12:10.222' day to second)", 5),
    ("extract(minute from interval '4 5:12:10.222' day to second)", 12),
    ("extract(second from interval '4 5:12:10.222' day to second)", 10.222),
    ("extract(hour from interval '-4 5:12' day to minute)", -5),
    ("extract(year from interval '5-3' year to month)", 5),
    ("extract(month from interval '5-3' year to month)", 3),
    ("extract(hour from numtodsinterval(100000, 'second'))", 3),
    # with dates
    ("date '2024-01-31' + interval '1' day", at("2024-02-01")),
    ("date '2024-03-01' - interval '1' day", at("2024-02-29")),
    ("interval '1' hour + date '2024-01-31'", at("2024-01-31 01:00")),
    ("date '2024-01-31' + interval '2' month", at("2024-03-31")),
    ("date '2024-02-29' + interval '4' year", at("2028-02-29")),
    ("date '2024-03-31' - interval '1-1' year to month", None),
    ("date '2024-05-31' - interval '2' month", at("2024-03-31")),
    ("date '2024-01-01' + interval '0.9' second", at("2024-01-01")),
    ("date '2024-01-01' + numtodsinterval(30, 'minute') * 3", at("2024-01-01 01:30")),
    ("trunc(timestamp '2024-05-06 07:08:09') + interval '8:30' hour to minute",
     at("2024-05-06 08:30")),
    ("timestamp '2024-01-31 10:00:00' - interval '1 2:3:4.5' day to second",
     at("2024-01-30 07:56:55.500")),
    ("timestamp '2024-01-31 10:00:00.25' + interval '1' month - interval '1' month", None),
    ("timestamp '2024-01-30 10:00:00.25' + interval '2' month", at("2024-03-30 10:00:00.25")),
    ("timestamp '2024-01-02 00:00:00' - timestamp '2024-01-01 00:00:00.5'",
     timedelta(seconds=86399.5)),
    ("timestamp '2024-01-01 00:00:00' - timestamp '2024-01-02 00:00:00.5'",
     -timedelta(seconds=86400.5)),
    ("timestamp '2024-01-30 12:00:00' - date '2024-01-01'", timedelta(29.5)),
    ("date '2024-01-30' - date '2024-01-01'", 29),
    ("extract(day from systimestamp - (systimestamp - interval '3' day))", 3),
    ("case when sysdate - interval '1' day < sysdate then 1 end", 1),
    # multiples and comparisons
    ("interval '1' day * 2.5", timedelta(2.5)),
    ("2 * interval '1:30' hour to minute", timedelta(hours=3)),
    ("interval '1' day / 3", timedelta(hours=8)),
    ("interval '1' year * 1.5", ym(18)),
    ("interval '1-1' year to month / 2", ym(6)),
    ("case when interval '24' hour = interval '1' day then 'same' end", "same"),
    ("case when interval '-1' day < interval '1' second then 'less' end", "less"),
    ("case when interval '1' year > interval '11' month then 'more' end", "more"),
    ("case when interval '5' minute between interval '1' minute and interval '1' hour"
     " then 1 end", 1),
    ("greatest(interval '1' day, interval '30' hour)", timedelta(hours=30)),
    ("(select max(x) from (select interval '1' day x from dual union all"
     " select interval '2' day from dual))", timedelta(2)),
    ("nvl(null, interval '1' day)", timedelta(1)),
    ("interval '1' day + null", None),
    ("coalesce(interval '1' day, interval '2' day)", timedelta(1)),
]  # fmt: skip
NO_SUCH_DAY = {
    "date '2024-03-31' - interval '1-1' year to month",
    "timestamp '2024-01-31 10:00:00.25' + interval '1' month - interval '1' month",
}

ERRORS = [
    *((value, "ORA-01839") for value in sorted(NO_SUCH_DAY)),
    ("date '2024-01-31' + interval '1' month", "ORA-01839"),
    ("interval '123' year", "ORA-01873"),
    ("interval '100' day", "ORA-01873"),
    ("interval '1000' hour(3)", "ORA-01873"),
    ("interval '1 24' day to hour", "ORA-01850"),
    ("interval '1:60' hour to minute", "ORA-01851"),
    ("interval '1:60' minute to second", "ORA-01852"),
    ("interval '1-12' year to month", "ORA-01843"),
    ("interval 'x' day", "ORA-01867"),
    ("interval '1 2' day", "ORA-01867"),
    ("interval '' day", "ORA-01867"),
    ("interval '1:2' day to hour", "ORA-01867"),
    ("interval '1' fortnight", "ORA-30089"),
    ("interval '1' day to month", "ORA-30089"),
    ("interval '1' hour to day", "ORA-30089"),
    ("interval '1' day(10)", "ORA-30088"),
    ("numtodsinterval(1, 'YEAR')", "ORA-01760"),
    ("numtoyminterval(1, 'DAY')", "ORA-01760"),
    ("numtodsinterval(1e10, 'DAY')", "ORA-01873"),
    ("to_dsinterval('1')", "ORA-01867"),
    ("to_dsinterval('P1D')", "ORA-03001.*8601"),
    ("to_yminterval('1-13')", "ORA-01843"),
    ("interval '1' day + interval '1' month", "ORA-00932"),
    ("interval '1' day + 1", "ORA-00932"),
    ("interval '1' day * interval '1' day", "ORA-00932"),
    ("1 / interval '1' day", "ORA-00932"),
    ("interval '1' day - sysdate", "ORA-00932"),
    ("interval '1' day / 0", "ORA-01476"),
    ("extract(month from interval '1' day)", "ORA-30076"),
    ("extract(day from interval '1' year)", "ORA-30076"),
    ("to_char(interval '1' day)", "ORA-03001.*INTERVAL as text"),
    ("date '9999-12-31' + interval '1' day", "ORA-01841"),
]


@pytest.mark.parametrize(("value", "wanted"), [row for row in VALUES if row[0] not in NO_SUCH_DAY])
def test_value(oracle: Session, value: str, wanted: object) -> None:
    found = oracle.one(f"select {value} from dual")
    if isinstance(wanted, float):
        assert abs(found - wanted) < 1e-9
    else:
        assert found == wanted


@pytest.mark.parametrize(("value", "error"), ERRORS)
def test_error(oracle: Session, value: str, error: str) -> None:
    with pytest.raises(oracledb.DatabaseError, match=error):
        oracle.rows(f"select {value} from dual")


def test_intervals_are_described_and_kept_as_they_are(oracle: Session) -> None:
    oracle.cursor.execute("create table spans (d interval day to second, y interval year to month)")
    oracle.cursor.execute("insert into spans values (interval '1' day, interval '2' year)")
    oracle.cursor.execute("insert into spans values (numtodsinterval(3, 'hour') / 2, null)")
    oracle.rows("select interval '1' day, interval '1' year, systimestamp - systimestamp from dual")
    assert [d[1] for d in oracle.cursor.description] == [
        oracledb.DB_TYPE_INTERVAL_DS,
        oracledb.DB_TYPE_INTERVAL_YM,
        oracledb.DB_TYPE_INTERVAL_DS,
    ]
    assert oracle.rows("select d, y from spans order by d desc") == [
        (timedelta(1), ym(24)),
        (timedelta(hours=1.5), None),
    ]
    assert oracle.rows("select y from spans where d >= :span", span=timedelta(hours=2)) == [
        (ym(24),)
    ]
    assert oracle.one("select count(*) from spans where d + d = interval '3' hour") == 1
    oracle.connection.rollback()


def test_random_arithmetic_is_that_of_python(oracle: Session) -> None:
    chance = random.Random(183)
    for _ in range(60):
        a, b = (
            timedelta(
                chance.randrange(-900, 900),
                chance.randrange(86400),
                chance.choice([0, chance.randrange(1_000_000)]),
            )
            for _ in range(2)
        )
        begin = datetime.datetime(2001, 3, 4) + timedelta(seconds=chance.randrange(10**9))
        [row] = oracle.rows(
            "select :a + :b, :a - :b, cast(:t as timestamp) + :a,"
            " (cast(:t as timestamp) + :b) - cast(:t as timestamp),"
            " case when :a < :b then -1 when :a = :b then 0 else 1 end from dual",
            a=a,
            b=b,
            t=begin,
        )
        assert row == (a + b, a - b, begin + a, b, (a > b) - (a < b))


def test_intervals_of_blocks(oracle: Session) -> None:
    oracle.cursor.execute(
        "declare d date := date '2024-01-01'; s interval day to second := interval '36' hour;"
        " begin d := d + s; if d <> to_date('2024-01-02 12', 'YYYY-MM-DD HH24')"
        " or extract(day from s) <> 1 then raise_application_error(-20001, d); end if; end;"
    )


@pytest.mark.parametrize(("expression", "binds", "value"), BOUND)
def test_a_bind(oracle: Session, expression: str, binds: list[object], value: object) -> None:
    assert oracle.cursor.execute(f"select {expression} from dual", binds).fetchall() == [(value,)]


def test_a_statement_has_the_types_of_its_binds_each_time(oracle: Session) -> None:
    for bound, value in ((3, 6), (timedelta(2), timedelta(4)), (None, None), (4, 8)):
        assert oracle.cursor.execute("select :1 * 2 from dual", [bound]).fetchall() == [(value,)]
