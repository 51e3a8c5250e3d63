# SPDX-License-Identifier: GPL-2.0-or-later
"""Real programs, built and run for the tests of stacks."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.waiting import PATIENCE_S

TARGETS = Path(__file__).parent / "targets"
FLAGS = ("-O1", "-fno-omit-frame-pointer", "-fno-optimize-sibling-calls", "-falign-functions=1")


@dataclass(frozen=True)
class RunningTarget:
    """A target that has printed its own stack and now waits."""

    pid: int
    addresses: list[int]


@pytest.fixture(scope="session")
def build(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """Compile targets/NAME.c with extra flags into a directory of its own."""
    if shutil.which("gcc") is None:
        pytest.skip("gcc is not installed")

    def compiled(name: str, *flags: str) -> Path:
        output = tmp_path_factory.mktemp(name) / name
        subprocess.run(
            ["gcc", *FLAGS, *flags, "-o", output, TARGETS / f"{name}.c"],
            check=True,
            timeout=PATIENCE_S,
        )
        return output

    return compiled


@pytest.fixture
def run() -> Iterator[Callable[..., RunningTarget]]:
    """Start a target and wait for its line of addresses; ended when the test is over."""
    started: list[subprocess.Popen[bytes]] = []

    def start(*command: str | os.PathLike[str], **options: object) -> RunningTarget:
        child = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            **options,  # type: ignore[call-overload]
        )
        started.append(child)
        line = child.stdout.readline()
        assert line, "the target ended before it was ready"
        return RunningTarget(child.pid, [int(word, 16) for word in line.split()])

    yield start
    for child in started:
        child.communicate(timeout=PATIENCE_S)


@pytest.fixture
def tool() -> Callable[..., None]:
    """Run a program the test needs; skip where it is not installed."""

    def run_tool(name: str, *arguments: object) -> None:
        if shutil.which(name) is None:
            pytest.skip(f"{name} is not installed")
        subprocess.run([name, *map(str, arguments)], check=True, timeout=PATIENCE_S)

    return run_tool
