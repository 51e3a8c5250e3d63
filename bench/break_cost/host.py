# SPDX-License-Identifier: GPL-2.0-or-later
"""Whether anything else ran on the host while a session was measured."""

from __future__ import annotations

import os
import resource
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from polltrace import procfs

_TICK_S = 1 / os.sysconf("SC_CLK_TCK")
# Columns of a processor in /proc/stat; idle and iowait are the time that it did nothing.
_IDLE, _STEAL = (3, 4), 7


@dataclass(frozen=True, slots=True)
class Disturbance:
    """Processors' time, as shares of one: taken by `others` than the measurement's processes, and
    by the hypervisor (`steal`)."""

    others: float
    steal: float


@dataclass(slots=True)
class Watch:
    """`disturbance` is there once the watch has ended."""

    disturbance: Disturbance | None = None


@contextmanager
def watching(own: Sequence[int]) -> Iterator[Watch]:
    """From here on: the processes `own`, ours and our children that ended are no others."""
    watch = Watch()
    began, busy, steal, mine = time.monotonic(), *_processors(), _own(own)
    yield watch
    took = time.monotonic() - began
    busy_now, steal_now = _processors()
    others = busy_now - busy - (_own(own) - mine)
    watch.disturbance = Disturbance(max(0.0, others) / took, (steal_now - steal) / took)


def wait_until_idle(most_s: float, share: float = 0.3) -> bool:
    """Until a second in which others took less than that; whether it came in time."""
    until = time.monotonic() + most_s
    while time.monotonic() < until:
        with watching([]) as watch:
            time.sleep(1.0)
        if watch.disturbance is not None and watch.disturbance.others < share:
            return True
    return False


def _processors() -> tuple[float, float]:
    """Seconds of all processors: busy, and stolen."""
    fields = Path("/proc/stat").read_text("ascii").splitlines()[0].split()[1:]
    # The last two, guests', are in the first two as well.
    ticks = [int(field) for field in fields[:8]]
    busy = sum(ticks) - ticks[_STEAL] - sum(ticks[at] for at in _IDLE)
    return busy * _TICK_S, ticks[_STEAL] * _TICK_S


def _own(pids: Sequence[int]) -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    here = time.process_time() + children.ru_utime + children.ru_stime
    return here + sum(procfs.cpu_s(pid) or 0.0 for pid in pids)
