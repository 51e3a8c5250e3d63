# SPDX-License-Identifier: GPL-2.0-or-later
from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.stop_at.stopped_target import FLAGS, SOURCES, StoppedTarget


@pytest.fixture(scope="session")
def poller_program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if shutil.which("gcc") is None:
        pytest.skip("the target is C: gcc is missing")
    program = tmp_path_factory.mktemp("targets") / "poller"
    command = ["gcc", "-std=gnu11", *FLAGS["frame pointers"], "-pthread"]
    subprocess.run([*command, str(SOURCES / "poller.c"), "-o", str(program)], check=True)
    return program


@pytest.fixture
def target(poller_program: Path) -> Iterator[StoppedTarget]:
    process = subprocess.Popen(
        [poller_program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
    )
    target = StoppedTarget(process, process.pid)
    assert target.finish() == process.pid
    yield target
    process.kill()
    process.communicate()
