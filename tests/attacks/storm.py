# SPDX-License-Identifier: GPL-2.0-or-later
"""A process under a storm of signals, each counted; what it is is in targets/storm.c."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path

from tests.waiting import until

SOURCE = Path(__file__).parent / "targets" / "storm.c"


@dataclass(frozen=True, slots=True)
class SignalCounts:
    """Signals of each kind; `paused`: no more are sent."""

    paused: bool
    alarms: int
    urgents_sent: int
    urgents: int
    children: int
    reaped: int
    real_times_sent: int
    real_times: int

    @property
    def lost(self) -> int:
        """Signals that were sent and never counted, once all have had their time to arrive."""
        return (
            (self.urgents_sent - self.urgents)
            + (self.children - self.reaped)
            + (self.real_times_sent - self.real_times)
        )


class Storm:
    """A running target, driven by lines."""

    def __init__(self, program: Path) -> None:
        self.process = subprocess.Popen(
            [program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
        )
        assert self.process.stdout is not None
        self.pid = int(self.process.stdout.readline())

    def ask(self, command: str = "?") -> SignalCounts:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(command.encode() + b"\n")
        paused, *counts = map(int, self.process.stdout.readline().split())
        return SignalCounts(bool(paused), *counts)

    def assert_every_signal_arrived(self) -> SignalCounts:
        """Everything sent is counted, the timer still fires, and new signals still arrive."""
        self.ask("p")
        until(lambda: self.ask().paused)
        until(lambda: not self.ask().lost, "every signal that was sent")
        seen = self.ask("c")
        until(lambda: self.ask().alarms > seen.alarms, "the next alarm")
        until(lambda: self.ask().urgents > seen.urgents, "the next SIGURG")
        until(lambda: self.ask().reaped > seen.reaped, "the next SIGCHLD")
        return seen

    def end(self) -> None:
        self.process.kill()
        self.process.communicate()


def build(folder: Path) -> Path:
    """Compile the target."""
    program = folder / "storm"
    command = ["gcc", "-std=gnu11", "-O1", "-Wall", "-Wextra", "-Werror", str(SOURCE)]
    subprocess.run([*command, "-o", str(program)], check=True)
    return program
