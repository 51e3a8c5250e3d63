# SPDX-License-Identifier: GPL-2.0-or-later
"""Extended SQL trace: each way to switch it on, Oracle's form, and sums that equal the views."""

from __future__ import annotations

import datetime
import hashlib
import json
import time
from collections import Counter
from pathlib import Path

import oracledb
import pytest

from tests.conftest import Run
from tests.waiting import PATIENCE_S, until

from .conftest import FOR_EVER, FROM_CLIENT, LOTSLIOS, ROW_LOCK, Lab, Session, ended, settle
from .sqltrace import Trace, read
from .test_views import EVENTS, TIMES

LEVEL_12 = "alter session set events '10046 trace name context forever, level 12'"
OFF = "alter session set events '10046 trace name context off'"
OWN_FILE = "select value from v$diag_info where name = 'Default Trace File'"
TRACING = (
    "select sql_trace, sql_trace_waits, sql_trace_binds, sql_trace_plan_stats"
    " from v$session where sid = :sid"
)
SERIAL = "select serial# from v$session where sid = :sid"


def file_of(session: Session) -> Path:
    return Path(session.one(OWN_FILE))


def traced(session: Session, *statements: str) -> Trace:
    """What the trace has of `statements`, at level 12."""
    path = file_of(session)
    session.cursor.execute(LEVEL_12)
    for sql in statements:
        session.cursor.execute(sql)
        if session.cursor.description:
            session.cursor.fetchall()
    session.cursor.execute(OFF)
    return read(path)


@pytest.mark.parametrize(
    ("on", "off", "shown"),
    [
        (
            "alter session set sql_trace = true",
            "alter session set sql_trace = false",
            ("ENABLED", "FALSE", "FALSE", "FIRST EXEC"),
        ),
        *(
            (
                f"alter session set events '10046 trace name context forever, level {level}'",
                OFF,
                ("ENABLED", *flags, "FIRST EXEC"),
            )
            for level, flags in (
                (1, ("FALSE", "FALSE")),
                (4, ("FALSE", "TRUE")),
                (8, ("TRUE", "FALSE")),
                (12, ("TRUE", "TRUE")),
            )
        ),
        (
            "alter session set events 'sql_trace bind=true, plan_stat=never'",
            "alter session set events 'sql_trace off'",
            ("ENABLED", "TRUE", "TRUE", "NEVER"),
        ),
        (
            "begin dbms_monitor.session_trace_enable(waits => false, binds => true); end;",
            "begin dbms_monitor.session_trace_disable(); end;",
            ("ENABLED", "FALSE", "TRUE", "FIRST EXEC"),
        ),
        (
            "begin dbms_session.session_trace_enable(true, true, 'all_executions'); end;",
            "begin dbms_session.session_trace_disable; end;",
            ("ENABLED", "TRUE", "TRUE", "ALL EXEC"),
        ),
        (
            "call dbms_session.set_sql_trace(true)",
            "call dbms_session.set_sql_trace(false)",
            ("ENABLED", "FALSE", "FALSE", "FIRST EXEC"),
        ),
    ],
)
def test_switches(lab: Lab, on: str, off: str, shown: tuple[str, ...]) -> None:
    session = lab.connect()
    sid, path = session.sid, file_of(session)
    session.cursor.execute(on)
    assert session.rows(TRACING, sid=sid) == [shown]
    assert session.rows("select :text from dual", text="seen") == [("seen",)]
    session.cursor.execute(off)
    assert session.rows(TRACING, sid=sid) == [("DISABLED", "FALSE", "FALSE", "FIRST EXEC")]
    trace = read(path)
    assert [s.sql for s in trace.statements] == [TRACING, "select :text from dual", off]
    assert bool(trace.waits) == (shown[1] == "TRUE")
    assert trace.binds == ([[str(sid)], ['"seen"']] if shown[2] == "TRUE" else [])
    assert bool(trace.plans) == (shown[3] != "NEVER")


def test_nothing_is_written_that_was_not_asked_for(lab: Lab) -> None:
    session = lab.connect()
    path = file_of(session)
    session.rows("select 1 from dual")
    session.cursor.execute("alter session set sql_trace = false")
    assert not path.exists()


