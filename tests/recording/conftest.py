# SPDX-License-Identifier: GPL-2.0-or-later
"""A recording of the lab, made once for all tests that read one."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from polltrace.breaks.break_mode import BreakMode
from polltrace.errors import FileError
from polltrace.profiles.frames import Stack
from polltrace.recording import Recording, read
from polltrace.recording.summary import summary
from polltrace.scenarios.run.client import DriverClient
from polltrace.scenarios.run.servers.lab_server import LabServer
from tests.busy import begin_lotslios
from tests.conftest import POLLTRACE
from tests.waiting import until

SECRET_SQL, SECRET_BIND = "tigersalt", "mortarpestle"


@dataclass(frozen=True)
class LabRecording:
    """A file, the two servers in it, and what must not be."""

    path: Path
    in_band: int
    out_of_band: int
    secrets: tuple[str, ...]


def has_all_kinds(path: Path, in_band: int, out_of_band: int) -> bool:
    """Whether the recording has of the first process counted checks, timed gaps, samples with the
    break check among them and what a poll costs by now, and the break mode of both."""
    try:
        recording = read(path)
    except (FileNotFoundError, FileError):  # it has only begun
        return False
    sessions = {each.identity[0]: each for each in summary(recording).sessions}
    if not {in_band, out_of_band} <= sessions.keys():
        return False
    polling = sessions[in_band]
    return (
        (polling.mode, sessions[out_of_band].mode) == (BreakMode.IN_BAND, BreakMode.OUT_OF_BAND)
        and any(burst.break_polls for at, burst in recording.bursts.items() if at[0] == in_band)
        and sum(each.count for each in polling.gaps) > 100
        and polling.break_polls > 1000
        and polling.samples > 10
        and polling.checks > 0
        and polling.poll_cost_s is not None
        and any(stack.kind == "poll" for stack in _stacks(recording, in_band))
    )


def _stacks(recording: Recording, pid: int) -> Sequence[Stack]:
    counted = recording.counted.totals if recording.counted else ()
    return next((each.stacks for each in counted if each.pid == pid), ())


@pytest.fixture(scope="session")
def lab_recording(
    lab: None, quick_calibrate: Path, tmp_path_factory: pytest.TempPathFactory
) -> LabRecording:
    path = tmp_path_factory.mktemp("recording") / "lab.polltrace"
    with LabServer() as server, DriverClient() as one, DriverClient() as other:
        pids: list[int] = []
        for client, disable_oob in ((one, True), (other, False)):
            server.connect(client, break_poll_skip=3, disable_oob=disable_oob)
            client.query(f"select '{SECRET_SQL}', :b from dual", {"b": SECRET_BIND})
            pids.append(begin_lotslios(client))
        command = [POLLTRACE, "record", "-o", str(path), "-p", ",".join(map(str, pids))]
        with subprocess.Popen(
            [*command, "--hz", "997"],
            stderr=subprocess.DEVNULL,
            env={**os.environ, "POLLTRACE_CALIBRATE": str(quick_calibrate)},
        ) as recording:
            # On a busy host a session is on CPU in few of the moments when its polls are timed.
            until(lambda: has_all_kinds(path, pids[0], pids[1]), "measurements of every kind")
            recording.send_signal(signal.SIGINT)
        assert recording.returncode == 0
        secrets = (SECRET_SQL, SECRET_BIND, server.oralab.password)
    return LabRecording(path, pids[0], pids[1], secrets)
