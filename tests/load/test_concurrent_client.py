# SPDX-License-Identifier: GPL-2.0-or-later
"""`sessions` of a scenario's cell: clients that do the same at the same time."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

from polltrace.scenarios.plan.lotslios import LOTSLIOS
from polltrace.scenarios.run.concurrent_client import ConcurrentClient
from polltrace.scenarios.run.servers.lab_server import LabServer

SCENARIO = """
title = "concurrent"
statement = "lotslios.sql"
seconds = 0.005
record = ["elapsed", "statistics"]
[matrix]
sessions = [1, 3]
[base]
sessions = 1
[repeats]
blocks = 1
timed = 1
counted = 1
"""


def test_all_connections_execute_the_statement(
    server: LabServer, rows: Callable[[str], list[tuple[Any, ...]]]
) -> None:
    with ConcurrentClient("python-oracledb", 2) as client:
        server.connect(client, break_poll_skip=3, disable_oob=True)
        client.execute("select 17 from dual", times=23)
        executions = rows(
            "select s.value from v$sesstat s, v$statname n where s.statistic# = n.statistic#"
            " and n.name = 'execute count' order by 1 desc"
        )
        assert [count >= 23 for (count,) in executions] == [True] * 3 + [False] * (
            len(executions) - 3
        )
        client.close()


def test_a_cancel_ends_all_and_leaves_them_usable(server: LabServer) -> None:
    with ConcurrentClient("python-oracledb", 2) as client:
        server.connect(client, break_poll_skip=3, disable_oob=True)
        cancel = client.cancel(LOTSLIOS, {"n": 10**9}, 0.05)
        assert cancel.error == "ORA-01013"
        assert cancel.usable
        assert client.query("select 1 from dual")[1] == [[1]]


def test_a_run_has_cells_by_sessions(
    run: Callable[..., subprocess.CompletedProcess[str]], built_lab: None, tmp_path: Path
) -> None:
    (tmp_path / "c.toml").write_text(SCENARIO)
    output = str(tmp_path / "c.run.jsonl")
    ended = run("run", str(tmp_path / "c.toml"), "-o", output)
    assert ended.returncode == 0, ended.stderr
    cells = json.loads(run("report", output, "--json").stdout)["cells"]
    assert [each["label"] for each in cells] == ["1 session", "3 sessions", "1 session (A/A)"]
    # Figures are of one session, however many execute beside it.
    gets = [each["counted"]["gets"] / each["counted"]["executions"] for each in cells]
    assert len(set(gets)) == 1