def test_another_session_switches_it_on_and_off(lab: Lab) -> None:
    session, other = lab.connect(), lab.connect()
    sid, path = session.sid, file_of(session)
    serial = other.one(SERIAL, sid=sid)
    enable = "dbms_monitor.session_trace_enable"
    other.cursor.callproc(enable, [sid, serial, True, True])
    assert session.rows("select 7 from dual") == [(7,)]
    other.cursor.callproc("dbms_monitor.session_trace_disable", [sid, serial])
    session.rows("select 8 from dual")
    trace = read(path)
    assert [s.sql for s in trace.statements] == ["select 7 from dual"]
    assert f"*** SESSION ID:({sid}.{serial})" in trace.identity
    for numbers in ([sid, serial + 1], [511, 1], [0, 0], [-1, None]):
        with pytest.raises(oracledb.DatabaseError, match="ORA-00030"):
            other.cursor.callproc(enable, numbers)
    with pytest.raises(oracledb.DatabaseError, match="ORA-06550"):
        other.cursor.execute("begin dbms_monitor.session_trace_enable(wait => true); end;")
    with pytest.raises(oracledb.DatabaseError, match="ORA-00922"):
        other.cursor.callproc(enable, [sid, serial, True, True, "sometimes"])


def test_a_call_that_runs_is_traced_from_its_middle(lab: Lab) -> None:
    session, other = lab.connect(disable_oob=True), lab.connect()
    sid, path = session.sid, file_of(session)
    statement = lab.running(session, LOTSLIOS, n=FOR_EVER)
    other.cursor.callproc("dbms_monitor.session_trace_enable", [sid])
    gets = other.statistic_of(sid, "consistent gets") + 100_000
    until(lambda: other.statistic_of(sid, "consistent gets") > gets, "more gets")
    session.connection.cancel()
    assert statement.join()
    assert statement.error.startswith("ORA-01013")
    [fetch] = read(path).calls
    assert fetch.name == "FETCH"
    assert fetch.cr > 100_000
    assert 0 < fetch.c <= fetch.e + 10_000


def test_the_head_of_a_file(lab: Lab) -> None:
    session = lab.connect()
    session.connection.module = "a module"
    session.connection.client_identifier = "somebody"
    trace = traced(session, "select 1 from dual")
    path, spid = file_of(session), session.spid
    assert trace.head[0] == f"Trace file {path}"
    assert trace.head[1].startswith("Oracle Database 19c")
    assert trace.head[1].endswith("Release 19.0.0.0.0 - Production")
    assert trace.head[2] == "Version 19.3.0.0.0"
    assert any(line.startswith(f"Unix process pid: {spid}, image: oracle@") for line in trace.head)
    sid = session.sid
    serial = session.one(SERIAL, sid=sid)
    assert trace.identity[0] == "time"
    assert trace.identity[1] == f"*** SESSION ID:({sid}.{serial})"
    assert "*** CLIENT ID:(somebody)" in trace.identity
    assert "*** SERVICE NAME:(LAB)" in trace.identity
    assert "*** MODULE NAME:(a module)" in trace.identity


def test_a_new_action_is_named_once(lab: Lab) -> None:
    session = lab.connect()
    path = file_of(session)
    session.cursor.execute(LEVEL_12)
    for action in ("one", "one", "two\nFETCH #1:c=0"):
        session.connection.action = action
        session.rows("select 1 from dual")
    named = [line for line in read(path).identity if "ACTION" in line]
    assert named == [f"*** ACTION NAME:({name})" for name in ("", "one", "two?FETCH #1:c=0")]


def test_a_statement_as_oracle_identifies_it(lab: Lab) -> None:
    # Both values are of a real trace file.
    sql = "alter session set events '10046 trace name context forever, level 12'"
    trace = traced(lab.connect(), sql, "select 'a\nEND OF STMT\n' from dual")
    assert (trace.statements[0].sqlid, trace.statements[0].hv) == ("8r8b2pyy9qjm2", 3164292706)
    assert trace.statements[0].oct == 42
    digest = hashlib.md5(trace.statements[1].sql.encode() + b"\0").digest()
    assert trace.statements[1].hv == int.from_bytes(digest[12:], "little")
    assert trace.statements[1].oct == 3


