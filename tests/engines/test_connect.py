# SPDX-License-Identifier: GPL-2.0-or-later
"""What a PostgreSQL database knows of its sessions, by --connect."""

from __future__ import annotations

import json
import os
import subprocess

import pytest

from polltrace.scenarios.run.servers.postgresql_cluster import PostgresqlCluster
from tests.conftest import POLLTRACE
from tests.engines.conftest import StartSession
from tests.waiting import until

LOCK = "select pg_advisory_lock(4713)"


def polltrace(
    *words: str, password: str | None = None, code: int = 0
) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if name != "PGPASSWORD"}
    if password is not None:
        environment["POLLTRACE_PASSWORD"] = password
    ended = subprocess.run(
        [POLLTRACE, *words], capture_output=True, text=True, check=False, env=environment
    )
    assert ended.returncode == code, ended.stderr
    return ended


def dsn(cluster: PostgresqlCluster, user: str = "") -> str:
    at = cluster.address
    return f"postgresql://{user or at.user}@{at.host}:{at.port}/{at.database}"


def test_it_names_the_session_and_what_it_waits_for(
    start_session: StartSession, cluster: PostgresqlCluster
) -> None:
    # GIVEN a session that waits for another one's lock
    (holder, holds), (client, pid) = start_session(0), start_session(0)
    holder.execute(LOCK)
    client.execute("set application_name = 'payroll'")
    client.begin(LOCK)
    waits = "select count(*) from pg_stat_activity where wait_event_type = 'Lock' and pid = "
    until(lambda: holder.query(f"{waits}{pid}")[1] == [[1]], "the wait for the lock")
    asked = ("--connect", dsn(cluster))
    secret = cluster.address.password
    # WHEN it is looked at, and so is the one that waits for its client
    held = json.loads(polltrace("dump", "-p", str(pid), *asked, "--json", password=secret).stdout)
    text = polltrace("dump", "-p", str(pid), *asked, password=secret).stdout
    idle = json.loads(polltrace("dump", "-p", str(holds), *asked, "--json", password=secret).stdout)
    listed = json.loads(polltrace("ps", *asked, "--json", password=secret).stdout)
    table = polltrace("ps", *asked, password=secret).stdout
    holder.execute("select pg_advisory_unlock(4713)")
    client.finish()
    # THEN
    activity = held["activity"]
    assert (activity["status"], activity["waits_for"]) == ("active", "Lock: advisory")
    assert activity["blocked_by_sid"] == holds
    assert 0 < activity["waits_since_s"] < 3600
    assert (activity["executing"], activity["not_read"]) == (True, [])
    assert LOCK in activity["sql_text"]
    assert f"session     {pid}  postgres  payroll from 127.0.0.1" in text
    assert "active, waits for Lock: advisory, " in text
    assert f" so far, blocked by session {holds}" in text
    assert "STAT" not in text

    activity = idle["activity"]
    assert (activity["status"], activity["waits_for"]) == ("idle", "Client: ClientRead")
    assert (activity["blocked_by_sid"], activity["executing"]) == (None, False)

    session = next(each for each in listed["sessions"] if each["pid"] == pid)["session"]
    assert (session["sid"], session["user"], session["program"]) == (pid, "postgres", "payroll")
    (line,) = (each for each in table.splitlines() if each.split()[:1] == [str(pid)])
    assert line.split()[7:10] == [str(pid), "postgres", "payroll"]


def test_what_a_user_may_not_read_is_named(
    start_session: StartSession, cluster: PostgresqlCluster
) -> None:
    client, pid = start_session(0)
    client.execute("create role plain login password 'plain'")
    try:
        asked = ("dump", "-p", str(pid), "--connect", dsn(cluster, "plain"), "--json")
        activity = json.loads(polltrace(*asked, password="plain").stdout)["activity"]
    finally:
        client.execute("drop role plain")
    assert activity["status"] == "state unknown"
    assert activity["sql_text"] is None
    assert activity["not_read"] == [
        "pg_stat_activity: <insufficient privilege>; grant pg_read_all_stats"
    ]


def test_a_password_on_the_command_line_is_refused(cluster: PostgresqlCluster) -> None:
    for wrong in ("postgresql://scott:tiger@h:1/d", "postgres://scott@h:1/d?password=tiger"):
        ended = polltrace("ps", "--connect", wrong, code=2)
        assert "no password on the command line" in ended.stderr
        assert "tiger" not in ended.stderr
    ended = polltrace("ps", "--connect", dsn(cluster), password="wrong", code=7)
    (line,) = ended.stderr.splitlines()
    assert "password authentication failed" in line


def test_views_of_another_database_are_not_asked(start_session: StartSession) -> None:
    _, pid = start_session(0)
    ended = polltrace("dump", "-p", str(pid), "--connect", "scott@h:1/d", "--json", password="x")
    assert json.loads(ended.stdout)["activity"] is None
    assert f"process {pid} is a server of PostgreSQL: --connect postgresql://" in ended.stderr
    ended = polltrace(
        "record", "--sqltrace", "-p", str(pid), "--connect", "scott@h:1/d", password="x", code=2
    )
    assert "server of PostgreSQL, which has no extended SQL trace" in ended.stderr


@pytest.mark.parametrize("verb", ["ps", "dump"])
def test_a_database_that_does_not_answer_is_one_line(
    verb: str, start_session: StartSession
) -> None:
    _, pid = start_session(0)
    which = ["-p", str(pid)] if verb == "dump" else []
    environment = {**os.environ, "POLLTRACE_CONNECT": "postgresql://127.0.0.1:1/none"}
    ended = subprocess.run(
        [POLLTRACE, verb, *which], capture_output=True, text=True, check=False, env=environment
    )
    assert ended.returncode == 7
    assert len(ended.stderr.splitlines()) == 1
