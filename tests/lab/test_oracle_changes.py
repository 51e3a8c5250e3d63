# SPDX-License-Identifier: GPL-2.0-or-later
"""What changes tables and their definitions: MERGE, savepoints, sequences, locks, ALTER TABLE.

One lab for most of the module: its statements undo what they change.
"""

from __future__ import annotations

from collections.abc import Iterator

import oracledb
import pytest

from .conftest import Lab, Session


def test_set_of_several_columns(oracle: Session) -> None:
    oracle.cursor.execute(
        "update emp e set (dept, sal) = (select d.id + 10, length(d.city) from dep d"
        " where d.id = e.dept) where id < 4"
    )
    assert oracle.rows("select dept, sal from emp order by id") == [
        (20, 5), (40, 4), (40, 4), (None, 1100),
    ]  # fmt: skip
    oracle.cursor.execute(
        "update emp set (dept, sal) = (select 1, 2 from dual where 1 = 0), boss = 9 where id = 1"
    )
    assert oracle.rows("select dept, sal, boss from emp where id = 1") == [(None, None, 9)]
    oracle.connection.rollback()


def salary(session: Session) -> float:
    return float(session.one("select sal from emp where id = 1"))


def test_savepoints(oracle: Session) -> None:
    run = oracle.cursor.execute
    run("savepoint before")
    run("update emp set sal = 1 where id = 1")
    run("savepoint one")
    run("update emp set sal = 2 where id = 1")
    run("savepoint two")
    run("rollback to savepoint ONE")
    assert salary(oracle) == 1
    with pytest.raises(oracledb.DatabaseError, match="ORA-01086"):
        run("rollback to two")
    run("update emp set sal = 3 where id = 1")
    run("rollback work to one")  # it stays
    assert salary(oracle) == 1
    run("rollback to before")
    assert salary(oracle) == 5000
    run("commit")
    with pytest.raises(oracledb.DatabaseError, match="ORA-01086"):
        run("rollback to before")


def test_a_savepoint_moves(oracle: Session) -> None:
    run = oracle.cursor.execute
    for sal, savepoint in ((1, "a"), (2, "b"), (3, "a")):
        run(f"update emp set sal = {sal} where id = 1")
        run(f"savepoint {savepoint}")
    run("update emp set sal = 4 where id = 1")
    run("rollback to a")
    assert salary(oracle) == 3
    run("rollback to b")
    assert salary(oracle) == 2
    with pytest.raises(oracledb.DatabaseError, match="ORA-01086"):
        run("rollback to a")
    oracle.connection.rollback()


def test_a_half_fetched_query_keeps_its_rows(oracle: Session) -> None:
    oracle.cursor.execute("savepoint s")
    oracle.cursor.execute("update emp set sal = 1")
    other = oracle.connection.cursor()
    other.arraysize = other.prefetchrows = 1
    other.execute("select sal from emp order by id")
    assert other.fetchone() == (1,)
    oracle.cursor.execute("rollback to s")
    assert other.fetchall() == [(1,), (1,), (1,)]
    assert salary(oracle) == 5000
    oracle.connection.rollback()


def test_a_savepoint_before_any_change_locks_nothing(lab: Lab) -> None:
    first, second = lab.connect(), lab.connect()
    first.cursor.execute("create table t (n number)")
    first.cursor.execute("savepoint s")
    second.cursor.execute("insert into t values (1)")
    second.connection.commit()
    first.cursor.execute("insert into t values (2)")
    first.cursor.execute("rollback to s")
    assert first.rows("select n from t") == [(1,)]


