# SPDX-License-Identifier: GPL-2.0-or-later
"""Limits of one statement or one client: time without a break check, memory, sessions."""

from __future__ import annotations

import contextlib
import itertools
import os
import re
import signal
import socket
from collections.abc import Callable
from pathlib import Path

import oracledb
import pytest

from polltrace.stop_at.threads import state
from tests.waiting import until

from .conftest import Lab, RunningStatement, Session, in_each_mode

CANCELLED = "ORA-01013"
NUMBERS = "select mod(level * 7919, 100000007) n from dual connect by level <= {rows}"
STEPS_PER_CHECK = 4000  # sql/execute/statement_steps.h
SILENT = 2000  # connections; there can be 512 sessions (process/sga.h)

WITHOUT_GETS = {
    "distinct": f"select max(n) from (select distinct n from ({NUMBERS}))",
    "sort": f"select max(n) from (select n from ({NUMBERS}) order by n)",
    "group by": f"select max(n) from (select n, count(*) from ({NUMBERS}) group by n)",
    "like": f"select count(*) from ({NUMBERS}) where to_char(n) like '%1%2%'",
}


@pytest.mark.parametrize("kind", WITHOUT_GETS)
def test_a_statement_without_gets_makes_a_check_per_some_steps(lab: Lab, kind: str) -> None:
    session = lab.connect(disable_oob=True)
    spent = session.spent(WITHOUT_GETS[kind].format(rows=200_000))
    assert spent["consistent gets"] == 0
    # Each row takes more than four steps.
    assert spent["lab break checks"] > 200_000 * 4 / STEPS_PER_CHECK
    assert spent["lab break polls"] > 0


@pytest.mark.parametrize("kind", WITHOUT_GETS)
@in_each_mode
def test_it_is_cancelled_in_the_middle(lab: Lab, session: Session, kind: str) -> None:
    session.cursor.execute("alter session set break_poll_skip = 1000")
    statement = lab.active(session, WITHOUT_GETS[kind].format(rows=10**12))
    session.connection.cancel()
    assert statement.join()
    assert statement.error.startswith(CANCELLED)
    assert session.one("select 3 from dual") == 3


@in_each_mode
def test_a_cancelled_sort_of_an_insert_undoes_only_itself(lab: Lab, session: Session) -> None:
    session.cursor.execute("create table numbers(n number)")
    session.cursor.execute("insert into numbers values(1)")
    statement = lab.active(
        session, f"insert into numbers select n from ({NUMBERS.format(rows=10**12)}) order by n"
    )
    session.connection.cancel()
    assert statement.join()
    assert statement.error.startswith(CANCELLED)
    assert session.rows("select n from numbers") == [(1,)]
    session.connection.rollback()
    assert session.rows("select n from numbers") == []


def test_a_translation_is_cancelled_in_the_middle(lab: Lab) -> None:
    # GIVEN names that are looked up one by one
    sql = "select 1 from " + ", ".join(f"dual a{i}" for i in range(4000))
    session, watcher = lab.connect(disable_oob=True), lab.connect()
    sid, spid = session.sid, session.spid
    before = watcher.statistic_of(sid, "lab break checks")
    # WHEN the statement and behind it the cancel are there as the server comes to read them
    os.kill(spid, signal.SIGSTOP)
    until(lambda: state(spid, spid) == "T")
    statement = RunningStatement(session)
    statement.start(sql)
    until(lambda: unread(lab.port) > len(sql), "the statement in the server's socket")
    session.connection.cancel()
    os.kill(spid, signal.SIGCONT)
    # THEN the translation's own checks find it
    assert statement.join()
    assert statement.error.startswith(CANCELLED)
    assert watcher.statistic_of(sid, "lab break checks") > before


@pytest.mark.parametrize(
    ("statement", "error"),
    [
        ("select 1 from " + ", ".join(f"dual a{i}" for i in range(8000)), "so complex a statement"),
        ("select 1 from dual" + " union select 1 from dual" * 20_000, "this many set operators"),
        ("select 1 from dual where 1 = 1" + " and 1 = 1" * 20_000, "so deep a statement"),
        ("select " + "nullif(" * 60 + "1" + ",1)" * 60 + " from dual", "so long a statement"),
    ],
    ids=["tables", "set", "conditions", "text that doubles"],
)
def test_a_translation_is_bounded(session: Session, statement: str, error: str) -> None:
    spid = session.spid
    with pytest.raises(oracledb.DatabaseError, match=f"ORA-03001.*{error}"):
        session.rows(statement)
    assert session.one("select 4 from dual") == 4
    assert peak_kb(spid) < 100_000


