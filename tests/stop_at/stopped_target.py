# SPDX-License-Identifier: GPL-2.0-or-later
"""A process to be stopped, driven by lines; what it is is in tests/probes/targets/poller.c."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path

from polltrace.stop_at.threads import state, status, threads
from tests.waiting import until

SOURCES = Path(__file__).parents[1] / "probes" / "targets"
FLAGS = {
    "frame pointers": ["-O1", "-fno-omit-frame-pointer", "-fno-optimize-sibling-calls"],
    "none": ["-O2", "-fomit-frame-pointer", "-fno-optimize-sibling-calls"],
}


@dataclass
class StoppedTarget:
    process: subprocess.Popen[bytes]
    pid: int

    def begin(self, command: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(command.encode() + b"\n")

    def finish(self) -> int:
        assert self.process.stdout is not None
        return int(self.process.stdout.readline().split()[1])

    def do(self, command: str) -> int:
        self.begin(command)
        return self.finish()

    def poll_for_ever(self) -> int:
        """It polls a TCP socket from now on; the descriptor."""
        fd = self.do("open tcp")
        self.begin(f"poll {fd} {10**12} 0")
        return fd

    def assert_free(self) -> None:
        """It is not traced, not stopped, and gets CPU time."""
        assert status(self.pid, "TracerPid") == 0
        assert not {state(self.pid, tid) for tid in threads(self.pid)} & set("tT")
        had = self._cpu_ns()
        until(lambda: self._cpu_ns() > had)

    def _cpu_ns(self) -> int:
        tasks = Path(f"/proc/{self.pid}/task").glob("*/schedstat")
        return sum(int(task.read_text().split()[0]) for task in tasks)