def test_the_order_of_records(lab: Lab) -> None:
    session = lab.connect()
    path, spid = file_of(session), session.spid
    session.cursor.execute("create table t(a number, b varchar2(20))")
    session.cursor.execute(LEVEL_12)
    session.cursor.execute("insert into t values (:1, :2)", [7, None])
    session.connection.commit()
    session.cursor.execute("delete from t")
    session.connection.rollback()
    session.rows("select a, b from t where a = :a or a = :a", a=7)
    session.connection.close()
    assert ended(spid, within_s=PATIENCE_S)
    trace = read(path)
    seen = [kind for kind in trace.order if kind not in ("WAIT", "CLOSE")]
    call = ["PARSING IN CURSOR", "PARSE", "BINDS", "EXEC", "STAT", "STAT"]
    # An EXEC without binds has no BINDS, and a query's plan follows its FETCH.
    assert seen[:4] == call[:4]
    dml = [kind for kind in seen if kind != "STAT"]
    assert dml == [
        *("PARSING IN CURSOR", "PARSE", "BINDS", "EXEC", "XCTEND"),
        *("PARSING IN CURSOR", "PARSE", "EXEC", "XCTEND"),
        *("PARSING IN CURSOR", "PARSE", "BINDS", "EXEC", "FETCH"),
        "XCTEND",
    ]
    assert trace.transactions == [(False, False), (True, False), (False, True)]
    assert trace.binds == [["7", None], ["7", "7"]]
    operations = [operation for _, _, _, operation in trace.plans]
    assert operations[0] == "LOAD TABLE CONVENTIONAL"
    assert "TABLE ACCESS FULL T" in operations
    assert closes(trace) == [1, 1, 1]
    assert [call.tim for call in trace.calls] == sorted(call.tim for call in trace.calls)


def closes(trace: Trace) -> list[int]:
    """How often each statement was closed: a CLOSE is of the last statement with its number.

    Those of cursors that were parsed before the trace began are of none.
    """
    counts: list[int] = []
    last: dict[int, int] = {}  # the statement that a number means
    closed, parsed = iter(trace.closed), iter(trace.statements)
    for kind in trace.order:
        if kind == "PARSING IN CURSOR":
            last[next(parsed).cursor] = len(counts)
            counts.append(0)
        elif kind == "CLOSE" and (number := next(closed)) in last:
            counts[last[number]] += 1
    return counts


def test_cursor_numbers_are_used_again(lab: Lab) -> None:
    session = lab.connect()
    path = file_of(session)
    session.cursor.execute(LEVEL_12)
    for n in range(40):  # more than the driver keeps open
        session.rows(f"select {n} from dual")
    trace = read(path)
    numbers = Counter(s.cursor for s in trace.statements)
    assert len(trace.statements) == 40
    assert max(numbers.values()) > 1
    # A number means one statement at a time.
    is_open: set[int] = set()
    closed = iter(trace.closed)
    parsed = iter(s.cursor for s in trace.statements)
    for kind in trace.order:
        if kind == "CLOSE":
            is_open.discard(next(closed))
        elif kind == "PARSING IN CURSOR":
            number = next(parsed)
            assert number not in is_open
            is_open.add(number)


def test_errors(lab: Lab) -> None:
    session = lab.connect(disable_oob=True)
    path = file_of(session)
    session.cursor.execute("create table one(a number primary key)")
    session.cursor.execute("insert into one values (1)")
    session.cursor.execute(LEVEL_12)
    for sql, error in (("select * from nothing", 942), ("insert into one values (1)", 1)):
        with pytest.raises(oracledb.DatabaseError, match=f"ORA-{error:05d}"):
            session.cursor.execute(sql)
    statement = lab.running(session, LOTSLIOS, n=2_000_000)
    session.connection.cancel()
    assert statement.join()
    trace = read(path)
    assert trace.parse_errors == [(942, "select * from nothing")]
    assert trace.errors == [1, 1013]
    assert trace.calls[-1].name == "FETCH"
    assert trace.calls[-1].cr > 1000
    assert "SQL*Net break/reset to client" in {wait.name for wait in trace.waits}


def test_every_kind_of_bind(lab: Lab) -> None:
    session = lab.connect()
    path = file_of(session)
    values = [
        *(12345678901234567890, -0.5, 'text with "quotes"\nand lines', None, b"\x01\xab"),
        datetime.datetime(2024, 2, 29, 13, 5, 9, 123456),
        datetime.datetime(2024, 2, 29),
    ]
    session.cursor.execute(LEVEL_12)
    session.cursor.setinputsizes(*[None] * 5, oracledb.DB_TYPE_TIMESTAMP, oracledb.DB_TYPE_DATE)
    session.cursor.execute("select :1, :2, :3, :4, :5, :6, :7 from dual", values)
    session.cursor.fetchall()
    session.cursor.execute(OFF)
    text = path.read_text()
    for shown in (
        "value=12345678901234567890\n",
        "value=-.5\n",
        'value="text with "quotes"\nand lines"\n',
        "value=01AB\n",
        "value=29-FEB-24 01.05.09.123456000 PM\n",
        'value="2/29/2024 0:0:0"\n',
        "oacdty=02 mxl=22(22) mxlc=00",
        # Of 28 characters, of up to 4 bytes each: the driver declares room for 112 bytes.
        "oacdty=01 mxl=128(112) mxlc=00",
        "bln=128  avl=28  flg=01",
    ):
        assert shown in text