def test_merge(oracle: Session) -> None:
    run = oracle.cursor.execute
    run(
        "merge into dep d using (select dept, count(*) n from emp group by dept) e"
        " on (d.id = e.dept)"
        " when matched then update set city = d.city || e.n where e.n > 1"
        " when not matched then insert (city) values ('NOWHERE')"
    )
    assert oracle.cursor.rowcount == 2
    everything = "select id, city from dep order by id"
    assert oracle.rows(everything) == [
        (10, "PARIS"), (20, "ROMA"), (30, "OSLO2"), (None, "NOWHERE"),
    ]  # fmt: skip
    # the rows are those from before the statement
    run(
        "merge into dep d using (select id + 10 id, city from dep) s on (d.id = s.id)"
        " when not matched then insert values (s.id, s.city) where s.id is not null"
        " when matched then update set city = s.city"
    )
    assert oracle.rows(everything) == [
        (10, "PARIS"), (20, "PARIS"), (30, "ROMA"), (40, "OSLO2"), (None, "NOWHERE"),
    ]  # fmt: skip
    run(
        "merge into emp e using (select :id id, :name name from dual) s on (e.id = s.id)"
        " when matched then update set name = s.name",
        {"id": 1, "name": "PRESIDENT"},
    )
    assert oracle.one("select name from emp where id = 1") == "PRESIDENT"
    oracle.connection.rollback()


def test_a_merge_that_fails_changes_nothing(oracle: Session) -> None:
    with pytest.raises(oracledb.DatabaseError, match="ORA-00001"):
        oracle.cursor.execute(
            "merge into emp e using (select 1 id from dual union all select 7 from dual"
            " union all select 7 from dual) s on (e.id = s.id)"
            " when matched then update set sal = 0"
            " when not matched then insert (id, name) values (s.id, 'x')"
        )
    assert salary(oracle) == 5000


def test_merge_does_not_invent_a_default(oracle: Session) -> None:
    run = oracle.cursor.execute
    run("create table defaults (id number, v varchar2(5) default 'x')")
    merge = "merge into defaults using dep on (1 = 0) when not matched then insert"
    with pytest.raises(oracledb.DatabaseError, match=r"ORA-03001.*default"):
        run(f"{merge} (id) values (dep.id)")
    run(f"{merge} values (dep.id, null)")
    assert oracle.one("select count(*) from defaults where v is null") == 3
    run("drop table defaults")


@pytest.fixture
def sequence(oracle: Session) -> Iterator[Session]:
    run = oracle.cursor.execute
    run("create sequence s")
    run("create table numbered (id number, a number, b number)")
    yield oracle
    run("drop sequence s")
    run("drop table numbered")


def test_sequences(sequence: Session, oracle: Session) -> None:
    with pytest.raises(oracledb.DatabaseError, match=r"ORA-08002.*S\.CURRVAL"):
        oracle.rows("select s.currval from dual")
    # a row has one value, in whatever order its columns come
    assert oracle.rows("select s.nextval, s.currval, s.nextval from dual") == [(1, 1, 1)]
    oracle.cursor.execute("insert into numbered (b, a, id) values (s.currval, s.nextval, 0)")
    assert oracle.rows("select * from numbered") == [(0, 2, 2)]
    # a rollback does not give it back
    oracle.connection.rollback()
    assert oracle.rows("select s.nextval, level from dual connect by level <= 3") == [
        (3, 1), (4, 2), (5, 3),
    ]  # fmt: skip
    oracle.cursor.execute(
        "insert into numbered (id, a)"
        " select s.nextval, id from (select id from dep order by id desc)"
    )
    oracle.cursor.execute("update numbered set b = s.nextval + 100 where a = 20")
    assert oracle.rows("select id, a, b from numbered order by id") == [
        (6, 30, None), (7, 20, 109), (8, 10, None),
    ]  # fmt: skip
    assert oracle.one("select s.currval from dual") == 9
    oracle.connection.rollback()


def test_sequences_are_everybodys(sequence: Session, one_lab: Lab) -> None:
    assert sequence.one("select s.nextval from dual") == 1
    assert one_lab.connect().one("select s.nextval from dual") == 2
    assert sequence.one("select s.currval from dual") == 1
    assert sequence.one("select last_number from user_sequences") == 3


