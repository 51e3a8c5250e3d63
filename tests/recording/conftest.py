# SPDX-License-Identifier: GPL-2.0-or-later
"""A recording of the lab, made once for all tests that read one."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from polltrace.scenarios.plan.lotslios import LOTSLIOS
from polltrace.scenarios.run.client import DriverClient
from polltrace.scenarios.run.servers.lab_server import LabServer
from tests.conftest import POLLTRACE, missing
from tests.stacks.flamegraph.conftest import Browser, program
from tests.waiting import PATIENCE_S

SECRET_SQL, SECRET_BIND = "tigersalt", "mortarpestle"


@dataclass(frozen=True)
class LabRecording:
    """A file, the two servers in it, and what must not be."""

    path: Path
    in_band: int
    out_of_band: int
    secrets: tuple[str, ...]


@pytest.fixture(scope="session")
def lab_recording(
    lab: None, quick_calibrate: Path, tmp_path_factory: pytest.TempPathFactory
) -> LabRecording:
    path = tmp_path_factory.mktemp("recording") / "lab.polltrace"
    with LabServer() as server, DriverClient() as one, DriverClient() as other:
        pids: list[int] = []
        for client, disable_oob in ((one, True), (other, False)):
            server.connect(client, break_poll_skip=3, disable_oob=disable_oob)
            spids = {int(row[0]) for row in client.query("select spid from v$process")[1]}
            pids += spids - set(pids)
            client.query(f"select '{SECRET_SQL}', :b from dual", {"b": SECRET_BIND})
            client.begin(LOTSLIOS, {"n": 10**9})
        subprocess.run(
            [POLLTRACE, "record", "-o", str(path), "-p", ",".join(map(str, pids)), "-d", "4",
             "--hz", "997"],
            check=True,
            capture_output=True,
            timeout=PATIENCE_S,
            env={**os.environ, "POLLTRACE_CALIBRATE": str(quick_calibrate)},
        )  # fmt: skip
        secrets = (SECRET_SQL, SECRET_BIND, server.oralab.password)
    return LabRecording(path, pids[0], pids[1], secrets)


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    if program() is None:
        missing("chromium is not installed: ./setup.sh --tests")
    started = Browser(tmp_path_factory.mktemp("browser"))
    yield started
    started.close()
