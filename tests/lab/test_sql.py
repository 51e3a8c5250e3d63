# SPDX-License-Identifier: GPL-2.0-or-later
"""The results of statements, through an unmodified driver."""

from __future__ import annotations

import datetime
from collections.abc import Callable

import oracledb
import pytest

from .conftest import FOR_EVER, LOTSLIOS, Lab, Session

OBJECTS = 30011


def test_connect_shows_a_release(lab: Lab) -> None:
    assert lab.connect().connection.version.startswith("19.")


def test_wrong_password(lab: Lab) -> None:
    with pytest.raises(oracledb.DatabaseError, match="ORA-01017"):
        lab.connect(password="lion")


def test_unknown_user(lab: Lab) -> None:
    with pytest.raises(oracledb.DatabaseError, match="ORA-01017"):
        lab.connect(user="nobody")


def test_unknown_service(lab: Lab) -> None:
    with pytest.raises(oracledb.DatabaseError, match="ORA-12514"):
        lab.connect(service_name="nothing")


@pytest.mark.parametrize("array_size", [1, 2, 7, 100, 1000, 5000])
def test_fetch_at_array_size(session: Session, array_size: int) -> None:
    session.cursor.arraysize = array_size
    session.cursor.prefetchrows = array_size
    numbers = session.rows("select level from dual connect by level <= 2003")
    assert numbers == [(i,) for i in range(1, 2004)]


def test_rows_that_need_many_packets(session: Session) -> None:
    session.cursor.arraysize = 20_000
    rows = session.rows("select obj#, name from sys.obj$")
    assert len(rows) == OBJECTS
    assert [number for number, _ in rows] == list(range(2, OBJECTS + 2))


def test_array_size_makes_the_round_trips(lab: Lab) -> None:
    session = lab.connect()
    trips = {}
    for array_size in (10, 100, 1000):
        session.cursor.arraysize = session.cursor.prefetchrows = array_size
        spent = session.spent("select level from dual connect by level <= 9999")
        trips[array_size] = spent["SQL*Net roundtrips to/from client"]
    assert trips[10] - trips[100] == pytest.approx(900, abs=20)
    assert trips[100] - trips[1000] == pytest.approx(90, abs=20)


def test_describe(session: Session) -> None:
    session.cursor.execute("select obj#, name n, ctime, oid$, count(*) over () from sys.obj$")
    described = [(c[0], c[1]) for c in session.cursor.description]
    assert described == [
        ("OBJ#", oracledb.DB_TYPE_NUMBER),
        ("N", oracledb.DB_TYPE_VARCHAR),
        ("CTIME", oracledb.DB_TYPE_DATE),
        ("OID$", oracledb.DB_TYPE_RAW),
        ("COUNT(*)OVER()", oracledb.DB_TYPE_NUMBER),
    ]
    assert session.cursor.description[1][3] == 128


NUMBERS = [0, 1, -1, 9, 10, 99, 100, 101, 12345678901234, -100, 0.5, -0.25, 3.14159, 1e-7, 1e20]
TEXTS = ["x", "naïve €", "'", "a" * 4000]
DATES = [
    datetime.datetime(2008, 2, 29, 23, 59, 59),
    datetime.datetime(1, 1, 1),
    datetime.datetime(9999, 12, 31, 1, 2, 3),
]


@pytest.mark.parametrize("value", [*NUMBERS, *TEXTS, *DATES, b"\x00\xff\x01", None])
def test_bind_comes_back(session: Session, value: object) -> None:
    assert session.one("select :v from dual", v=value) == value


def test_timestamp_keeps_its_fraction(session: Session) -> None:
    value = datetime.datetime(2026, 1, 2, 3, 4, 5, 678901)
    session.cursor.setinputsizes(v=oracledb.DB_TYPE_TIMESTAMP)
    assert session.one("select :v from dual", v=value) == value


def test_empty_string_is_null(session: Session) -> None:
    assert session.one("select :v from dual", v="") is None
    assert session.rows("select '', nvl('', 'n'), 'a' || '' || 'b' from dual") == [
        (None, "n", "ab")
    ]


def test_binds_by_position_and_repeated_names(session: Session) -> None:
    session.cursor.execute("select :1, :2 from dual", [7, "seven"])
    assert session.cursor.fetchall() == [(7, "seven")]
    assert session.rows("select :a, :b, :a from dual", a=1, b=2) == [(1, 2, 1)]


