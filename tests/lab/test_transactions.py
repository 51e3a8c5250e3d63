# SPDX-License-Identifier: GPL-2.0-or-later
"""Tables of one's own: what they take, who sees what, and who waits for whom."""

from __future__ import annotations

import datetime
import os
import signal
import time

import oracledb
import pytest

from .conftest import SOON_S, Lab, RunningStatement, Session, ended

TABLE = "create table t (n number primary key, v varchar2(10), d date default sysdate not null)"
COUNT = "select count(*) from t"


@pytest.fixture
def writer(lab: Lab) -> Session:
    session = lab.connect()
    session.cursor.execute(TABLE)
    return session


def run(session: Session, sql: str, **binds: object) -> int:
    session.cursor.execute(sql, binds)
    return int(session.cursor.rowcount)


def test_rows_changed_and_read_back(writer: Session) -> None:
    assert (
        run(writer, "insert into t (n, v) select level, 'x' from dual connect by level <= 100")
        == 100
    )
    assert run(writer, "update t set v = :v where n <= 10", v="u") == 10
    assert run(writer, "delete t where n > 50") == 50
    assert writer.rows("select v, count(*) from t group by v order by v") == [("u", 10), ("x", 40)]
    assert run(writer, "truncate table t") == 0
    assert writer.one(COUNT) == 0


def test_many_rows_of_binds_at_once(writer: Session) -> None:
    day = datetime.datetime(2020, 2, 29, 12)
    writer.cursor.executemany(
        "insert into t values (:1, :2, :3)", [(i, str(i), day) for i in range(1009)]
    )
    assert writer.cursor.rowcount == 1009
    assert writer.rows("select sum(n), min(d) from t") == [(1009 * 1008 / 2, day)]


@pytest.mark.parametrize(
    ("values", "error"),
    [
        ("1, 'x', sysdate", "ORA-00001"),
        ("null, 'x', sysdate", "ORA-01400"),
        ("2, 'x', null", "ORA-01400"),
        ("'two', 'x', sysdate", "ORA-01722"),
        ("2, 'elevenchars', sysdate", "ORA-12899"),
        ("2, 'x', 'today'", "ORA-01858"),
    ],
)
def test_values_that_a_column_refuses(writer: Session, values: str, error: str) -> None:
    run(writer, "insert into t (n) values (1)")
    with pytest.raises(oracledb.DatabaseError, match=error):
        run(writer, f"insert into t values ({values})")
    assert writer.one(COUNT) == 1


def test_others_see_what_is_committed(lab: Lab, writer: Session) -> None:
    other = lab.connect()
    run(writer, "insert into t (n) values (1)")
    assert (writer.one(COUNT), other.one(COUNT)) == (1, 0)
    writer.connection.rollback()
    assert (writer.one(COUNT), other.one(COUNT)) == (0, 0)
    run(writer, "insert into t (n) values (2)")
    writer.connection.commit()
    assert (writer.one(COUNT), other.one(COUNT)) == (1, 1)


def test_autocommit(lab: Lab, writer: Session) -> None:
    writer.connection.autocommit = True
    for n in range(3):  # drivers ask in another way when they execute again
        run(writer, "insert into t (n) values (:n)", n=n)
        assert lab.connect().one(COUNT) == n + 1


def test_a_failed_statement_leaves_the_transaction(lab: Lab, writer: Session) -> None:
    run(writer, "insert into t (n) values (1)")
    with pytest.raises(oracledb.DatabaseError, match="ORA-00001"):
        run(writer, "insert into t (n) select 3 - level from dual connect by level <= 2")
    writer.connection.commit()
    assert lab.connect().one(COUNT) == 1


@pytest.mark.parametrize("in_band", [False, True])
def test_a_cancelled_statement_leaves_the_transaction(lab: Lab, in_band: bool) -> None:
    session = lab.connect(disable_oob=in_band)
    run(session, TABLE)
    run(session, "insert into t (n) select level from dual connect by level <= 7")
    watcher, sid = lab.connect(), session.sid
    before = watcher.statistic_of(sid, "db block gets")
    statement = RunningStatement(session)
    statement.start(
        "insert into t (n) select a.obj# + 100 from sys.obj$ a where a.obj# < 99 or"
        " exists (select 1 from sys.obj$ b where b.owner# = -a.obj#)"
    )
    while watcher.statistic_of(sid, "db block gets") < before + 1000:
        assert statement.thread.is_alive()
    session.connection.cancel()
    assert statement.join()
    assert statement.error.startswith("ORA-01013")
    assert session.one(COUNT) == 7
    assert lab.connect().one(COUNT) == 0
    session.connection.commit()
    assert lab.connect().one(COUNT) == 7


