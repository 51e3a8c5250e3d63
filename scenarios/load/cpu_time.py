# SPDX-License-Identifier: GPL-2.0-or-later
"""CPU time of processes with all their threads, and how long they waited for a processor."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

_CPUCLOCK_SCHED = 2  # of a whole process, ended threads included (linux/posix-timers.h)


@dataclass(frozen=True, slots=True)
class CpuTime:
    """Seconds that processes have run, and that their living threads have waited to run."""

    ran_s: float
    waited_s: float

    def since(self, earlier: CpuTime) -> CpuTime:
        """The difference; not below 0, because a process that ends takes its time along."""
        return CpuTime(
            max(self.ran_s - earlier.ran_s, 0.0), max(self.waited_s - earlier.waited_s, 0.0)
        )


def cpu_time(pids: Iterable[int]) -> CpuTime:
    """The CPU time of all these processes together, without those that have ended."""
    ran = waited = 0.0
    for pid in pids:
        with contextlib.suppress(OSError, ValueError, IndexError):
            ran += time.clock_gettime(~pid << 3 | _CPUCLOCK_SCHED)
            waited += _waited_s(pid)
    return CpuTime(ran, waited)


def _waited_s(pid: int) -> float:
    folder = Path(f"/proc/{pid}/task")
    tasks = (folder / task / "schedstat" for task in os.listdir(folder))
    return sum(int(task.read_text().split()[1]) for task in tasks) / 1e9