def test_binds_count_in_the_order_of_the_text(session: Session) -> None:
    """ROWNUM's limit is found after the rest of the condition."""
    sql = "select count(*) from sys.obj$ where rownum <= :1 and :2 = 7"
    session.cursor.execute(sql, [3, 7])
    assert session.cursor.fetchall() == [(3,)]


def test_missing_bind(session: Session) -> None:
    with pytest.raises(oracledb.DatabaseError, match="DPY-4010"):
        session.rows("select :a, :b from dual", a=1)


def test_statements_are_executed_again(session: Session) -> None:
    for n in (5, 3, 8, 5):
        assert len(session.rows("select level from dual connect by level <= :n", n=n)) == n


def test_many_cursors_are_closed_again(lab: Lab) -> None:
    session = lab.connect(stmtcachesize=5)
    for i in range(1000):
        assert session.one(f"select {i} from dual") == i
    assert session.statistics()["opened cursors current"] < 20


@pytest.mark.parametrize(
    ("sql", "error"),
    [
        ("select * from no_such_table", "ORA-00942: table or view does not exist"),
        ("select nothing from dual", 'ORA-00904: "NOTHING": invalid identifier'),
        ("select 1 from dual where", "ORA-00933|ORA-00936"),
        ("select 1", "ORA-00923"),
        ("select 1 from dual limit 1", "ORA-00933"),
        ("selec 1 from dual", "ORA-00900|ORA-03001"),
        ("select (1 from dual", "ORA-00907"),
        ("select 1/0 from dual", "ORA-01476"),
        ("select to_number('x') from dual", "ORA-01722"),
        ("select sysdate + sysdate from dual", "ORA-00975"),
        ("select sysdate * 2 from dual", "ORA-00932"),
        ("select 1 - sysdate from dual", "ORA-00932"),
        ("select 'a' + 1 from dual", "ORA-01722"),
        ("select 'a' || 1 + 2 from dual", "ORA-01722"),
        ("select 1 + from dual", "ORA-00933|ORA-00936"),
        ("select rownum from dual order by rownum", "ORA-03001"),
        (
            "select a.obj#, b.obj# from sys.obj$ a, sys.obj$ b where rownum < 5 order by 1",
            "ORA-03001",
        ),
        ("delete from sys.obj$", "ORA-01031"),
        ("select 1 from t@remote", "ORA-02019"),
    ],
)
def test_errors(session: Session, sql: str, error: str) -> None:
    with pytest.raises(oracledb.DatabaseError, match=error):
        session.rows(sql)
    assert session.one("select 1 from dual") == 1


@pytest.mark.parametrize(
    ("sql", "rows"),
    [
        ("select dummy from sys.dual", [("X",)]),
        ("select 7/2, 1/4, 2 * 3 / 4 from dual", [(3.5, 0.25, 1.5)]),
        ("select count(*) from sys.obj$ where rownum < 11", [(10,)]),
        ("select count(*) from sys.obj$ where 10 >= rownum and obj# > 5", [(10,)]),
        ("select count(*) from sys.obj$ where rownum > 1", [(0,)]),
        ("select max(obj#) from sys.obj$ where rownum <= 3", [(4,)]),
        ("select obj# from sys.obj$ where rownum <= 3 order by obj# desc", [(4,), (3,), (2,)]),
        ("select rownum, obj# from sys.obj$ where rownum <= 2", [(1, 2), (2, 3)]),
        ("select obj# from (select obj# from sys.obj$ order by obj# desc) where rownum = 1",
         [(OBJECTS + 1,)]),
        ("select 1 from dual where rownum <= 1 union all select 2 from dual", [(1,), (2,)]),
        ("select 1 from dual minus select 1 from dual", []),
        ("select level * 2 n from dual connect by level < 4", [(2,), (4,), (6,)]),
        ("with w as (select 1 a from dual) select a from w", [(1,)]),
        ("select case when 1 = 1 and 2 between 1 and 3 then 'y' end from dual", [("y",)]),
        ("select 'Ab' from dual where 'a' like 'A'", []),
        ("select nvl2(null, 1, 2), mod(7, 4), lpad('x', 3, '-'), rpad('x', 2) from dual",
         [(2, 3, "--x", "x ")]),
        ("select 1 from dual where 0.1 + 0.2 = 0.3", [(1,)]),
        ("select '1' + 1, -(-2), 2 - -1, -'3' + 0, 10 - 4 - 3, 2 + 3 * 4, (2 + 3) * 4 from dual",
         [(2, 2, 3, -3, 3, 14, 20)]),
        ("select 'a' || 1 || null || 'b', 1 + 2 || 'c' from dual", [("a1b", "3c")]),
        ("select 999999999999999999 - 1 from dual", [(999999999999999998,)]),
        ("select 1 + null, case when 1 = 1 then 2 end + 1, count(*) + 1 from dual",
         [(None, 3, 2)]),
        ("select date '2024-02-28' + 2, date '2024-03-01' - date '2024-02-28',"
         " date '2024-01-01' - 0.5 from dual",
         [(datetime.datetime(2024, 3, 1), 2, datetime.datetime(2023, 12, 31, 12))]),
        ("select max(ctime) + 0 - max(ctime) from sys.obj$", [(0,)]),
        ("select /* c */ 1 -- e\n from dual;", [(1,)]),
        ("select date '2020-02-29' from dual", [(datetime.datetime(2020, 2, 29),)]),
        ('select "MY COL" from (select 1 "MY COL" from dual)', [(1,)]),
    ],
)  # fmt: skip
def test_answers(session: Session, sql: str, rows: list[tuple[object, ...]]) -> None:
    assert session.rows(sql) == rows


