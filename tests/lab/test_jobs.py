# SPDX-License-Identifier: GPL-2.0-or-later
"""DBMS_JOB and DBMS_SCHEDULER: a block that runs once, in a process of its own."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import oracledb
import pytest

from tests.waiting import until

from .blocks import failure
from .conftest import Lab, Session

LOOK_UP = """
create procedure look_up(p_iterations in number) is
    l_rowid rowid;
begin
    insert into job_times values (sys_context('userenv', 'sid'), dbms_utility.get_time)
    returning rowid into l_rowid;
    for i in 1 .. p_iterations
    loop
        for cur in (select * from looked_up) loop null; end loop;
    end loop;
    update job_times set time_ela = dbms_utility.get_time - time_ela where rowid = l_rowid;
end;
"""
SUBMIT = "dbms_job.submit(job => l_job, what => 'look_up(20);');"
FOUR = f"declare l_job number; begin for i in 1 .. 4 loop {SUBMIT} end loop; end;"
OF_JOBS = "from v$session where program like 'oracle@%(J0__)'"


@pytest.fixture
def looked_up(lab: Lab) -> Session:
    session = lab.connect()
    for statement in (
        "create table looked_up (n number)",
        "insert into looked_up select level from dual connect by level <= 100",
        "create table job_times (sid number, time_ela number)",
        LOOK_UP,
    ):
        session.cursor.execute(statement)
    return session


def submit(session: Session, what: str) -> int:
    number = session.cursor.var(int)
    session.cursor.execute("begin dbms_job.submit(:n, :what); commit; end;", [number, what])
    return int(number.getvalue())


def test_jobs_run_when_they_are_committed(looked_up: Session, lab: Lab) -> None:
    """The experiment of the latch test: readers that are started as jobs."""
    other = lab.connect()
    looked_up.cursor.execute(FOUR)
    whats = "select job, what, broken, failures, last_date, log_user from user_jobs"
    assert looked_up.rows(whats) == [
        (job, "look_up(20);", "N", None, None, "SCOTT") for job in (1, 2, 3, 4)
    ]
    assert looked_up.one("select count(*) from v$transaction") == 1
    assert other.rows(whats) == []
    looked_up.connection.rollback()
    assert looked_up.rows(whats) == []
    gets = "select sum(value) from v$sysstat where name in ('consistent gets', 'db block gets')"
    before = other.one(gets)
    logons = "select value from v$sysstat where name = 'logons cumulative'"
    logged_on = other.one(logons)
    looked_up.cursor.execute(FOUR)
    looked_up.connection.commit()
    until(lambda: looked_up.rows(whats) == [], "the jobs to end")
    sids = looked_up.rows("select sid from job_times")
    assert len(sids) == 4
    assert (looked_up.sid,) not in sids
    until(lambda: other.rows(f"select sid {OF_JOBS}") == [], "their processes to end")
    assert other.one(logons) == logged_on + 4
    assert other.one(gets) - before >= 80


def test_a_job_that_fails_says_so(looked_up: Session) -> None:
    job = submit(
        looked_up, "insert into job_times values (job, 0); raise_application_error(-20001, 'no');"
    )
    state = "select broken, failures from user_jobs"
    until(lambda: looked_up.rows(state) == [("Y", 1)], "the job to fail")
    assert looked_up.rows("select * from job_times") == []
    directory = looked_up.one("select value from v$diag_info where name = 'Diag Trace'")
    [trace] = Path(directory).glob("LAB_j000_*.trc")
    assert trace.read_text().endswith(
        f"\nORA-12012: error on auto execute of job {job}\nORA-20001: no\nORA-06512: at line 1\n"
    )
    # Again, in this session.
    error = failure(looked_up, f"begin dbms_job.run({job}); end;")
    assert error == "ORA-12011: execution of 1 jobs failed\nORA-06512: at line 1"
    assert looked_up.rows(state) == [("Y", 2)]
    assert looked_up.rows("select * from job_times") == []
    looked_up.cursor.execute(f"begin dbms_job.remove({job}); end;")
    assert looked_up.rows(state) == []
    looked_up.connection.rollback()
    assert looked_up.rows(state) == [("Y", 2)]
    looked_up.cursor.execute(f"begin dbms_job.remove({job}); commit; end;")
    assert looked_up.rows(state) == []


def test_a_job_has_a_session_of_its_own(looked_up: Session) -> None:
    looked_up.cursor.execute(
        "begin dbms_scheduler.create_job(job_name => 'sleeper', job_type => 'PLSQL_BLOCK',"
        " job_action => 'begin dbms_session.sleep(3600); end;', enabled => true); end;"
    )
    shown = f"select username, type, module, action, status, event {OF_JOBS}"
    asleep = ("SCOTT", "USER", "DBMS_SCHEDULER", "SLEEPER", "ACTIVE", "PL/SQL lock timer")
    until(lambda: looked_up.rows(shown) == [asleep], "the job to sleep")
    [(pid, name, trace)] = looked_up.rows(
        "select spid, pname, tracefile from v$process where pname is not null"
    )
    assert name == "J000"
    assert trace.endswith(f"/LAB_j000_{pid}.trc")
    assert Path(f"/proc/{pid}/cmdline").read_bytes() == b"ora_j000_LAB\0"
    state = "select state, failure_count from user_scheduler_jobs"
    assert looked_up.rows(state) == [("RUNNING", 0)]
    assert "ORA-27478" in failure(looked_up, "begin dbms_scheduler.drop_job('sleeper'); end;")
    os.kill(int(pid), signal.SIGKILL)
    until(lambda: looked_up.rows(state) == [("FAILED", 1)], "the job to be seen dead")
    looked_up.cursor.execute("begin dbms_scheduler.drop_job('sleeper'); end;")
    assert looked_up.rows(state) == []


def test_jobs_of_the_scheduler(looked_up: Session) -> None:
    execute = looked_up.cursor.execute
    create = "dbms_scheduler.create_job('once', 'plsql_block', 'insert into job_times values (1, 2)"
    execute(f"begin {create};', auto_drop => false); end;")
    state = "select job_name, state, enabled, run_count from user_scheduler_jobs"
    assert looked_up.rows(state) == [("ONCE", "DISABLED", "FALSE", 0)]
    execute("begin dbms_scheduler.run_job('scott.once'); end;")
    assert looked_up.one("select count(*) from job_times") == 1
    assert looked_up.rows(state) == [("ONCE", "DISABLED", "FALSE", 1)]
    execute("begin dbms_scheduler.enable('once'); end;")
    ended = [("ONCE", "SUCCEEDED", "FALSE", 2)]
    until(lambda: looked_up.rows(state) == ended, "the job to end")
    assert looked_up.one("select count(*) from job_times") == 2
    error = failure(looked_up, f"begin {create};'); end;")
    assert error.startswith('ORA-27477: "SCOTT"."ONCE" already exists')
    execute("begin dbms_scheduler.drop_job('once'); end;")
    error = failure(looked_up, "begin dbms_scheduler.drop_job('once'); end;")
    assert error.startswith('ORA-27475: unknown job "SCOTT"."ONCE"')


REFUSED = [
    ("dbms_job.submit(j, 'nosuch(1);')", "ORA-06550: .*\nPLS-00201: identifier 'NOSUCH' must"),
    ("dbms_job.submit(j, 'null;', sysdate + 1)", "ORA-03001: .*: NEXT_DATE of a job in the future"),
    ("dbms_job.submit(j, 'null;', sysdate, 'sysdate + 1')", "ORA-03001: .*: INTERVAL of a job"),
    ("dbms_job.remove(99)", "ORA-23421: job number 99 is not a job in the job queue"),
    ("dbms_job.run(99)", "ORA-23421"),
    ("dbms_job.broken(1, true)", "ORA-03001: unimplemented feature: DBMS_JOB.BROKEN"),
    ("dbms_scheduler.run_job('x')", 'ORA-27475: unknown job "SCOTT"."X"'),
    ("dbms_scheduler.create_job('x', 'STORED_PROCEDURE', 'p')", "ORA-03001: .*PLSQL_BLOCK"),
    (
        "dbms_scheduler.create_job('x', 'PLSQL_BLOCK', 'null;', repeat_interval => 'FREQ=DAILY')",
        "ORA-03001: .*: REPEAT_INTERVAL of a job",
    ),
]


def test_what_takes_jobs_back_and_what_is_refused(one_lab: Lab) -> None:
    session = one_lab.connect()
    count = "select count(*) from user_jobs"
    submitted = "declare j number; begin dbms_job.submit(j, 'null;'); "
    failure(session, f"{submitted} raise no_data_found; end;")
    assert session.one(count) == 0
    assert session.one("select count(*) from v$transaction") == 0
    session.cursor.execute("savepoint before")
    session.cursor.execute(f"{submitted} end;")
    assert session.one(count) == 1
    session.cursor.execute("rollback to before")
    assert session.one(count) == 0
    leaver = one_lab.connect()
    leaver.cursor.execute(f"{submitted} end;")
    leaver.connection.close()
    for call, error in REFUSED:
        with pytest.raises(oracledb.DatabaseError, match=error):
            session.cursor.execute(f"declare j number; begin {call}; end;")
    assert session.one(count) == 0
