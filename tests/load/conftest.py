# SPDX-License-Identifier: GPL-2.0-or-later
"""A lab that a load runs against and that a test looks into afterwards."""

from __future__ import annotations

import importlib.util
import json
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import oracledb
import pytest

from polltrace.scenarios.load.workload import ThinkTime, Workload, WorkloadStatement
from polltrace.scenarios.run.servers.lab_server import LabServer
from tests.conftest import ROOT

Run = Callable[..., subprocess.CompletedProcess[str]]


def load_client_module(name: str) -> ModuleType:
    """A module of python-oracledb's load client, which is a program and no package."""
    path = ROOT / f"scenarios/clients/python_oracledb/{name}.py"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


Loaded = Callable[..., dict[str, Any]]


def workload(**given: Any) -> Workload:
    """One with two statements, the second of five bind rows."""
    statements = (
        WorkloadStatement("one", "select 1 from dual", 1, "query", [[]]),
        WorkloadStatement("two", "select :n from dual", 3, "query", [[n] for n in range(5)]),
    )
    defaults: dict[str, Any] = {
        "name": "w",
        "title": "",
        "clients": ("python-oracledb",),
        "sessions": 1,
        "seconds": 1.0,
        "statements": statements,
        "think": ThinkTime(),
    }
    return Workload(**{**defaults, **given})


@pytest.fixture
def server(built_lab: None) -> Iterator[LabServer]:
    """A lab that outlives the load: `polltrace load` takes it for an Oracle database."""
    with LabServer() as lab:
        yield lab


@pytest.fixture
def rows(server: LabServer) -> Iterator[Callable[[str], list[tuple[Any, ...]]]]:
    """The rows of a query, in a session of the test's own."""
    with oracledb.connect(
        user=server.oralab.user, password=server.oralab.password, dsn=server.oralab.dsn
    ) as connection:

        def query(sql: str) -> list[tuple[Any, ...]]:
            with connection.cursor() as cursor:
                cursor.execute(sql)
                if cursor.description is None:
                    connection.commit()
                    return []
                return list(cursor.fetchall())

        yield query


@pytest.fixture
def at_server(server: LabServer, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The options that name that lab."""
    monkeypatch.setenv("POLLTRACE_PASSWORD", server.oralab.password)
    oralab = server.oralab
    return ["--server", "oracle", "--connect", oralab.dsn, "--user", oralab.user]


@pytest.fixture
def loaded(run: Run, tmp_path: Path, built_lab: None) -> Loaded:
    """What `polltrace load --json` says of a workload's text, whose exit code is `code`."""

    def loaded_(text: str, *options: str, code: int = 0) -> dict[str, Any]:
        path = tmp_path / "w.toml"
        path.write_text(text)
        output = tmp_path / "w.load.jsonl"
        output.unlink(missing_ok=True)
        ended = run("load", str(path), "--json", "-o", str(output), *options)
        assert ended.returncode == code, ended.stderr
        data: dict[str, Any] = json.loads(ended.stdout)
        return data

    return loaded_