def test_sysdate_is_now(session: Session) -> None:
    now = datetime.datetime.now(datetime.UTC).replace(tzinfo=None)
    assert abs(session.one("select sysdate from dual") - now) < datetime.timedelta(seconds=60)


def test_ping_commit_rollback_and_logoff(session: Session) -> None:
    session.connection.ping()
    session.connection.commit()
    session.connection.rollback()
    spent = session.spent("select 1 from dual")
    assert spent["execute count"] == 2  # the statement, and the one that reads the counters
    session.connection.close()


def test_the_server_receives_all_that_the_client_sends(lab: Lab) -> None:
    session = lab.connect()
    text = "z" * 1500
    spent = session.spent("select :v from dual", v=text)
    assert spent["bytes received via SQL*Net from client"] >= len(text)
    assert spent["bytes sent via SQL*Net to client"] >= len(text)


def test_failed_statements_keep_no_cursor(lab: Lab) -> None:
    session = lab.connect()
    for i in range(1000):
        with pytest.raises(oracledb.DatabaseError, match="ORA-01722"):
            session.rows(f"select to_number('x{i}') from dual")
    assert session.statistics()["opened cursors current"] < 30


def test_a_bind_of_another_type_makes_a_column_of_another_type(session: Session) -> None:
    for value in (1, "one", None, 2.5, b"\x01"):
        assert session.one("select :v from dual", v=value) == value


def test_a_type_that_only_later_rows_tell(session: Session) -> None:
    """Whether a bind is a number is known when it comes; it is in none but the third row."""
    sql = "select nvl2(nullif(level, 3), null, :b) from dual connect by level <= 3"
    assert session.rows(sql, b=7) == [(None,), (None,), (7,)]
    assert session.cursor.description[0][1] is oracledb.DB_TYPE_NUMBER


def test_11g_verifier(start_lab: Callable[..., Lab]) -> None:
    lab = start_lab("--verifier", "11g")
    assert lab.connect().one("select 1 from dual") == 1
    with pytest.raises(oracledb.DatabaseError, match="ORA-01017"):
        lab.connect(password="lion")


def test_markers_before_errors(start_lab: Callable[..., Lab]) -> None:
    lab = start_lab("--error-markers")
    for in_band in (False, True):
        session = lab.connect(disable_oob=in_band)
        for _ in range(10):
            with pytest.raises(oracledb.DatabaseError, match="ORA-00942"):
                session.rows("select 1 from no_such_table")
            with pytest.raises(oracledb.DatabaseError, match="ORA-01476"):
                session.rows("select 1/0 from dual")
            assert session.rows("select 1 from dual where 1 = 2") == []
        statement = lab.running(session, LOTSLIOS, n=FOR_EVER)
        session.connection.cancel()
        assert statement.join()
        assert statement.error.startswith("ORA-01013")
        assert session.statistics()["lab breaks"] == 1
