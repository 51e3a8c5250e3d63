# SPDX-License-Identifier: GPL-2.0-or-later
"""The server result cache: what it keeps and for how long, and what its latch counts."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

import oracledb
import pytest

from .breakpoint import breakpoint_at
from .conftest import SOAK, Lab, RunningStatement, Session
from .result_cache import execute, gets, latch_of, results, statistic

ALL = "select /*+ result_cache */ * from t"
LOOKUP = "select /*+ result_cache */ substr(v, 1, 200) from t where n = :n"
READS = int(os.environ.get("LAB_READS", "1000000" if SOAK else "10000"))


def filled(session: Session, rows: int = 100, width: int = 2000) -> Session:
    execute(
        session,
        "create table t (n number, v varchar2(2000))",
        f"insert into t select level, rpad('x', {width}, 'x') from dual connect by level <= {rows}",
        "create index t_n on t (n)",
        "commit",
    )
    return session


@pytest.fixture
def session(lab: Lab) -> Session:
    return filled(lab.connect())


@pytest.fixture(params=["exclusive", "shared"])
def mode(request: pytest.FixtureRequest, session: Session) -> str:
    execute(session, f'alter session set "_result_cache_latch_mode" = {request.param}')
    return str(request.param)


def test_gets_of_a_fill_and_a_hit(session: Session, mode: str) -> None:
    """A fill: its blocks, three more, and one for the table; later fills know the table."""
    assert latch_of(session).gets == 0
    fill = gets(session, ALL)
    [(status, rows, blocks)] = results(session)
    assert (status, rows) == ("Published", 100)
    unused = session.one("select space_unused from v$result_cache_objects where type = 'Result'")
    assert 200 <= blocks <= 201  # 100 rows of 2,014 bytes, and what says whose they are
    assert 0 <= unused < 1008
    assert fill == blocks + 3 + 1
    used = session.rows("select free, count(*) from v$result_cache_memory group by free")
    assert dict(used)["NO"] == blocks + 1
    assert sum(count for _, count in used) % 32 == 0
    for _ in range(3):
        assert gets(session, ALL) == 2
    assert gets(session, LOOKUP, n=7) == 1 + 3
    assert gets(session, LOOKUP, n=7) == 2
    assert gets(session, LOOKUP, n=8) == 1 + 3
    figures = latch_of(session)
    assert (figures.misses, figures.sleeps, figures.wait_us) == (0, 0, 0)
    assert statistic(session, "Find Count") == 4
    assert statistic(session, "Create Count Success") == 3


def test_a_hit_makes_no_consistent_gets_and_has_the_same_rows(session: Session) -> None:
    first = session.rows(ALL)
    assert session.spent(ALL)["consistent gets"] == 0
    assert session.rows(ALL) == first == session.rows("select * from t")
    assert session.spent("select * from t")["consistent gets"] > 10


def test_what_a_result_may_hold(session: Session) -> None:
    execute(
        session,
        "create table kinds (n number, d date, s timestamp, r raw(20), v varchar2(9), f number)",
        "insert into kinds values (1, date '2020-02-29', timestamp '2020-02-29 12:00:00.123456',"
        " null, 'é', 0.1)",
        "insert into kinds values (null, null, null, null, null, 12345678901234567890123.5)",
    )
    session.cursor.execute("update kinds set r = :r where n = 1", r=b"\x00\xff\x10")
    session.connection.commit()
    query = "select /*+ result_cache */ * from kinds order by f"
    first, described = session.rows(query), session.cursor.description
    assert session.rows(query) == first
    assert session.cursor.description == described
    assert first == session.rows("select * from kinds order by f")
    empty = "select /*+ result_cache */ n from kinds where n = 99"
    assert session.rows(empty) == session.rows(empty) == []
    assert statistic(session, "Find Count") == 2


def test_other_binds_and_types_are_other_results(session: Session) -> None:
    query = "select /*+ result_cache */ count(*), :b from t where n <= :b"
    assert [session.rows(query, b=b)[0][0] for b in (7, 8, 7, 8.5, 0.1 + 0.2, 0.3)] == [
        *(7, 8, 7, 8, 0, 0)
    ]
    assert session.rows(query, b="7")[0] == (7, "7")
    assert statistic(session, "Find Count") == 1


@pytest.mark.parametrize(
    "query",
    [
        "select * from t",
        "select /*+ no_result_cache */ * from t",
        "select /*+ result_cache */ sysdate, n from t",
        "select /*+ result_cache */ systimestamp, n from t",
        "select /*+ result_cache */ n from t where user = 'SCOTT'",
        "select /*+ result_cache */ n from t where sys_context('userenv', 'sid') > 0",
        "select /*+ result_cache */ n from t for update",
        "select /*+ result_cache */ t.n, s.sid from t, v$session s",
        "select /*+ result_cache */ n, o.name from t, sys.obj$ o where o.obj# = 1",
        "select n from (select /*+ result_cache */ n from t)",
    ],
)
def test_what_is_not_cached(session: Session, query: str) -> None:
    assert gets(session, query) == 0
    session.connection.rollback()
    assert results(session) == []


def test_a_commit_ends_a_result(lab: Lab, session: Session) -> None:
    reader = lab.connect()
    assert reader.one(LOOKUP, n=1)[0] == "x"
    execute(session, "update t set v = 'new' where n = 1")
    assert gets(reader, LOOKUP, n=1) == 2
    assert reader.one(LOOKUP, n=1)[0] == "x"
    session.connection.commit()
    assert results(reader)[0][0] == "Invalid"
    assert reader.one(LOOKUP, n=1) == "new"
    assert statistic(reader, "Invalidation Count") == 1
    assert gets(reader, LOOKUP, n=1) == 2


def test_neither_a_rollback_nor_another_tables_commit_ends_it(lab: Lab, session: Session) -> None:
    reader = lab.connect()
    execute(session, "create table other (n number)")
    for _ in range(2):  # another session's DDL makes the first one parse anew: it is not kept
        reader.rows(LOOKUP, n=1)
    execute(session, "update t set v = 'new' where n = 1", "rollback")
    execute(session, "insert into other values (1)", "commit")
    assert gets(reader, LOOKUP, n=1) == 2
    assert statistic(reader, "Invalidation Count") == 0


def test_a_session_sees_its_own_changes(lab: Lab, session: Session) -> None:
    reader = lab.connect()
    reader.rows(LOOKUP, n=1)
    execute(session, "update t set v = 'own' where n = 1")
    assert gets(session, LOOKUP, n=1) == 0
    assert session.one(LOOKUP, n=1) == "own"
    assert reader.one(LOOKUP, n=1)[0] == "x"
    session.connection.rollback()
    assert session.one(LOOKUP, n=1)[0] == "x"
    assert gets(session, LOOKUP, n=1) == 2


@pytest.mark.parametrize(
    "change",
    [
        ["delete from t where n = 1", "commit"],
        ["delete from t", "commit"],
        ["truncate table t"],
        ["drop table t", "create table t (n number, v varchar2(2000))"],
        ["insert into t values (1, 'y')", "commit"],
        ["insert into t values (1, 'y')", "create table any_ddl_commits (n number)"],
    ],
)
def test_every_change_is_seen(lab: Lab, session: Session, change: list[str]) -> None:
    reader = lab.connect()
    query = "select /*+ result_cache */ count(*) from t where n = 1"
    assert [reader.one(query), reader.one(query)] == [1, 1]
    execute(session, *change)
    assert reader.one(query) == (2 if "insert" in change[0] else 0)


def test_another_table_of_the_name_has_other_columns(lab: Lab, session: Session) -> None:
    """A cursor that was parsed for the old table finds no result of the new one."""
    old, new = lab.connect(), lab.connect()
    assert len(old.rows(ALL)[0]) == 2
    execute(session, "drop table t", "create table t (a number, b number, c number)")
    execute(session, "insert into t values (1, 2, 3)", "commit")
    assert new.rows(ALL) == [(1, 2, 3)]
    old.cursor.close()
    old.cursor = old.connection.cursor()
    assert old.rows(ALL) == [(1, 2, 3)]


def test_the_sessions_formats_are_part_of_the_question(lab: Lab, session: Session) -> None:
    query = "select /*+ result_cache */ to_char(date '2020-02-29' + n) from t where n = 1"
    assert session.one(query) == "01-MAR-20"
    execute(session, "alter session set nls_date_format = 'YYYY'")
    assert session.one(query) == "2020"
    assert lab.connect().one(query) == "01-MAR-20"


def test_force_asks_for_no_hint(session: Session) -> None:
    execute(session, "alter session set result_cache_mode = force")
    assert session.one("select value from v$parameter where name = 'result_cache_mode'") == "FORCE"
    session.rows("select n from t where n < 5")
    assert gets(session, "select n from t where n < 5") == 2
    assert gets(session, "select /*+ no_result_cache */ n from t where n < 6") == 0
    execute(session, "alter session set result_cache_mode = manual")
    assert gets(session, "select n from t where n < 5") == 0


@pytest.mark.parametrize(
    "setting", ["result_cache_mode = sometimes", '"_result_cache_latch_mode" = fast']
)
def test_other_settings_are_refused(session: Session, setting: str) -> None:
    with pytest.raises(oracledb.DatabaseError, match="ORA-00922"):
        execute(session, f"alter session set {setting}")


def test_the_result_used_longest_ago_goes_first(start_lab: Callable[..., Lab]) -> None:
    session = filled(start_lab("--result-cache", "1").connect(), rows=1100, width=200)
    assert statistic(session, "Block Count Maximum") == 1024
    for n in range(1, 1024):  # and a block for the table
        session.rows(LOOKUP, n=n)
    assert statistic(session, "Delete Count Valid") == 0
    for n in (2, 1, 4):
        assert gets(session, LOOKUP, n=n) == 2
    for n in range(1024, 1044):
        assert gets(session, LOOKUP, n=n) == 1 + 3
    assert statistic(session, "Delete Count Valid") == 20
    assert [gets(session, LOOKUP, n=n) for n in (1, 2, 4, 24)] == [2, 2, 2, 2]
    assert [gets(session, LOOKUP, n=n) for n in (3, 5, 23)] == [4, 4, 4]
    assert statistic(session, "Block Count Current") == 1024


def test_a_result_beyond_its_share_is_not_kept(start_lab: Callable[..., Lab]) -> None:
    session = filled(start_lab("--result-cache", "1").connect(), rows=40)
    assert statistic(session, "Result Size Maximum (Blocks)") == 51
    assert gets(session, ALL) == 1 + 1  # it is looked for, and its table made known
    assert statistic(session, "Create Count Failure") == 1
    assert len(session.rows(ALL)) == 40


def test_without_a_cache(start_lab: Callable[..., Lab]) -> None:
    session = filled(start_lab("--result-cache", "0").connect())
    assert gets(session, ALL) == gets(session, ALL) == 0


def test_the_package(lab: Lab, session: Session) -> None:
    other = lab.connect()
    session.rows(ALL)
    execute(other, "begin dbms_result_cache.invalidate('SCOTT', 'T'); end;")
    assert results(session)[0][0] == "Invalid"
    session.rows(ALL)
    execute(other, "begin dbms_result_cache.bypass(true); end;")
    assert gets(session, ALL) == 0
    execute(other, "begin dbms_result_cache.bypass(false); end;")
    assert gets(session, ALL) == 2
    execute(other, "call dbms_result_cache.flush()")
    assert session.rows("select * from v$result_cache_objects") == []
    assert session.rows("select * from v$result_cache_memory") == []
    session.rows(ALL)
    assert gets(session, ALL) == 2


def output(session: Session, block: str) -> list[str]:
    """The lines that a block puts out."""
    session.cursor.callproc("dbms_output.enable")
    session.cursor.execute(block)
    lines: list[str] = []
    line, status = session.cursor.var(str), session.cursor.var(int)
    while True:
        session.cursor.callproc("dbms_output.get_line", (line, status))
        if status.getvalue():
            return lines
        lines.append(line.getvalue())


STATUS = "select dbms_result_cache.status() from dual"


def test_the_status(session: Session, start_lab: Callable[..., Lab]) -> None:
    assert session.one(STATUS) == "ENABLED"
    execute(session, "begin dbms_result_cache.bypass(true); end;")
    assert session.one(STATUS) == "BYPASS"
    execute(session, "begin dbms_result_cache.bypass(false); end;")
    assert output(session, "begin dbms_output.put_line(dbms_result_cache.status); end;") == [
        "ENABLED"
    ]
    none = start_lab("--result-cache", "0").connect()
    assert none.one(STATUS) == "DISABLED"
    assert output(none, "begin dbms_result_cache.memory_report; end;") == [
        "Result cache is disabled"
    ]


def test_the_report_of_the_memory(session: Session) -> None:
    report = "begin dbms_result_cache.memory_report; end;"
    empty = output(session, report)
    fixed = next(line for line in empty if line.startswith("... Fixed"))
    total = empty[empty.index("[Memory]") + 1]
    assert empty[1:5] == [
        "[Parameters]",
        "Block Size = 1K bytes",
        "Maximum Cache Size = 16384K bytes (16384 blocks)",
        "Maximum Result Size = 819K bytes (819 blocks)",
    ]
    assert empty[-1] == "... Dynamic Memory = 0 bytes"
    assert total.split()[3] == fixed.split()[4]
    execute(
        session,
        "create function f return number result_cache is begin return 1; end;",
        "declare n number; begin n := f; end;",
    )
    session.rows(ALL)
    session.rows(LOOKUP, n=1)
    before = latch_of(session).gets
    full = output(session, "begin dbms_result_cache.memory_report(detailed => true); end;")
    assert latch_of(session).gets - before == 1
    [(_, _, blocks), *_] = sorted(results(session), key=lambda each: -each[2])
    assert full[-8:] == [
        "... Dynamic Memory = 229376 bytes",
        "....... Cache Memory = 224K bytes (224 blocks)",
        f"........... Unused Memory = {224 - blocks - 4} blocks",
        f"........... Used Memory = {blocks + 4} blocks",
        "............... Dependencies = 2 blocks (2 count)",
        f"............... Results = {blocks + 2} blocks",
        f"................... SQL = {blocks + 1} blocks (2 count)",
        "................... PLSQL = 1 blocks (1 count)",
    ]
    assert "....... Hash Table = 16K bytes (4K buckets)" in full
    assert not any("Hash Table" in line for line in empty)
    execute(session, "update t set n = n where n = 1", "commit")
    assert f"................... Invalid = {blocks + 1} blocks (2 count)" in output(session, report)


def test_dependencies(session: Session) -> None:
    execute(session, "create table u (n number)", "insert into u values (1)", "commit")
    join = "select /*+ result_cache */ count(*) from t, u where t.n = u.n"
    assert gets(session, join) == 1 + 3 + 2
    tables = session.rows(
        "select d.name from v$result_cache_dependency x, v$result_cache_objects r,"
        " v$result_cache_objects d where x.result_id = r.id and x.depend_id = d.id"
        " and r.type = 'Result' order by d.name"
    )
    assert tables == [("SCOTT.T",), ("SCOTT.U",)]
    execute(session, "update u set n = 0", "commit")
    assert session.one(join) == 0


def test_results_end_before_the_commit_is_seen(lab: Lab, session: Session) -> None:
    """The session that commits stands where it gets the latch to end them."""
    reader, uncached = lab.connect(), LOOKUP.replace("result_cache", "no_result_cache")
    for _ in range(2):
        reader.rows(LOOKUP, n=1)
    execute(session, "update t set v = 'new' where n = 1")
    commit = RunningStatement(session)
    with breakpoint_at(session.spid, "kslgetl") as reached:
        commit.start("commit")
        reached()
        assert [reader.one(query, n=1)[0] for query in (uncached, LOOKUP)] == ["x", "x"]
    assert commit.join()
    assert [reader.one(query, n=1) for query in (uncached, LOOKUP)] == ["new", "new"]


def test_a_result_of_another_definition_is_not_found(lab: Lab, session: Session) -> None:
    """A session that has made its key stands before it looks for the result, while another table
    takes the name and the same text gets another result."""
    late, other = lab.connect(), lab.connect()
    pid, found = late.spid, list(late.rows(ALL))[:0]
    thread = threading.Thread(target=lambda: found.extend(late.rows(ALL)))
    with breakpoint_at(pid, "result_cache_find") as reached:
        thread.start()
        reached()
        execute(session, "drop table t", "create table t (n varchar2(9), v number)")
        execute(session, "insert into t values ('seven', 8)", "commit")
        assert other.rows(ALL) == other.rows(ALL) == [("seven", 8)]
    thread.join()
    assert found == [("seven", 8)]
    assert statistic(other, "Find Count") == 1  # the other session's


@dataclass
class Race:
    """Writers that change two rows at a time, and readers through the cache."""

    lab: Lab
    readers: int = 4
    writers: int = 4
    committed: list[int] = field(default_factory=lambda: [0] * 4)
    wrong: list[str] = field(default_factory=list)
    over: threading.Event = field(default_factory=threading.Event)

    def write(self, number: int) -> None:
        session, value = self.lab.connect(), 0
        while not self.over.is_set():
            value += 1
            execute(session, f"update pairs set value = {value} where writer = {number}")
            session.connection.commit()
            self.committed[number] = value  # from here on nobody may read less

    def read(self, number: int, reads: int) -> None:
        session = self.lab.connect()
        mode = "exclusive" if number % 2 else "shared"
        execute(session, f'alter session set "_result_cache_latch_mode" = {mode}')
        query = "select /*+ result_cache */ writer, value from pairs order by writer, half"
        for _ in range(reads):
            least = list(self.committed)
            rows = session.rows(query)
            first, second = dict(rows[::2]), dict(rows[1::2])
            if first != second or any(first[w] < least[w] for w in range(self.writers)):
                self.wrong.append(f"{least} {rows}")

    def run(self, reads: int) -> None:
        readers = [
            threading.Thread(target=self.read, args=(i, reads // self.readers))
            for i in range(self.readers)
        ]
        writers = [threading.Thread(target=self.write, args=(i,)) for i in range(self.writers)]
        for thread in readers + writers:
            thread.start()
        for thread in readers:
            thread.join()
        self.over.set()
        for thread in writers:
            thread.join()


def test_no_read_is_stale_or_torn(lab: Lab) -> None:
    watcher = lab.connect()
    execute(watcher, "create table pairs (writer number, half number, value number)")
    execute(
        watcher,
        "insert into pairs select mod(level, 4), trunc((level - 1) / 4), 0"
        " from dual connect by level <= 8",
        "commit",
    )
    race = Race(lab)
    race.run(READS)
    assert race.wrong == []
    assert min(race.committed) > 10
    assert statistic(watcher, "Find Count") > READS / 100
    assert statistic(watcher, "Invalidation Count") > 10
    figures = latch_of(watcher)
    assert figures.misses == figures.spin_gets + figures.slept
    assert watcher.rows("select * from v$latchholder") == []


def test_killed_sessions_stop_nobody(lab: Lab, session: Session) -> None:
    """Servers are killed wherever they are, with the latch or not."""
    survivor, choose, over = lab.connect(), random.Random(11), threading.Event()

    def repeat(step: Callable[[Session], object]) -> None:
        while not over.is_set():
            with contextlib.suppress(oracledb.Error):  # it was killed
                victim = lab.connect()
                while not over.is_set():
                    step(victim)

    def read(victim: Session) -> None:
        victim.rows(LOOKUP, n=choose.randrange(1, 101))

    def change(victim: Session) -> None:
        execute(victim, "update t set v = 'z' where n = 1", "commit")

    threads = [threading.Thread(target=repeat, args=(s,)) for s in (read, read, read, change)]
    for thread in threads:
        thread.start()
    spared, took = {survivor.spid, session.spid}, []
    for _ in range(60):
        victims = [int(spid) for (spid,) in survivor.rows("select spid from v$process")]
        for victim in {pid for pid in victims if pid not in spared and choose.random() < 0.3}:
            with contextlib.suppress(ProcessLookupError):
                os.kill(victim, signal.SIGKILL)
        began = time.monotonic()
        survivor.rows(LOOKUP, n=choose.randrange(1, 101))
        survivor.rows(ALL)
        took.append(time.monotonic() - began)
    over.set()
    for thread in threads:
        thread.join()
    assert max(took) < 1.0
    assert survivor.rows("select * from v$latchholder") == []
    figures = latch_of(survivor)
    assert figures.misses == figures.spin_gets + figures.slept
    for n in range(1, 101):  # also what one of them had begun to keep
        survivor.rows(LOOKUP, n=n)
        assert gets(survivor, LOOKUP, n=n) == 2
