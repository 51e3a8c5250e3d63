# SPDX-License-Identifier: GPL-2.0-or-later
"""A scenario against a real PostgreSQL, from the command line to the report."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from polltrace.scenarios.demo import postgresql
from polltrace.scenarios.plan.cell import KEEPALIVE_S, Cell
from polltrace.scenarios.run.servers.lab_server import LabServer
from polltrace.scenarios.run.servers.oracle_server import OracleServer
from polltrace.scenarios.run.servers.postgresql_server import PostgresqlServer
from polltrace.scenarios.run.servers.server import Endpoint
from tests.conftest import POLLTRACE
from tests.engines.conftest import StartSession


@pytest.mark.usefixtures("cluster")
def test_a_run_counts_the_checks_of_each_interval(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    ended = subprocess.run(
        [
            *(POLLTRACE, "run", "client-check", "--server", "postgresql", "--repeats", "1"),
            *("--only", "client=psycopg,check_interval=0,check_interval=10", "-o", str(path)),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    header, *lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert header["server"] == "postgresql"
    cells = header["cells"]
    assert [cell["check_interval"] for cell in cells] == [0, 10, 0]
    counted = {cells[x["cell"]]["check_interval"]: x for x in lines if x["kind"] == "counted"}
    assert counted[0]["break_polls"] == 0
    assert counted[10]["break_polls"] > 0
    # Each makes a few gets in 0.2 s: not as many are counted as for statements of many gets.
    assert counted[0]["executions"] == counted[10]["executions"] < 100
    assert counted[10]["v$"]["statistics"]["xact_commit"] >= 1
    assert "a check every 10 ms" in ended.stdout
    page = tmp_path / "page.html"
    subprocess.run([POLLTRACE, "report", path, "--html", page], check=True, capture_output=True)
    text = page.read_text()
    assert "On CPU: a check every 10 ms, against no checks" in text
    assert "PostgresMain" in text
    assert "nsmore2recv" not in text


@pytest.mark.usefixtures("cluster")
def test_a_run_tells_a_killed_client_from_one_whose_host_vanished(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    ended = subprocess.run(
        [
            *(POLLTRACE, "run", "lost-client", "--server", "postgresql", "--repeats", "2"),
            *("--only", "client=psycopg,check_interval=10", "-o", str(path)),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    header, *lines = [json.loads(line) for line in path.read_text().splitlines()]
    found = {header["cells"][x["cell"]]["gone"]: x for x in lines if x["kind"] == "lost client"}
    assert found["killed"]["found"]
    assert not found["vanished"]["found"]
    # TCP's verdict comes one keepalive early at most; its timers count in steps of 4 ms.
    assert found["vanished with keepalives"]["ms"] >= 1e3 * (KEEPALIVE_S - 1) - 100
    assert "vanished with keepalives" in ended.stdout


def test_a_killed_client_is_found_within_its_interval(start_session: StartSession) -> None:
    """And not at all without one."""
    start_session(0)
    with PostgresqlServer() as server:
        assert len(postgresql._killed(server, 10)) == postgresql.CLIENTS_KILLED
        assert postgresql._killed(server, 0) == []


def test_servers_and_drivers_that_do_not_speak_are_kept_apart() -> None:
    oracle = OracleServer(Endpoint("db", 1521, "ORCL"), "scott", "", None)
    for server in (oracle, LabServer()):
        assert "PostgreSQL only" in str(server.why_not(Cell("psycopg", check_interval=1)))
        assert server.why_not(Cell()) is None
    postgres = PostgresqlServer(Endpoint("db", 5432, "postgres"), "scott", "")
    assert "does not speak" in str(postgres.why_not(Cell("ojdbc11", check_interval=1)))
    assert "needs a check_interval" in str(postgres.why_not(Cell("pg8000")))
    assert postgres.why_not(Cell("pg8000", check_interval=0)) is None
