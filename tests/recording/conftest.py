# SPDX-License-Identifier: GPL-2.0-or-later
"""A recording of the lab, made once for all tests that read one."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from polltrace.errors import FileError
from polltrace.recording import read
from polltrace.scenarios.plan.lotslios import LOTSLIOS
from polltrace.scenarios.run.client import DriverClient
from polltrace.scenarios.run.servers.lab_server import LabServer
from tests.conftest import POLLTRACE, missing
from tests.stacks.flamegraph.conftest import Browser, program
from tests.waiting import until

SECRET_SQL, SECRET_BIND = "tigersalt", "mortarpestle"


@dataclass(frozen=True)
class LabRecording:
    """A file, the two servers in it, and what must not be."""

    path: Path
    in_band: int
    out_of_band: int
    secrets: tuple[str, ...]


def has_all_kinds(path: Path, pid: int) -> bool:
    """Whether the recording has counted checks, timed gaps and samples of that process by now, and
    what a poll costs."""
    try:
        recording = read(path)
    except (FileNotFoundError, FileError):  # it has only begun
        return False
    sampled = recording.sampled.totals if recording.sampled else ()
    return (
        any(burst.break_polls for at, burst in recording.bursts.items() if at[0] == pid)
        and any(totals.gaps for at, totals in recording.gaps.items() if at[0] == pid)
        and any(len(totals.stacks) > 10 for totals in sampled if totals.pid == pid)
        and bool(recording.check_costs)
    )


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
        command = [POLLTRACE, "record", "-o", str(path), "-p", ",".join(map(str, pids))]
        with subprocess.Popen(
            [*command, "--hz", "997"],
            stderr=subprocess.DEVNULL,
            env={**os.environ, "POLLTRACE_CALIBRATE": str(quick_calibrate)},
        ) as recording:
            # On a busy host a session is on CPU in few of the moments when its polls are timed.
            until(lambda: has_all_kinds(path, pids[0]), "measurements of every kind")
            recording.send_signal(signal.SIGINT)
        assert recording.returncode == 0
        secrets = (SECRET_SQL, SECRET_BIND, server.oralab.password)
    return LabRecording(path, pids[0], pids[1], secrets)


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    if program() is None:
        missing("chromium is not installed: ./setup.sh --tests")
    started = Browser(tmp_path_factory.mktemp("browser"))
    yield started
    started.close()
