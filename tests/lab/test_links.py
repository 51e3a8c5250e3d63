# SPDX-License-Identifier: GPL-2.0-or-later
"""Database links: the same rows, types and errors as on the other side."""

from __future__ import annotations

import contextlib
import datetime
from decimal import Decimal
from pathlib import Path

import oracledb
import pytest

from tests.waiting import until

from .conftest import Session
from .links import LinkedLabs, create_link, linked_labs

EVERY_TYPE = """create table every_type (
    id number(9), n number, f number(20, 5), v varchar2(4000), d date, t timestamp(6),
    r raw(100))"""
NUMBERS = [
    "0",
    "1",
    "-1",
    "0.1",
    "-99.99",
    "1e125",
    "-1e-130",
    "9" * 38,
    "-" + "1" * 38,
    "123456789012345678.5",
]
LENGTHS = [1, 2, 100, 251, 252, 253, 254, 255, 256, 1000, 3999, 4000]


def fill(session: Session) -> None:
    """Numbers, texts, dates and NULLs of every kind in EVERY_TYPE."""
    session.cursor.execute(EVERY_TYPE)
    rows: list[tuple[object, ...]] = [
        (i, Decimal(n), None, None, None, None, None) for i, n in enumerate(NUMBERS)
    ]
    rows += [
        (100 + n, None, n, "ä" * (n // 2) + "x" * (n % 2), None, None, b"\x07" * (n % 6 + 1))
        for n in LENGTHS
    ]
    rows += [
        (
            5000,
            None,
            None,
            None,
            datetime.datetime(1, 1, 1),
            datetime.datetime(1969, 12, 31, 23, 59, 59, 999999),
            None,
        ),
        (
            5001,
            None,
            None,
            None,
            datetime.datetime(9999, 12, 31, 23, 59, 59),
            datetime.datetime(2024, 2, 29),
            b"\xff",
        ),
    ]
    session.cursor.executemany("insert into every_type values (:1, :2, :3, :4, :5, :6, :7)", rows)
    session.connection.commit()


def both(labs: LinkedLabs) -> tuple[Session, Session]:
    return labs.local.connect(), labs.remote.connect()


QUERIES = [
    "select * from every_type{} order by id",
    "select v, n from every_type{} where n is not null order by id",
    "select id, v from every_type{} where v = (select max(v) from every_type{})",
    "select count(*), sum(n), max(d), min(t) from every_type{}",
    "select upper(v) u, length(v) u from every_type{} where rownum <= 5",
    "select id from every_type{} e"
    " where exists (select 1 from every_type{} x where x.id = e.id + 1) order by 1",
]


@pytest.mark.parametrize("query", QUERIES)
def test_the_same_values_as_there(
    labs: LinkedLabs, query: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    local, remote = both(labs)
    fill(remote)
    monkeypatch.setattr(oracledb.defaults, "fetch_decimals", True)
    expected = remote.rows(query.replace("{}", ""))
    described = [column[:2] for column in remote.cursor.description]
    assert expected
    for array_size in (1, 7, 1000):
        local.cursor.arraysize = local.cursor.prefetchrows = array_size
        assert local.rows(query.replace("{}", "@far")) == expected
        assert [column[:2] for column in local.cursor.description] == described


def test_a_join_of_local_and_remote(labs: LinkedLabs) -> None:
    local, remote = both(labs)
    fill(remote)
    local.cursor.execute("create table here (id number(9), w varchar2(10))")
    local.cursor.executemany(
        "insert into here values (:1, :2)", [(i, f"w{i}") for i in range(0, 400, 2)]
    )
    expected = [
        (i, f"w{i}", n)
        for (i, n) in remote.rows("select id, n from every_type")
        if i < 400 and i % 2 == 0
    ]
    assert sorted(
        local.rows("select h.id, h.w, e.n from here h, every_type@far e where h.id = e.id")
    ) == sorted(expected)
    assert local.rows(
        "select w from here h join every_type@far e on e.id = h.id and e.f = 252"
    ) == [("w352",)]
    # The same on the other side of a subquery, and an aggregate over both.
    [[count]] = local.rows("select count(*) from here where id in (select id from every_type@far)")
    assert count == len(expected)


@pytest.mark.parametrize(
    "condition",
    [
        "id = 352",
        "id between 100 and 400",
        "v < 'xy'",
        "f >= 252 and id > 3",
        "d > to_date('2000', 'YYYY')",
        "t = timestamp '2024-02-29 00:00:00'",
        "n = 1e125",
        "id = 352 or v is null",
        "id in (1, 2, 3)",
        "v like 'x%'",
    ],
)
def test_the_same_rows_whether_filtered_here_or_there(labs: LinkedLabs, condition: str) -> None:
    local, remote = both(labs)
    fill(remote)
    expected = sorted(remote.rows(f"select id from every_type where {condition}"))
    assert expected
    # DUAL is local: the query does not go there as a whole.
    assert sorted(local.rows(f"select id from every_type@far, dual where {condition}")) == expected


def test_only_used_columns_and_fitting_rows_cross_the_link(labs: LinkedLabs) -> None:
    local, remote = both(labs)
    remote.cursor.execute("create table wide (id number(9), v varchar2(4000))")
    remote.cursor.executemany(
        "insert into wide values (:1, :2)", [(i, "x" * 4000) for i in range(97)]
    )
    remote.connection.commit()
    received = "bytes received via SQL*Net from dblink"
    local.rows("select * from dual@far")
    narrow = local.spent("select count(*), max(id) from wide@far, dual")[received]
    one_row = local.spent("select max(v) from wide@far, dual where id = 5")[received]
    all_rows = local.spent("select max(v) from wide@far, dual")[received]
    assert narrow < 4000
    assert 4000 < one_row < 6000
    assert all_rows > 97 * 4000


def test_binds_go_to_the_other_side(labs: LinkedLabs) -> None:
    local, remote = both(labs)
    fill(remote)
    assert local.rows("select id from every_type@far where n = :a", a=Decimal("-99.99")) == [(4,)]
    assert local.rows("select id from every_type@far where v = :a", a="ä" * 126) == [(352,)]
    assert local.rows(
        "select id from every_type@far where d = :a", a=datetime.datetime(1, 1, 1)
    ) == [(5000,)]
    assert local.rows("select id from every_type@far where d = :a", a=None) == []
    again = "select count(*) from every_type@far where id > :low and id < :high"
    for low, high, count in [(0, 3, 2), (-1, 10, 10), (5, 5, 0)]:
        assert local.one(again, low=low, high=high) == count


def test_insert_and_create_from_a_remote_query(labs: LinkedLabs) -> None:
    local, remote = both(labs)
    fill(remote)
    local.cursor.execute(
        "create table copied as select id, n, v, d, t, r from every_type@far where 1 = 1"
    )
    rows = "select id, n, v, d, t, r from {} order by id"
    expected = remote.rows(rows.format("every_type"))
    assert local.rows(rows.format("copied")) == expected
    local.cursor.execute("insert into copied select id + 10000, n, v, d, t, r from every_type@far")
    assert local.cursor.rowcount == len(expected)
    local.connection.rollback()
    assert local.one("select count(*) from copied") == len(expected)


def test_lobs_stay_where_they_are(labs: LinkedLabs) -> None:
    local, remote = both(labs)
    remote.cursor.execute("create table with_lob (id number(9), c clob)")
    remote.cursor.execute("insert into with_lob values (1, 'text')")
    remote.connection.commit()
    for query in ["select * from with_lob@far", "select c from with_lob@far, dual"]:
        with pytest.raises(oracledb.DatabaseError, match="ORA-22992"):
            local.rows(query)
    assert local.rows("select id from with_lob@far") == [(1,)]
    assert local.rows("select id from with_lob@far, dual") == [(1,)]


def test_what_depends_on_the_site_is_computed_here(labs: LinkedLabs) -> None:
    local, remote = both(labs)
    fill(remote)
    local.cursor.execute("call dbms_application_info.set_module('here', 'asking')")
    asked = "select distinct sys_context('userenv', 'module') from every_type@far where id > 0"
    assert local.rows(asked) == [("here",)]


@pytest.mark.parametrize(
    ("statement", "error"),
    [
        ("insert into every_type@far (id) values (1)", "ORA-02064"),
        ("update every_type@far set id = 1", "ORA-02064"),
        ("delete from every_type@far", "ORA-02064"),
        ("delete scott.every_type@far", "ORA-02064"),
        ("select * from nowhere@far", "ORA-00942(?s:.*)ORA-02063: preceding line from FAR"),
        ("select zzz from every_type@far", "ORA-00904"),
        ("select * from every_type@unknown", "ORA-02019"),
        ("select id from every_type@far, dual for update", "ORA-02064"),
        (
            "select 1/(id - id) from every_type@far",
            "ORA-01476(?s:.*)ORA-02063: preceding line from FAR",
        ),
        ("drop database link unknown", "ORA-02024"),
        (
            "create database link far connect to scott identified by tiger using 'a:1/b'",
            "ORA-02011",
        ),
        (
            "create public database link p connect to scott identified by tiger using 'a:1/b'",
            "ORA-03001",
        ),
        ("create database link p using 'a:1/b'", "ORA-03001"),
        ("create database link p connect to current_user using 'a:1/b'", "ORA-03001"),
        ("create database link", "ORA-01729"),
        ("create database link p connect to", "ORA-00987"),
        ("create database link p connect to scott using 'a:1/b'", "ORA-00905"),
        ("create database link p connect to scott identified tiger", "ORA-00924"),
        ("create database link p connect to scott identified by", "ORA-00988"),
        ("create database link p connect to scott identified by tiger", "ORA-00922"),
        ("create database link p connect to scott identified by tiger using a", "ORA-00922"),
        (
            "create database link p connect to scott identified by tiger"
            " authenticated by scott identified by tiger using 'a:1/b'",
            "ORA-00922",
        ),
        ("drop database link far far", "ORA-00933"),
        ("create database far", "ORA-03001"),
        ("select id from every_type@", "ORA-01729"),
        ("insert into every_type@unknown (id) values (1)", "ORA-02019"),
        ("alter session close database link unknown", "ORA-02081"),
    ],
)
def test_refusals(labs: LinkedLabs, statement: str, error: str) -> None:
    local, remote = both(labs)
    fill(remote)
    with pytest.raises(oracledb.DatabaseError, match=error):
        local.rows(statement)
    assert local.one("select count(*) from every_type@far") > 0


def test_links_that_lead_nowhere(labs: LinkedLabs) -> None:
    local = labs.local.connect()
    port = labs.remote.port
    for name, statement, error in [
        ("no_listener", create_link("no_listener", 1), "ORA-12541"),
        ("no_service", create_link("no_service", port, service="NONE"), "ORA-12514"),
        ("bad_word", create_link("bad_word", port, password="lion"), "ORA-01017(?s:.*)ORA-02063"),
        (
            "bad_string",
            "create database link bad_string connect to scott identified by tiger using 'an_alias'",
            "ORA-12154",
        ),
    ]:
        local.cursor.execute(statement)
        with pytest.raises(oracledb.DatabaseError, match=error):
            local.rows(f"select * from dual@{name}")
    assert local.one("select 1 from dual") == 1


def test_an_older_verifier_and_error_markers(oralab: Path, tmp_path: Path) -> None:
    labs = linked_labs(
        oralab, tmp_path / "a", tmp_path / "b", "--verifier", "11g", "--error-markers"
    )
    local = labs.local.connect()
    assert local.rows("select dummy from dual@far") == [("X",)]
    for _ in range(3):
        with pytest.raises(oracledb.DatabaseError, match="ORA-00942"):
            local.rows("select dummy from nowhere@far")
        with pytest.raises(oracledb.DatabaseError, match="ORA-01476"):
            local.rows("select 1/0 from dual@far")
    assert local.rows("select dummy from dual@far") == [("X",)]
    labs.local.stop()
    labs.remote.stop()


def test_formats_and_zone_are_ours(labs: LinkedLabs) -> None:
    local = labs.local.connect()
    query = "select to_char(date '2024-02-29') from dual@far"
    assert local.rows(query) == [("29-FEB-24",)]
    local.cursor.execute("alter session set nls_date_format = 'YYYY\"o''clock\"MM'")
    assert local.rows(query) == [("2024o'clock02",)]


def test_views_and_the_life_of_a_link(labs: LinkedLabs) -> None:
    local = labs.local.connect()
    host = f"127.0.0.1:{labs.remote.port}/LAB"
    [row] = local.rows("select db_link, username, password, host from user_db_links")
    assert row == ("FAR", "SCOTT", None, host)
    assert local.rows("select owner, db_link from all_db_links") == [("SCOTT", "FAR")]
    assert local.rows("select * from v$dblink") == []
    local.rows("select * from dual@far")
    opened = "select db_link, logged_on, in_transaction from v$dblink"
    assert local.rows(opened) == [("FAR", "YES", "YES")]
    assert local.connection.transaction_in_progress
    with pytest.raises(oracledb.DatabaseError, match="ORA-02080"):
        local.cursor.execute("alter session close database link far")
    local.connection.commit()
    assert not local.connection.transaction_in_progress
    assert local.rows(opened) == [("FAR", "YES", "NO")]
    far = labs.remote.connect()
    remote_sessions = "select program, process from v$session where program like 'oracle@%'"
    [(program, process)] = far.rows(remote_sessions)
    assert program.endswith("(TNS V1-V3)")
    assert process == str(local.spid)
    local.cursor.execute("alter session close database link far")
    assert local.rows(opened) == []
    until(lambda: far.rows(remote_sessions) == [], "the end of the remote session")
    assert local.rows("select * from dual@far") == [("X",)]
    local.cursor.execute("drop database link far")
    with pytest.raises(oracledb.DatabaseError, match="ORA-02019"):
        labs.local.connect().rows("select * from dual@far")


def test_no_password_is_shown(labs: LinkedLabs) -> None:
    local, watcher = labs.local.connect(), labs.local.connect()
    local.cursor.execute("alter session set events '10046 trace name context forever, level 12'")
    local.cursor.execute(create_link("second", 1, password="Leopard_7"))
    with pytest.raises(oracledb.DatabaseError, match="ORA-00933"):
        local.cursor.execute(create_link("third", 1, password="Leopard_7") + " nonsense")
    texts = watcher.rows("select sql_text from v$sql")
    assert not [text for (text,) in texts if text and "Leopard" in text]
    [[trace]] = local.rows("select value from v$diag_info where name = 'Default Trace File'")
    written = Path(trace).read_bytes()
    assert b"CREATE DATABASE LINK" in written.upper()
    assert b"Leopard" not in written


def test_open_links(labs: LinkedLabs) -> None:
    local = labs.local.connect()
    for i in range(5):
        labs.link(local, f"l{i}")
    for i in range(4):
        assert local.rows(f"select * from dual@l{i}") == [("X",)]
    with pytest.raises(oracledb.DatabaseError, match="ORA-02020"):
        local.rows("select * from dual@l4")
    local.connection.commit()
    local.cursor.execute("alter session close database link l0")
    assert local.rows("select * from dual@l4") == [("X",)]
    assert local.rows("select count(*) from dual@l1 a, dual@l2 b, dual@l3 c") == [(1,)]


def test_for_update_locks_there(labs: LinkedLabs) -> None:
    local, remote = both(labs)
    fill(remote)
    assert len(local.rows("select id from every_type@far where id = 3 for update")) == 1
    with pytest.raises(oracledb.DatabaseError, match="ORA-00054"):
        remote.rows("select id from every_type where id = 3 for update nowait")
    local.connection.rollback()
    assert len(remote.rows("select id from every_type where id = 3 for update nowait")) == 1


def test_a_changed_table(labs: LinkedLabs) -> None:
    local, remote = both(labs)
    remote.cursor.execute("create table t (a number(5))")
    remote.cursor.execute("insert into t values (1)")
    remote.connection.commit()
    assert local.rows("select * from t@far") == [(1,)]
    remote.cursor.execute("drop table t")
    remote.cursor.execute("create table t (a varchar2(5), b number(3))")
    remote.cursor.execute("insert into t values ('x', 2)")
    remote.connection.commit()
    # The driver's kept cursor learns of it, or is refused; a new one has the columns.
    with contextlib.suppress(oracledb.DatabaseError):
        assert local.rows("select * from t@far") == [("x", 2)]
    assert labs.local.connect().rows("select * from t@far") == [("x", 2)]


def test_how_the_lab_names_a_remote_table_is_no_name_of_a_statements(labs: LinkedLabs) -> None:
    local, remote = both(labs)
    remote.cursor.execute("create table t (a number(5))")
    assert local.rows("select * from t@far") == []
    with pytest.raises(oracledb.DatabaseError, match="ORA-00942"):
        local.rows('select * from "T@FAR"')


def test_a_link_of_a_link(labs: LinkedLabs) -> None:
    local, remote = both(labs)
    labs.link(remote, "back", labs.local.port)
    local.cursor.execute("create table mine (a number(5))")
    local.cursor.execute("insert into mine values (7)")
    local.connection.commit()
    assert remote.rows("select * from mine@back") == [(7,)]


def test_two_half_fetched_queries_on_one_link(labs: LinkedLabs) -> None:
    local = labs.local.connect()
    some = "(select object_id from all_objects@far where rownum <= {})"
    query = f"select a.object_id, b.object_id from {some.format(30)} a, {some.format(40)} b"
    a, b = local.connection.cursor(), local.connection.cursor()
    for cursor in (a, b):
        cursor.arraysize = cursor.prefetchrows = 10
        cursor.execute(
            "select object_id, rpad(object_name, 900) from all_objects@far where rownum <= 60"
            " order by 1"
        )
    taken: tuple[list[object], list[object]] = ([], [])
    for _ in range(60):
        taken[0].append(a.fetchone())
        taken[1].append(b.fetchone())
    assert taken[0] == taken[1]
    assert None not in taken[0]
    assert a.fetchone() is None
    assert len(local.rows(query)) == 1200


def test_a_remote_query_begins_a_transaction(labs: LinkedLabs) -> None:
    """Also where it changes nothing: v$transaction and v$lock have it until COMMIT or ROLLBACK."""
    local, watcher = labs.local.connect(), labs.local.connect()
    of_it = (
        "select t.status, l.type, l.lmode, l.request, l.block"
        " from v$transaction t, v$session s, v$lock l"
        " where t.ses_addr = s.saddr and s.sid = :sid and l.sid = s.sid"
        " and l.id1 = t.xidusn * 65536 + t.xidslot and l.id2 = t.xidsqn"
    )
    sid = local.sid
    assert watcher.rows(of_it, sid=sid) == []
    numbers = set()
    for end in (local.connection.commit, local.connection.rollback):
        local.rows("select * from dual@far")
        assert watcher.rows(of_it, sid=sid) == [("ACTIVE", "TX", 6, 0, 0)]
        numbers.add(watcher.one("select xidsqn from v$transaction"))
        [[address]] = watcher.rows("select addr from v$transaction")
        assert watcher.one("select taddr from v$session where sid = :sid", sid=sid) == (
            address.hex().upper()
        )
        end()
        assert watcher.rows(of_it, sid=sid) == []
    assert len(numbers) == 2
    local.rows("select 1 from dual")
    assert watcher.rows("select * from v$lock") == []


def test_binary_numbers(labs: LinkedLabs) -> None:
    """Columns, values of a whole query and binds; infinities and NaN, and no -0."""
    local, remote = both(labs)
    remote.cursor.execute(
        "create table floats (id number(9), d binary_double, f binary_float, n number)"
    )
    values = [0.0, -0.0, 1.5, -1e300, 5e-324, float("inf"), float("-inf"), None]
    remote.cursor.setinputsizes(None, oracledb.DB_TYPE_BINARY_DOUBLE)
    remote.cursor.executemany(
        "insert into floats (id, d, f) values (:1, :2, 0.5f)", list(enumerate(values))
    )
    remote.cursor.execute("insert into floats (id, d, f) values (100, binary_double_nan, 1e10f)")
    remote.connection.commit()
    query = "select id, d, f, d + f s from floats{} order by id"
    expected = [repr(row) for row in remote.rows(query.format(""))]
    described = [column[:2] for column in remote.cursor.description]
    assert len(expected) == len(values) + 1
    for source in ("@far", "@far, dual"):  # as a whole, and as a table of ours
        assert [repr(row) for row in local.rows(query.format(source))] == expected
        assert [column[:2] for column in local.cursor.description] == described
    local.cursor.execute("create table near_floats as select id, d, f from floats@far where 1 = 1")
    rows = "select id, d, f from {} order by id"
    assert [repr(row) for row in local.rows(rows.format("near_floats"))] == [
        repr(row) for row in remote.rows(rows.format("floats"))
    ]
    assert local.cursor.description[1][1] is oracledb.DB_TYPE_BINARY_DOUBLE
    assert local.cursor.description[2][1] is oracledb.DB_TYPE_BINARY_FLOAT
    for kind, value in (("d", 1.5), ("d", -1e300), ("d", float("inf")), ("f", 0.5)):
        of = oracledb.DB_TYPE_BINARY_DOUBLE if kind == "d" else oracledb.DB_TYPE_BINARY_FLOAT
        for source in ("floats@far", "floats@far, dual"):
            local.cursor.setinputsizes(v=of)
            found = local.rows(f"select count(*) from {source} where {kind} = :v", v=value)
            remote.cursor.setinputsizes(v=of)
            assert found == remote.rows(f"select count(*) from floats where {kind} = :v", v=value)
            assert found[0][0] > 0
