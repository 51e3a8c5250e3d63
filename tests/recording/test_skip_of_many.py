# SPDX-License-Identifier: GPL-2.0-or-later
"""The skip in force is measured right, however many sessions share a program."""

from __future__ import annotations

import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from polltrace.errors import FileError
from polltrace.overhead.skip import MeasuredSkip, measured_skip
from polltrace.recording import read
from tests.waiting import PATIENCE_S, until

SKIP = 3  # of targets/server.c
Start = Callable[..., subprocess.Popen[str]]

pytestmark = pytest.mark.usefixtures("quick_calibration")


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The same program as two files."""
    room = tmp_path_factory.mktemp("servers")
    source = Path(__file__).parent / "targets" / "server.c"
    built = room / "oracle"
    warnings = ("-Wall", "-Wextra", "-Werror")
    subprocess.run(["gcc", "-O1", *warnings, str(source), "-o", str(built)], check=True)
    shutil.copy(built, room / "oracle2")
    return [built, room / "oracle2"]


@contextmanager
def sessions(programs: list[Path], count: int) -> Iterator[list[int]]:
    """The PIDs of `count` busy servers, of each program in turn."""
    with ExitStack() as ending:
        pids = []
        for number in range(count):
            process = ending.enter_context(
                subprocess.Popen(
                    ["oracleORCL (LOCAL=NO)"],
                    executable=programs[number % len(programs)],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    text=True,
                )
            )
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            pids.append(process.pid)
        yield pids


def measured(path: Path) -> dict[int, MeasuredSkip]:
    """The skips that a recording has by now, by process."""
    try:
        bursts = read(path).bursts
    except (FileNotFoundError, FileError):  # it has only begun
        return {}
    found = {pid: measured_skip(burst) for (pid, _), burst in bursts.items()}
    return {pid: skip for pid, skip in found.items() if skip}


@pytest.mark.usefixtures("probe")
@pytest.mark.parametrize(("count", "files"), [(1, 1), (2, 1), (7, 1), (32, 1), (7, 2)])
def test_by_the_number_of_sessions(
    start: Start, programs: list[Path], tmp_path: Path, count: int, files: int
) -> None:
    path = tmp_path / "a"
    with sessions(programs[:files], count) as pids:
        chosen = ",".join(map(str, pids))
        recording = start("record", "-o", str(path), "-p", chosen, "--no-samples")
        # Three are looked at for a moment; on a busy host not each of them is on CPU in it.
        until(lambda: measured(path), "a measured skip")
        recording.send_signal(signal.SIGINT)
        _, errors = recording.communicate(timeout=PATIENCE_S)
        assert recording.returncode == 0, errors
    found = measured(path)
    assert found.keys() <= set(pids)
    assert {skip.checks_per_poll for skip in found.values()} == {SKIP}