def test_the_changes_of_a_killed_session_are_rolled_back(lab: Lab, writer: Session) -> None:
    victim = lab.connect()
    spid = victim.spid
    run(victim, "insert into t (n) values (1)")
    os.kill(spid, signal.SIGKILL)
    assert ended(spid, within_s=SOON_S)
    assert writer.one(COUNT) == 0
    assert run(writer, "insert into t (n) values (1)") == 1


def test_a_writer_waits_for_the_other_ones_commit(lab: Lab, writer: Session) -> None:
    other = lab.connect()
    run(writer, "insert into t (n) values (1)")
    statement = lab.waiting(other, "insert into t (n) values (2)")
    assert not statement.join(within_s=0.2)
    writer.connection.commit()
    # The insert is done now; that it returns no rows is the thread's only complaint.
    assert statement.join()
    other.connection.commit()
    assert writer.one(COUNT) == 2


def test_a_wait_is_cancelled_at_once_out_of_band(lab: Lab, writer: Session) -> None:
    run(writer, "insert into t (n) values (1)")
    lab.expect_waits_to_end_at_once(lab.connect(), "insert into t (n) values (2)")


def test_a_wait_is_cancelled_slice_by_slice_in_band(lab: Lab, writer: Session) -> None:
    lab.sqlnet_ora("BREAK_POLL_SKIP=2")
    other = lab.connect(disable_oob=True)
    run(writer, "insert into t (n) values (1)")
    began = time.monotonic()
    statement = lab.waiting(other, "insert into t (n) values (2)")
    other.connection.cancel()
    assert statement.join()
    assert statement.error.startswith("ORA-01013")
    assert time.monotonic() - began >= 3  # not before a slice of 3 s is over
    assert other.one("select 1 from dual") == 1


@pytest.mark.parametrize(
    ("sql", "error"),
    [
        ("create table sys.x (n number)", "ORA-01031"),
        ("update sys.obj$ set name = 'x'", "ORA-01031"),
        ("insert into dual values ('Y')", "ORA-01031"),
        ("drop table dual", "ORA-00942"),
        ("create table c (x bfile)", "ORA-03001"),
        ("create table c (x number(39))", "ORA-01727"),
        ("create table c (x varchar2(5000))", "ORA-00910"),
        ("create table t (x number)", "ORA-00955"),
        ("select * from sqlite_master", "ORA-00942"),
        ("pragma user_version", "ORA-03001"),
        ("attach database 'x' as y", "ORA-03001"),
    ],
)
def test_statements_that_are_refused(writer: Session, sql: str, error: str) -> None:
    with pytest.raises(oracledb.DatabaseError, match=error):
        run(writer, sql)


def test_tables_made_of_queries_and_indexes(writer: Session) -> None:
    run(writer, "create table a as select obj#, name, ctime from sys.obj$ where rownum <= 5")
    run(writer, "create unique index i on a (obj#)")
    [first, *_] = writer.rows("select * from scott.a order by obj#")
    assert first[0] == 2
    assert isinstance(first[2], datetime.datetime)
    run(writer, "drop index i")
    run(writer, "drop table a purge")
    with pytest.raises(oracledb.DatabaseError, match="ORA-00942"):
        writer.rows("select * from a")


def test_for_update_locks_and_reports_what_it_did_not_get(lab: Lab, writer: Session) -> None:
    other = lab.connect()
    run(writer, "insert into t (n) values (1)")
    writer.connection.commit()
    assert writer.rows("select n from t where n = 1 for update") == [(1,)]
    with pytest.raises(oracledb.DatabaseError, match="ORA-00054"):
        other.rows("select n from t for update nowait")
    with pytest.raises(oracledb.DatabaseError, match="ORA-30006"):
        other.rows("select n from t for update of n wait 1")
    assert other.one(COUNT) == 1  # readers never wait
    statement = RunningStatement(other)
    statement.start("select n from t for update")
    assert not statement.join(within_s=0.2)
    writer.connection.commit()
    assert statement.join()
    assert statement.error == ""
    with pytest.raises(oracledb.DatabaseError, match="ORA-00054"):
        writer.rows("select n from t for update nowait")
    other.connection.rollback()
    assert writer.rows("select n from t for update skip locked") == [(1,)]
    assert other.rows("select n from t for update skip locked") == []
    assert [d[0] for d in other.cursor.description] == ["N"]
    writer.connection.rollback()
    assert other.rows("select n from t for update skip locked") == [(1,)]
    with pytest.raises(oracledb.DatabaseError, match="ORA-00054"):
        writer.rows("select n from t for update nowait")
    other.connection.rollback()