def test_limits_of_sequences(oracle: Session) -> None:
    run = oracle.cursor.execute
    run("create sequence down start with 3 increment by -2 maxvalue 3 minvalue 0 nocache order")
    assert [oracle.one("select down.nextval from dual") for _ in range(2)] == [3, 1]
    with pytest.raises(oracledb.DatabaseError, match=r"ORA-08004.*below MINVALUE"):
        oracle.one("select down.nextval from dual")
    run("create sequence round start with 2 maxvalue 3 cycle cache 2")
    assert oracle.rows("select round.nextval from dual connect by level <= 4") == [
        (2,), (3,), (1,), (2,),
    ]  # fmt: skip
    assert oracle.rows("select * from user_sequences order by sequence_name") == [
        ("DOWN", 0, 3, -2, "N", "Y", 0, 1),
        ("ROUND", 1, 3, 1, "Y", "N", 2, 3),
    ]
    run("drop sequence down")
    run("drop sequence round")


@pytest.mark.parametrize(
    ("sql", "error"),
    [
        ("create sequence s", "ORA-00955"),
        ("create sequence emp", "ORA-00955"),
        ("create table s (n number)", "ORA-00955"),
        ("create sequence e increment by 0", "ORA-04002"),
        ("create sequence e minvalue 5 maxvalue 5", "ORA-04004"),
        ("create sequence e start with 0", "ORA-04006"),
        ("create sequence e start with 5 maxvalue 4", "ORA-04008"),
        ("create sequence e cache 1", "ORA-04010"),
        ("create sequence e cycle", "ORA-04015"),
        ("create sequence e something", "ORA-03001.*something"),
        ("drop sequence nothing", "ORA-02289"),
        ("select nothing.nextval from dual", "ORA-02289"),
        ("select s.nextval from dual order by 1", "ORA-02287"),
        ("select distinct s.nextval from dual", "ORA-02287"),
        ("select * from emp where id = s.nextval", "ORA-02287"),
        ("select x from (select s.nextval x from dual)", "ORA-02287"),
        ("select (select s.nextval from dual) from dual", "ORA-02287"),
        ("select s.nextval from dual union select 1 from dual", "ORA-02287"),
        ("select count(*) from dual group by s.nextval", "ORA-02287"),
        ("select nvl(dummy, s.nextval) from dual", "ORA-03001"),
    ],
)
def test_errors_of_sequences(sequence: Session, sql: str, error: str) -> None:
    with pytest.raises(oracledb.DatabaseError, match=error):
        sequence.rows(sql)


def test_locks_and_transactions(lab: Lab) -> None:
    holder, waiter, watcher = lab.connect(), lab.connect(), lab.connect()
    of_locks = "select sid, type, lmode, request, block from v$lock order by lmode desc"
    changing = "select s.sid, t.status from v$transaction t, v$session s where s.saddr = t.ses_addr"
    holder.cursor.execute("create table t (n number)")
    assert watcher.rows(of_locks) == []
    holder.cursor.execute("insert into t values (1)")
    assert watcher.rows(of_locks) == [(holder.sid, "TX", 6, 0, 0)]
    assert watcher.rows(changing) == [(holder.sid, "ACTIVE")]
    sid = waiter.sid
    waiting = lab.waiting(waiter, "insert into t values (2)")
    assert watcher.rows(of_locks) == [(holder.sid, "TX", 6, 0, 1), (sid, "TX", 0, 6, 0)]
    holder.connection.rollback()
    assert waiting.join()
    waiter.connection.rollback()
    assert watcher.rows(of_locks) == watcher.rows(changing) == []


def test_the_pieces_of_a_statement(lab: Lab) -> None:
    session, watcher = lab.connect(), lab.connect()
    sid = session.sid
    text = "select /* " + "ab cd " * 30 + "*/ 1 from dual"
    session.rows(text)
    pieces = watcher.rows(
        "select t.piece, t.sql_text from v$sqltext t, v$session s"
        " where s.sid = :sid and s.sql_id = t.sql_id order by t.piece",
        sid=sid,
    )
    assert pieces == [(i, text[64 * i : 64 * i + 64]) for i in range(4)]
    area = (
        "select a.sql_text from v$sqlarea a, v$session s where s.sql_id = a.sql_id and s.sid = :sid"
    )
    assert watcher.one(area, sid=sid) == text