def test_calls_on_lobs(lab: Lab) -> None:
    session = lab.connect()
    path = file_of(session)
    session.cursor.execute("create table documents(c clob)")
    session.cursor.execute(LEVEL_12)
    made = session.connection.createlob(oracledb.DB_TYPE_CLOB)
    made.write("x" * 20_011)
    assert (made.size(), made.getchunksize()) == (20_011, 8132)
    session.cursor.execute("insert into documents values (:1)", [made])
    session.cursor.execute("select c from documents")
    (fetched,) = session.cursor.fetchone()
    assert fetched.read(11, 5) == "xxxxx"
    session.cursor.execute(OFF)
    trace = read(path)
    # A CLOB's characters are two bytes each.
    calls = [(each.name, each.temporary, each.bytes) for each in trace.lobs]
    assert calls == [
        ("LOBTMPCREATE", True, 0),
        ("LOBWRITE", True, 40_022),
        ("LOBGETLEN", True, 40_022),
        ("LOBPGSIZE", True, 8132),
        ("LOBREAD", False, 10),
    ]
    assert all(0 <= each.c <= each.e + 10_000 for each in trace.lobs)
    # They are on no cursor, and so are the waits of their round trips.
    first, *_, last = trace.lobs
    assert {wait.cursor for wait in trace.waits if first.tim < wait.tim < trace.lobs[3].tim} == {0}
    asked = [wait.tim for wait in trace.waits if wait.name == FROM_CLIENT and wait.tim < last.tim]
    assert asked[-1] <= last.tim - last.e


def test_an_array_is_one_execution(lab: Lab) -> None:
    session = lab.connect()
    path = file_of(session)
    session.cursor.execute("create table many(a number)")
    before = session.statistics()["execute count"]
    session.cursor.execute(LEVEL_12)
    session.cursor.executemany("insert into many values (:1)", [(n,) for n in range(97)])
    session.cursor.execute(OFF)
    spent = session.statistics()["execute count"] - before
    trace = read(path)
    assert [call.r for call in trace.calls if call.name == "EXEC"] == [97, 0]
    assert trace.binds == [["0"]]
    assert spent == 4  # on, the array, off, and the query of the statistics


def test_the_identifier_begins_a_new_file(lab: Lab) -> None:
    session = lab.connect()
    first = file_of(session)
    session.cursor.execute(LEVEL_12)
    session.rows("select 1 from dual")
    session.cursor.execute("alter session set tracefile_identifier = 'part-2'")
    session.rows("select 2 from dual")
    second = file_of(session)
    sql = (
        "select p.tracefile, p.traceid from v$process p, v$session s"
        " where p.addr = s.paddr and s.sid = sys_context('userenv', 'sid')"
    )
    assert session.rows(sql) == [(str(second), "part-2")]
    assert second.name == f"{first.stem}_part-2.trc"
    old, new = read(first), read(second)
    assert old.continued == [f"*** TRACE CONTINUES IN FILE {second} ***"]
    assert new.continued == [f"*** TRACE CONTINUED FROM FILE {first} ***"]
    assert "select 1 from dual" in {s.sql for s in old.statements}
    assert "select 2 from dual" in {s.sql for s in new.statements}
    for name in ("../x", "a/b", "a b", "x" * 64):
        with pytest.raises(oracledb.DatabaseError, match="ORA-00922"):
            session.cursor.execute(f"alter session set tracefile_identifier = '{name}'")
    session.cursor.execute("alter session set tracefile_identifier = ''")
    assert file_of(session) == first


