# SPDX-License-Identifier: GPL-2.0-or-later
"""A process that makes an exact number of polls on command: poller.py, driven by lines."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

BREAK_POLLS, OTHER_POLLS = 10_007, 503


@dataclass(frozen=True)
class Poller:
    process: subprocess.Popen[str]

    @property
    def pid(self) -> int:
        return self.process.pid

    def poll(self) -> None:
        """It makes its polls; returns when they are made."""
        self.go_on()
        assert self.hear() == "done"

    def go_on(self) -> None:
        """To its polls, and after these to its end."""
        assert self.process.stdin is not None
        self.process.stdin.write("go\n")
        self.process.stdin.flush()

    def hear(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()


@contextmanager
def exact_poller(
    break_polls: int = BREAK_POLLS, other_polls: int = OTHER_POLLS
) -> Iterator[Poller]:
    program = Path(__file__).with_name("poller.py")
    process = subprocess.Popen(
        [sys.executable, str(program), str(break_polls), str(other_polls)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    started = Poller(process)
    assert started.hear() == str(process.pid)
    yield started
    process.kill()
    process.communicate()