def test_lock_table(lab: Lab) -> None:
    first, second = lab.connect(), lab.connect()
    first.cursor.execute("create table t (n number)")
    first.cursor.execute("lock table t in share row exclusive mode")
    for wait, error in (("nowait", "ORA-00054"), ("wait 1", "ORA-30006")):
        with pytest.raises(oracledb.DatabaseError, match=error):
            second.cursor.execute(f"lock table scott.t in exclusive mode {wait}")
    waiting = lab.waiting(second, "lock table t in exclusive mode")
    first.connection.commit()
    assert waiting.join()
    second.connection.rollback()
    for sql, error in (
        ("lock table nothing in exclusive mode", "ORA-00942"),
        ("lock table v$session in exclusive mode", "ORA-01031|ORA-02030|ORA-03001"),
        ("lock table t in any mode", "ORA-0"),
        ("lock table t", "ORA-00905|ORA-00933"),
    ):
        with pytest.raises(oracledb.DatabaseError, match=error):
            first.cursor.execute(sql)


def test_alter_table(lab: Lab) -> None:
    session, other = lab.connect(), lab.connect()
    run = session.cursor.execute
    run("create table t (a number primary key, b varchar2(5), c date)")
    run("create index t_b on t (b)")
    run("insert into t values (1, 'x', null)")
    assert other.rows("select * from t") == []
    run("alter table t add (d number(5,2))")  # commits
    assert other.rows("select * from t") == [(1, "x", None, None)]
    run("update t set d = 123.456")
    assert session.one("select d from t") == 123.46
    with pytest.raises(oracledb.DatabaseError, match="ORA-01438"):
        run("update t set d = 12345")
    run("alter table t rename column b to bb")
    run("alter table t drop column c")
    columns = "select column_name, data_type, data_scale from user_tab_columns order by column_id"
    assert session.rows(columns) == [
        ("A", "NUMBER", None),
        ("BB", "VARCHAR2", None),
        ("D", "NUMBER", 2),
    ]
    assert session.rows("select column_name from user_ind_columns where index_name = 'T_B'") == [
        ("BB",)
    ]
    run("alter table t rename to u")
    assert other.rows("select a, bb, d from u where bb = 'x'") == [(1, "x", 123.46)]
    with pytest.raises(oracledb.DatabaseError, match="ORA-00942"):
        other.rows("select * from t")


@pytest.mark.parametrize(
    ("sql", "error"),
    [
        ("alter table nothing add a number", "ORA-00942"),
        ("alter table dep add id number", "ORA-01430"),
        ("alter table dep add x number not null", "ORA-01758"),
        ("alter table dep add x number default 1", "ORA-03001"),
        ("alter table dep modify id number(5)", "ORA-03001.*MODIFY"),
        ("alter table dep drop column nothing", 'ORA-00904.*"NOTHING"'),
        ("alter table dep rename column id to city", "ORA-00957"),
        ("alter table dep rename to emp", "ORA-00955"),
        ("alter table dual rename to x", "ORA-01031"),
        ("alter table v$session add x number", "ORA-01031"),
        ("alter table emp drop column id", "ORA-03001"),
        ("alter system flush shared_pool", "ORA-03001.*ALTER SYSTEM"),
        ("create materialized view v as select 1 x from dual", "ORA-03001.*CREATE MATERIALIZED"),
        ("grant select on emp to public", "ORA-03001.*GRANT SELECT"),
        ("comment on table emp is 'x'", "ORA-03001.*COMMENT ON"),
        ("select * from table(dbms_xplan.display)", "ORA-03001.*table"),
    ],
)
def test_errors_of_definitions(oracle: Session, sql: str, error: str) -> None:
    with pytest.raises(oracledb.DatabaseError, match=error):
        oracle.rows(sql)