@pytest.mark.parametrize(("size", "limit"), [("20", 10_240), ("'12k'", 12_288)])
def test_a_file_that_reaches_its_limit(lab: Lab, size: str, limit: int) -> None:
    session = lab.connect()
    path = file_of(session)
    session.cursor.execute(f"alter session set max_dump_file_size = {size}")
    session.cursor.execute(LEVEL_12)
    for n in range(100):
        session.rows("select :n from dual", n=n)
    trace = read(path)
    assert trace.continued == [f"*** DUMP FILE SIZE IS LIMITED TO {limit} BYTES ***"]
    assert limit - 400 < path.stat().st_size - len(trace.continued[0]) - 1 <= limit
    shown = "select value from v$parameter where name = 'max_dump_file_size'"
    assert session.one(shown) == str(limit // 512)
    session.cursor.execute("alter session set max_dump_file_size = unlimited")
    assert session.one(shown) == "UNLIMITED"
    session.rows("select 'again' from dual")
    assert "select 'again' from dual" in path.read_text()
    with pytest.raises(oracledb.DatabaseError, match="ORA-00922"):
        session.cursor.execute("alter session set max_dump_file_size = 'much'")


def test_a_large_limit_cuts_the_file_into_segments(lab: Lab, run: Run) -> None:
    # GIVEN a limit of five segments of five MiB, and statements of a fifth of a MiB each
    session = lab.connect()
    path = file_of(session)
    session.cursor.execute("alter session set max_dump_file_size = '25M'")
    session.cursor.execute(LEVEL_12)
    text = "x" * 200_000
    # WHEN eight segments are filled
    for n in range(8 * 27):
        session.rows(f"select {n} /* {text} */ from dual")
    # THEN the first is there, and the last ones; each ends with a record,
    found = sorted(path.parent.glob(f"{path.stem}_*.trc"), key=lambda each: len(each.name))
    numbers = sorted(int(each.stem.removeprefix(f"{path.stem}_")) for each in found)
    last = numbers[-1]
    assert numbers == [1, last - 2, last - 1, last]
    assert last >= 7
    for each in found:
        assert 0 <= each.stat().st_size - (5 << 20) < 2 * len(text)
        assert each.read_text().startswith(f"Trace file {path}\n")
        assert "\n*** DUMP FILE" not in each.read_text()
    # and they are read as one trace.
    kept = [path, *found]
    execs = sum(each.read_text().count("\nEXEC #") for each in kept)
    done = run("trace", "--json", "--name", "EXEC", str(path))
    assert json.loads(done.stdout)["total"]["calls"] == execs > 100
    assert f"of its {last + 1} segments, {last - 4} were deleted" in done.stderr
    assert "select 0 /*" in read(path.with_name(f"{path.stem}_1.trc")).statements[0].sql


def test_a_pause_is_followed_by_the_time(lab: Lab) -> None:
    session = lab.connect()
    path = file_of(session)
    session.cursor.execute(LEVEL_12)
    session.rows("select 1 from dual")
    stamps = read(path).identity.count("time")
    time.sleep(2.2)  # what the pause is that Oracle marks so
    session.rows("select 1 from dual")
    trace = read(path)
    assert trace.identity.count("time") == stamps + 1
    lines = path.read_text().splitlines()
    stamp = max(i for i, line in enumerate(lines) if line.startswith("*** 2"))
    assert lines[stamp - 1] == ""
    assert FROM_CLIENT in lines[stamp + 1]


def test_waits_are_in_the_call_that_waited(lab: Lab) -> None:
    holder, session = lab.connect(), lab.connect()
    path = file_of(session)
    holder.cursor.execute("create table held(a number)")
    holder.cursor.execute("insert into held values (1)")
    session.cursor.execute(LEVEL_12)
    statement = lab.waiting(session, "insert into held values (2)")
    holder.connection.commit()
    assert statement.join()
    trace = read(path)
    [lock] = [wait for wait in trace.waits if wait.name == ROW_LOCK]
    exec_ = [call for call in trace.calls if call.name == "EXEC"][-1]
    assert lock.parameters == ("name|mode=1415053318", "usn<<16 | slot=0", "sequence=0")
    assert lock.cursor == exec_.cursor
    assert exec_.tim - exec_.e <= lock.tim - lock.ela <= lock.tim <= exec_.tim


def test_sums_equal_the_views(lab: Lab) -> None:
    """Calls, waits, gets and times of the trace against what the views counted meanwhile."""
    # GIVEN a session whose views another one reads, before and after
    session, watcher = lab.connect(disable_oob=True), lab.connect()
    sid, path = session.sid, file_of(session)
    session.cursor.execute("create table summed(a number, b varchar2(4000))")
    before = figures(watcher, sid)
    watcher.cursor.callproc("dbms_monitor.session_trace_enable", [sid, None, True, True])
    # WHEN it does something of everything
    for n in range(5):
        session.rows(LOTSLIOS, n=300 * (n + 1))
    session.cursor.executemany(
        "insert into summed values (:1, :2)", [(n, "x" * n) for n in range(2000)]
    )
    session.cursor.execute("commit")  # as a statement: then its gets are in a record
    session.cursor.arraysize = 7
    assert len(session.rows("select a, b from summed")) == 2000
    session.cursor.arraysize = 10_000
    assert len(session.rows("select a, b from summed order by b desc")) == 2000
    session.rows("select count(*) from v$session")
    session.cursor.execute("update summed set a = a + 1 where a < 100")
    session.cursor.execute("rollback")
    value = session.cursor.var(int)
    session.cursor.execute("begin select count(*) into :n from summed; end;", [value])
    assert value.getvalue() == 2000
    with pytest.raises(oracledb.DatabaseError):
        session.rows("select 1 / (a - 1999) from summed")
    session.connection.ping()
    after = figures(watcher, sid)
    trace = read(path)
    spent = Counter(after)
    spent.subtract(before)
    # THEN calls and gets are equal,
    assert trace.sum("cr", "PARSE", "EXEC", "FETCH") == spent["consistent gets"]
    assert trace.sum("cu", "PARSE", "EXEC", "FETCH") == spent["db block gets"]
    assert trace.count("PARSE") + 1 == spent["parse count (total)"] > 5
    recursive = [call for call in trace.calls if call.dep == 1]
    assert [call.name for call in recursive] == ["PARSE", "EXEC", "FETCH"]
    assert len(recursive) == spent["recursive calls"]
    assert trace.count("EXEC") + 1 == spent["execute count"] > 10
    assert trace.transactions == [(False, False), (True, False)]
    assert (spent["user commits"], spent["user rollbacks"]) == (1, 1)
    # each event as often and, to the microsecond, as long as the views have it,
    waits = Counter(wait.name for wait in trace.waits)
    us: Counter[str] = Counter()
    for wait in trace.waits:
        us[wait.name] += wait.ela
    counted = {event: spent[f"{event} waits"] for event in waits}
    assert waits == counted
    assert {event: us[event] for event in waits} == {e: spent[f"{e} us"] for e in waits}
    assert waits["SQL*Net more data to client"] > 20
    # and so are the times of the time model.
    assert trace.sum("e", "EXEC", "FETCH") == spent["sql execute elapsed time"]
    parsed_us = sum(call.e for call in trace.calls if call.name == "PARSE")
    assert parsed_us == spent["parse time elapsed"]
    calls_us = trace.sum("e", "PARSE", "EXEC", "FETCH")
    assert calls_us <= spent["DB time"]
    assert trace.sum("c", "PARSE", "EXEC", "FETCH") <= spent["DB CPU"] + 2000


def figures(watcher: Session, sid: int) -> dict[str, int]:
    """Statistics, waits and times of session `sid`, which waits for its client."""
    settle(watcher, sid)
    sql = (
        "select n.name, s.value from v$sesstat s, v$statname n"
        " where s.statistic# = n.statistic# and s.sid = :sid"
    )
    found = dict(watcher.rows(sql, sid=sid)) | dict(watcher.rows(TIMES, sid=sid))
    for event, waits, _, us in watcher.rows(EVENTS, sid=sid):
        found[f"{event} waits"], found[f"{event} us"] = waits, us
    return found


def test_the_query_of_a_block_is_one_level_deeper(lab: Lab) -> None:
    session = lab.connect()
    path = file_of(session)
    value = session.cursor.var(int)
    session.cursor.execute(LEVEL_12)
    for n in (1, 2):
        session.cursor.execute(
            "begin  select count(*)\n into :n from dual where 'a b' = :x or 1 = :y; end;",
            n=value, x="a b", y=n,
        )  # fmt: skip
    session.cursor.execute(OFF)
    trace = read(path)
    [inner] = [s for s in trace.statements if s.dep == 1]
    assert inner.sql == "SELECT COUNT(*) FROM DUAL WHERE 'a b' = :B1 OR 1 = :B2"
    assert inner.oct == 3
    calls = [(call.name, call.dep, call.r) for call in trace.calls if call.name != "PARSE"]
    once = [("EXEC", 1, 0), ("FETCH", 1, 1), ("EXEC", 0, 1)]
    assert calls == [*once, *once, ("EXEC", 0, 0)]
    deep, outer = trace.calls[3], trace.calls[4]
    assert deep.dep == 1
    assert outer.tim - outer.e <= deep.tim - deep.e <= deep.tim <= outer.tim
    assert deep.cursor == inner.cursor != outer.cursor