def test_a_large_sort_spills(lab: Lab) -> None:
    session = lab.connect()
    spid = session.spid
    # About 90 MB of keys.
    rows = "select rpad(to_char(level), 300, 'x') t from dual connect by level <= 300000"
    top = session.one(f"select count(*) from (select t from ({rows}) order by t)")
    distinct = session.one(f"select count(*) from (select distinct t from ({rows}))")
    assert (top, distinct) == (300_000, 300_000)
    assert peak_kb(spid) < 40_000


def test_memory_that_cannot_spill_is_bounded(start_lab: Callable[..., Lab]) -> None:
    # GIVEN a statement that takes more than 8 MB to prepare
    select = "select " + ",".join(str(i) for i in range(140)) + " from dual"
    wide = " union all ".join([select] * 400)
    small, large = start_lab("--pga-limit", "8").connect(), start_lab().connect()
    assert small.one("select value from v$parameter where name = 'pga_aggregate_limit'") == str(
        8 << 20
    )
    # WHEN it exceeds the limit, THEN it fails and the session goes on
    with pytest.raises(oracledb.DatabaseError, match="ORA-04036"):
        small.rows(wide)
    assert small.one("select 5 from dual") == 5
    assert len(large.rows(wide)) == 400


def test_silent_connections_keep_nobody_out(lab: Lab) -> None:
    with contextlib.ExitStack() as silent:
        for _ in range(SILENT // 2):
            silent.enter_context(socket.create_connection(("127.0.0.1", lab.port)))
        session = lab.connect()
        assert session.one("select 6 from dual") == 6
        for _ in range(SILENT // 2):
            silent.enter_context(socket.create_connection(("127.0.0.1", lab.port)))
        # A session that has logged on is not ended for others.
        assert session.one("select 7 from dual") == 7
        assert lab.connect().one("select 8 from dual") == 8


def unread(port: int) -> int:
    """Bytes that wait in the sockets of this local port, by /proc/net/tcp of proc(5)."""
    lines = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    return sum(
        int(line[4].partition(":")[2], 16) for line in lines if line[1].endswith(f":{port:04X}")
    )


def peak_kb(pid: int) -> int:
    """The most memory that the process has had, in kB."""
    [peak] = re.findall(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
    return int(peak)


def test_as_many_binds_and_columns_as_oracle_takes(session: Session) -> None:
    # GIVEN 1,000 columns of 65 or 66 binds
    sizes = [66] * 535 + [65] * 465
    columns: list[str] = []
    binds: list[str] = []
    for size in sizes:
        first = len(binds) + 1
        columns.append("||".join(f":{n}" for n in range(first, first + size)))
        binds += [chr(ord("a") + n % 26) for n in range(size)]
    assert len(binds) == 65_535
    cursor = session.cursor
    # WHEN they are executed, twice
    for _ in range(2):
        cursor.execute(f"select {', '.join(columns)} from dual", binds)
        [row] = cursor.fetchall()
        # THEN every bind is where it belongs
        text = iter(binds)
        assert list(row) == ["".join(itertools.islice(text, size)) for size in sizes]
    with pytest.raises(oracledb.DatabaseError, match="ORA-01745"):
        cursor.execute(f"select {', '.join(columns)}, :more from dual where 1 = 1", [*binds, "x"])


def test_a_chain_of_operators(session: Session) -> None:
    assert session.one(f"select {'+'.join('1' * 400)} from dual") == 400


def test_more_columns_than_oracle_takes(session: Session) -> None:
    with pytest.raises(oracledb.DatabaseError, match="ORA-01792"):
        session.rows(f"select {', '.join(str(n) for n in range(1001))} from dual")


def test_repeated_names_among_many_binds(session: Session) -> None:
    names = [f"n{i % 700}" for i in range(2100)]
    sql = f"select {', '.join('||'.join(f':{name}' for name in names[i::300]) for i in range(300))}"
    values = {name: name for name in names}
    session.cursor.execute(f"{sql} from dual", values)
    [row] = session.cursor.fetchall()
    assert list(row) == ["".join(names[i::300]) for i in range(300)]


def test_a_row_of_a_thousand_columns_comes_back(session: Session) -> None:
    columns = [f"c{n}" for n in range(1000)]
    session.cursor.execute(f"create table wide ({', '.join(f'{c} number' for c in columns)})")
    out = [session.cursor.var(int) for _ in columns]
    marks = [f":{n}" for n in range(2000)]
    session.cursor.execute(
        f"insert into wide values ({', '.join(marks[:1000])})"
        f" returning {', '.join(columns)} into {', '.join(marks[1000:])}",
        [*range(1000), *out],
    )
    assert [var.getvalue() for var in out] == [[n] for n in range(1000)]
    assert session.rows("select * from wide") == [tuple(range(1000))]
