# SPDX-License-Identifier: GPL-2.0-or-later
from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.stop_at.stopped_target import FLAGS, SOURCES, StoppedTarget


@pytest.fixture(scope="session")
def pollers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The same program with frame pointers and without."""
    if shutil.which("gcc") is None:
        pytest.skip("the targets are C: gcc is missing")
    if os.geteuid() != 0:
        pytest.skip("tracing other processes needs root")
    found = {}
    for name, flags in FLAGS.items():
        found[name] = tmp_path_factory.mktemp("targets") / "poller"
        command = ["gcc", "-std=gnu11", *flags, "-pthread", str(SOURCES / "poller.c")]
        subprocess.run([*command, "-o", str(found[name])], check=True)
    return found


@pytest.fixture
def start_target(pollers: dict[str, Path]) -> Iterator[Callable[..., StoppedTarget]]:
    started: list[subprocess.Popen[bytes]] = []

    def start(kind: str = "frame pointers") -> StoppedTarget:
        process = subprocess.Popen(
            [pollers[kind]], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
        )
        started.append(process)
        target = StoppedTarget(process, process.pid)
        assert target.finish() == process.pid
        return target

    yield start
    for process in started:
        process.kill()
        process.communicate()


@pytest.fixture
def target(start_target: Callable[..., StoppedTarget]) -> StoppedTarget:
    return start_target()


@pytest.fixture
def poller(target: StoppedTarget) -> StoppedTarget:
    """A target that polls all the time."""
    target.poll_for_ever()
    return target
