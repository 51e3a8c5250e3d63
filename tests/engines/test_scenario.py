# SPDX-License-Identifier: GPL-2.0-or-later
"""A scenario against a real PostgreSQL, from the command line to the report."""

from __future__ import annotations

import json
import os
import re
import subprocess
import time
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from polltrace.cli import main
from polltrace.scenarios.demo import postgresql
from polltrace.scenarios.plan.cell import KEEPALIVE_S, Cell
from polltrace.scenarios.run.servers.lab_server import LabServer
from polltrace.scenarios.run.servers.oracle_server import OracleServer
from polltrace.scenarios.run.servers.postgresql_cluster import PostgresqlCluster
from polltrace.scenarios.run.servers.postgresql_server import PostgresqlServer
from polltrace.scenarios.run.servers.server import Endpoint
from polltrace.scenarios.run.session import CellSession
from tests.conftest import POLLTRACE
from tests.engines.conftest import StartSession

pytestmark = pytest.mark.usefixtures("quick_calibration")

# One block of the fewest executions: what is counted is exact, and no time is asserted.
ONCE = ("--quick", "--repeats", "1")


@pytest.mark.usefixtures("cluster")
def test_a_run_counts_the_checks_of_each_interval(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    ended = subprocess.run(
        [
            *(POLLTRACE, "run", "client-check", "--server", "postgresql", *ONCE),
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
def test_a_statement_that_reads_pages_is_counted_by_its_gets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its own, not those of the other session as well. What a session did within a second of
    handing its statistics on is shown when it has had nothing to do for ten."""
    path = tmp_path / "run.jsonl"
    late, probe, execute = [11], CellSession.probe, CellSession.execute

    def probe_late(session: CellSession, *arguments: Any) -> Any:
        if late:
            time.sleep(late.pop())
        return probe(session, *arguments)

    def execute_now(session: CellSession, *arguments: Any) -> Any:
        session.publish()
        return execute(session, *arguments)

    monkeypatch.setattr(CellSession, "probe", probe_late)
    monkeypatch.setattr(CellSession, "execute", execute_now)
    what = ["run", "client-check-reads", "--server", "postgresql", *ONCE]
    only = ["--only", "client=psycopg,check_interval=0,check_interval=10", "-o", str(path)]
    assert main([*what, *only]) == 0
    header, *lines = [json.loads(line) for line in path.read_text().splitlines()]
    intervals = [cell["check_interval"] for cell in header["cells"]]
    counted = [x for x in lines if x["kind"] == "counted"]
    assert len(counted) == len(intervals)
    rows = header["work"]["binds"]["n"]
    for each in counted:
        gets = each["v$"]["statistics"]["consistent gets"] / each["executions"]
        # The root and a leaf of an index, and most rows' page; a few for plan and statistics.
        assert 2 * rows < gets < 4 * rows + 10_000
        assert (each["break_polls"] > 0) == (intervals[each["cell"]] > 0)


@pytest.mark.usefixtures("cluster")
def test_a_run_tells_a_killed_client_from_one_whose_host_vanished(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    ended = subprocess.run(
        [
            *(POLLTRACE, "run", "lost-client", "--server", "postgresql", "--repeats", "1"),
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


@pytest.mark.parametrize("driver", ["psycopg", "pg8000"])
def test_casts_and_quoted_colons_are_no_binds(start_session: StartSession, driver: str) -> None:
    client, _pid = start_session(0, driver)
    statement = """select to_char(timestamp '2026-01-02 03:04:05', 'HH24:MI:SS'), :n::text || '%',
        7 % 4 as ":n" /* 5 % :n */ -- :n, it's 5 %"""
    assert client.query(statement, {"n": 7})[1] == [["03:04:05", "7%", 3]]


@pytest.mark.usefixtures("cluster")
def test_the_demo_measures_forecasts_and_loses_clients(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postgresql, "TIMED", 1)
    monkeypatch.setattr(postgresql, "CLIENTS_KILLED", 2)
    shown = postgresql.run_postgresql_demo(lambda *_: None, blocks=1)
    demo = json.loads(json.dumps(postgresql.postgresql_demo_data(shown)))
    intervals = {each["interval_ms"]: each for each in demo["intervals"]}
    assert list(intervals) == [0, 1, 10, 100]
    off = intervals.pop(0)
    assert (off["checks_per_s"], off["found_ms"]) == (0, [])
    rates = [each["checks_per_s"] for each in intervals.values()]
    assert 1000 >= rates[0] > rates[1] > rates[2] > 0
    for each in intervals.values():
        assert len(each["found_ms"]) == postgresql.CLIENTS_KILLED
        low, high = each["forecast_pct"][1:]
        assert 0 < low < high
    assert demo["check_cost_us"] > 0
    text = postgresql.postgresql_demo_text(shown)
    assert re.search(r"^ +off +0\.0 .* not found$", text, re.MULTILINE)
    assert len(re.findall(r"^ +10* ms .* ms \(up to [0-9.]+\)$", text, re.MULTILINE)) == 3


def test_a_server_of_ones_own_is_run_on_and_compared(
    cluster: PostgresqlCluster, tmp_path: Path
) -> None:
    base, new = tmp_path / "base.jsonl", tmp_path / "new.jsonl"
    at = cluster.address
    server = ["--server", "postgresql", "--user", at.user]
    server += ["--connect", f"{at.host}:{at.port}/{at.database}"]
    scenario = tmp_path / "short.toml"
    text = files("polltrace.scenarios").joinpath("client-check.toml").read_text("utf-8")
    text = text.replace("seconds = 0.2", "seconds = 0.05").replace(', "stacks"', "")
    scenario.write_text(text)
    what = [str(scenario), *ONCE]
    what += ["--only", "client=pg8000,check_interval=0,check_interval=10"]
    for words in ([*what, "-o", str(base)], ["--like", str(base), "-o", str(new)]):
        ended = subprocess.run(
            [POLLTRACE, "run", *words, *server],
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "POLLTRACE_PASSWORD": at.password},
        )
        assert ended.returncode == 0, ended.stderr
    assert at.password not in base.read_text()
    compared = subprocess.run(
        [POLLTRACE, "compare", str(base), str(new), "--margin", "1000"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert compared.returncode == 0, compared.stderr
    assert "a check every 10 ms" in compared.stdout
    assert not re.search(r"sqlnet|skip|in-band", compared.stdout, re.IGNORECASE)


def test_servers_and_drivers_that_do_not_speak_are_kept_apart() -> None:
    oracle = OracleServer(Endpoint("db", 1521, "ORCL"), "scott", "", None)
    for server in (oracle, LabServer()):
        assert "PostgreSQL only" in str(server.why_not(Cell("psycopg", check_interval=1)))
        assert server.why_not(Cell()) is None
    postgres = PostgresqlServer(Endpoint("db", 5432, "postgres"), "scott", "")
    assert "does not speak" in str(postgres.why_not(Cell("ojdbc11", check_interval=1)))
    assert "needs a check_interval" in str(postgres.why_not(Cell("pg8000")))
    assert postgres.why_not(Cell("pg8000", check_interval=0)) is None
