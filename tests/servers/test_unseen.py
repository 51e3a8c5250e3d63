# SPDX-License-Identifier: GPL-2.0-or-later
"""Without permission to see other users' processes the error is that, not 'no servers'."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator

import pytest

from tests.conftest import WITHOUT_CAPABILITIES

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def titled() -> Iterator[int]:
    """The PID of a process with a dedicated server's title."""
    process = subprocess.Popen(["oracleNOTSEEN (LOCAL=NO)", "600"], executable="/bin/sleep")
    yield process.pid
    process.kill()
    process.wait()


@pytest.mark.usefixtures("root")
@pytest.mark.parametrize(
    "words", ["ps", "stat --all", "stat --sid NOTSEEN", "why -p PID", "advise -p PID"]
)
def test_unreadable_processes_are_not_reported_as_no_server(
    run: Run, titled: int, words: str
) -> None:
    argv = words.replace("PID", str(titled)).split()
    ended = run(*argv, prefix=WITHOUT_CAPABILITIES)
    assert ended.returncode == 3
    (line,) = ended.stderr.splitlines()
    assert line.startswith("polltrace: not permitted to see what the processes with a dedicated")
    assert line.endswith("run as root")


@pytest.mark.usefixtures("root")
def test_with_permission_a_process_that_is_none_is_named(run: Run, titled: int) -> None:
    ended = run("why", "-p", str(titled))
    assert (ended.returncode, ended.stderr) == (
        5,
        f"polltrace: process {titled} is no dedicated server of a known engine ('polltrace ps' "
        "lists them; 'polltrace stat', 'stacks' and 'record' take any process)\n",
    )