def test_locks_and_who_waits_for_them(lab: Lab, writer: Session) -> None:
    locks = "select sid, type, lmode, request, block from v$lock order by request"
    watcher, other = lab.connect(), lab.connect()
    run(writer, "insert into t (n) values (1)")
    [(holder, *held)] = watcher.rows(locks)
    assert (holder, held) == (writer.sid, ["TX", 6, 0, 0])
    waiter = other.sid
    statement = lab.waiting(other, "insert into t (n) values (2)")
    assert watcher.rows(locks) == [(holder, "TX", 6, 0, 1), (waiter, "TX", 0, 6, 0)]
    assert watcher.one("select count(distinct id1 || '.' || id2) from v$lock") == 1
    writer.connection.commit()
    assert statement.join()
    assert watcher.rows(locks) == [(waiter, "TX", 6, 0, 0)]
    other.connection.rollback()
    assert watcher.rows(locks) == []
    assert watcher.rows("select * from v$transaction") == []


@pytest.mark.parametrize(
    ("sql", "error"),
    [
        ("insert into t (n) values (1)", "ORA-00001"),
        ("insert into t (n) values ('one')", "ORA-01722"),
        ("insert into t (n) select 3 - level from dual connect by level <= 2", "ORA-00001"),
        ("update t set n = n where n = 7", None),
        ("delete t where n = 7", None),
        ("insert into t (n) select 2 from dual where 1 = 2", None),
        (
            "merge into t using (select 7 k from dual) on (n = k)"
            " when matched then update set v = 'x'",
            None,
        ),
        ("select n from t where n = 7 for update", None),
        ("select 1 / (n - 1) from t for update", "ORA-01476"),
        ("begin insert into t (n) values (1); end;", "ORA-00001"),
        (
            "begin insert into t (n) values (1); exception when dup_val_on_index then null; end;",
            None,
        ),
    ],
)
@pytest.mark.parametrize("autocommit", [False, True])
def test_a_statement_without_changes_leaves_no_lock(
    lab: Lab, writer: Session, sql: str, error: str | None, autocommit: bool
) -> None:
    run(writer, "insert into t (n) values (1)")
    writer.connection.commit()
    writer.connection.autocommit = autocommit
    if error:
        with pytest.raises(oracledb.DatabaseError, match=error):
            writer.cursor.execute(sql)
    else:
        writer.cursor.execute(sql)
    other = lab.connect()
    # With a lock left, this is ORA-00054 instead of a wait without end.
    assert other.rows("select n from t for update nowait") == [(1,)]
    assert other.rows("select count(*) from v$transaction") == [(1,)]
    assert run(other, "update t set v = 'u'") == 1
    other.connection.commit()
    assert run(writer, "update t set v = 'w'") == 1


def test_a_failed_statement_keeps_the_locks_of_earlier_changes(lab: Lab, writer: Session) -> None:
    run(writer, "insert into t (n) values (1)")
    with pytest.raises(oracledb.DatabaseError, match="ORA-00001"):
        run(writer, "insert into t (n) values (1)")
    other = lab.connect()
    with pytest.raises(oracledb.DatabaseError, match="ORA-00054"):
        other.rows("lock table t in exclusive mode nowait")


def test_a_savepoint_survives_a_statement_without_changes(writer: Session) -> None:
    run(writer, "savepoint s")
    run(writer, "update t set v = 'u'")
    run(writer, "insert into t (n) values (1)")
    run(writer, "rollback to s")
    assert writer.one(COUNT) == 0


@pytest.mark.parametrize(
    ("sql", "error"),
    [
        ("insert into t (n) values (:n) returning nope into :out", "ORA-00904"),
        ("insert into nope (n) values (:n) returning n into :out", "ORA-00942"),
        ("insert into t (n) valuse (:n) returning n into :out", "ORA-"),
        ("insert into t (n) values (:n) return nope into :out", "ORA-00904"),
    ],
)
def test_returning_that_cannot_be_parsed(writer: Session, sql: str, error: str) -> None:
    out = writer.cursor.var(int)
    with pytest.raises(oracledb.DatabaseError, match=error):
        writer.cursor.execute(sql, {"n": 1, "out": out})
    writer.cursor.execute("insert into t (n) values (:n) returning n into :out", n=1, out=out)
    assert out.getvalue() == [1]
