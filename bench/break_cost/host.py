# SPDX-License-Identifier: GPL-2.0-or-later
"""Whether anything else on the host disturbed a session while it was measured."""

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
    """`waiting` is the time that the session waited for its processor, of its time on it; `steal`
    and `elsewhere` are shares of the time: the hypervisor took that processor, and the others were
    busy (of all of them together)."""

    waiting: float
    steal: float
    elsewhere: float


@dataclass(slots=True)
class Watch:
    """`disturbance` is there once the watch has ended."""

    disturbance: Disturbance | None = None


@contextmanager
def watching(processor: int, pid: int) -> Iterator[Watch]:
    """From here on: of the session `pid` on that processor."""
    watch = Watch()
    began, before, own = time.monotonic(), _processors(), _times(pid)
    yield watch
    took = time.monotonic() - began
    spent = {at: (b - before[at][0], s - before[at][1]) for at, (b, s) in _processors().items()}
    _, steal = spent.pop(processor)
    elsewhere = sum(busy for busy, _ in spent.values()) / max(1, len(spent))
    running, waiting = (now - then for now, then in zip(_times(pid), own, strict=True))
    watch.disturbance = Disturbance(waiting / (running or 1.0), steal / took, elsewhere / took)


def _processors() -> dict[int, tuple[float, float]]:
    """By number, seconds that each was busy, and that were stolen."""
    found = {}
    for line in Path("/proc/stat").read_text("ascii").splitlines():
        name, *fields = line.split()
        if name.startswith("cpu") and name != "cpu":
            # The last two, guests', are in the first two as well.
            ticks = [int(field) for field in fields[:8]]
            busy = sum(ticks) - ticks[_STEAL] - sum(ticks[at] for at in _IDLE)
            found[int(name[3:])] = busy * _TICK_S, ticks[_STEAL] * _TICK_S
    return found


def _times(pid: int) -> tuple[float, float]:
    """Seconds on a processor, and waiting for one."""
    running = procfs.running_s(pid) or 0.0
    return running, (procfs.on_cpu_or_waiting_for_one_s(pid) or running) - running
