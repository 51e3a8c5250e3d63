# SPDX-License-Identifier: GPL-2.0-or-later
"""Detection of disturbances of a session by other processes and by the hypervisor."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from polltrace import procfs

_TICK_S = 1 / os.sysconf("SC_CLK_TCK")
# Columns of a processor in /proc/stat; idle and iowait are the time that it did nothing.
_IDLE, _STEAL = (3, 4), 7


@dataclass(frozen=True, slots=True)
class Disturbance:
    """The disturbance of a session: `waiting` is its time of waiting for its processor, relative to
    its time on it; `steal` and `elsewhere` are shares of the time in which the hypervisor took that
    processor, and in which the other processors were busy (their mean).
    """

    waiting: float
    steal: float
    elsewhere: float


@dataclass(slots=True)
class Watch:
    """A watch, whose `disturbance` is set when it has ended."""

    disturbance: Disturbance | None = None


@contextmanager
def watching(processor: int, pid: int) -> Iterator[Watch]:
    """Watch the session `pid` on that processor until the block ends."""
    watch = Watch()
    began, processors_before, times_before = time.monotonic(), _processors(), _times(pid)
    yield watch
    took = time.monotonic() - began
    spent = {
        number: (b - processors_before[number][0], s - processors_before[number][1])
        for number, (b, s) in _processors().items()
    }
    _, steal = spent.pop(processor)
    elsewhere = sum(busy for busy, _ in spent.values()) / max(1, len(spent))
    running, waiting = (end - start for end, start in zip(_times(pid), times_before, strict=True))
    watch.disturbance = Disturbance(waiting / (running or 1.0), steal / took, elsewhere / took)


def _processors() -> dict[int, tuple[float, float]]:
    """Seconds that each processor was busy and that were stolen from it, by number."""
    processors = {}
    for line in Path("/proc/stat").read_text("ascii").splitlines():
        name, *fields = line.split()
        if name.startswith("cpu") and name != "cpu":
            # The last two, guests', are in the first two as well.
            ticks = [int(field) for field in fields[:8]]
            busy = sum(ticks) - ticks[_STEAL] - sum(ticks[column] for column in _IDLE)
            processors[int(name[3:])] = busy * _TICK_S, ticks[_STEAL] * _TICK_S
    return processors


def _times(pid: int) -> tuple[float, float]:
    """Seconds on a processor, and waiting for one."""
    running = procfs.running_s(pid) or 0.0
    return running, (procfs.on_cpu_or_waiting_for_one_s(pid) or running) - running
