# SPDX-License-Identifier: GPL-2.0-or-later
"""Every kind of command under small limits of resources: it works, or ends with one line that says
why, a documented exit code and no traceback."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.servers.crowd import build_crowd

Run = Callable[..., subprocess.CompletedProcess[str]]

LIMITS = ["--nofile=5", "--nofile=8", "--as=200000000", "--nproc=1", "--fsize=0", "--fsize=1000"]
COMMANDS = [
    "ps -d 50ms",
    "stat -p PID -d 50ms",
    "stop-at -p PID -d 50ms",
    "why -p PID",
    "dump -p PID",
    "record -p PID -d 50ms -o RECORDING",
    "report demo",
    "top -b -n 1 demo",
]
DOCUMENTED = {0, 1, 2, 3, 4, 5, 8}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """The PID of an idle process that counts as a dedicated server."""
    program = build_crowd(tmp_path_factory.mktemp("crowd"))
    process = subprocess.Popen(
        ["oracleLIMITED (LOCAL=NO)", "0"],
        executable=program,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    yield process.pid
    process.communicate()


@pytest.mark.usefixtures("probe", "quick_calibration")
@pytest.mark.parametrize("limit", LIMITS)
@pytest.mark.parametrize("command", COMMANDS)
def test_a_limit_that_is_reached_is_reported_in_lines(
    run: Run, tmp_path: Path, server: int, command: str, limit: str
) -> None:
    words = command.replace("PID", str(server)).replace("RECORDING", str(tmp_path / "recording"))
    ended = run(*words.split(), prefix=("prlimit", limit))
    assert ended.returncode in DOCUMENTED, ended
    assert all(line.startswith("polltrace: ") for line in ended.stderr.splitlines()), ended
    if ended.returncode not in (0, 1):
        assert ended.stderr
    # It runs, whatever the limit is.
    assert f"process {server} ended" not in ended.stderr
    assert f"no process {server}" not in ended.stderr
