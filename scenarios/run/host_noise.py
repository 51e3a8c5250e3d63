# SPDX-License-Identifier: GPL-2.0-or-later
"""The host's noise: stolen time, CPU time of other processes, clock; and a yardstick."""

from __future__ import annotations

import sqlite3
import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from polltrace.scenarios.run.processors import moved_to

# Columns of the first line of /proc/stat (proc(5)): user nice system idle iowait irq softirq steal.
_IDLE, _IOWAIT, _STEAL = 3, 4, 7

STEAL_LIMIT_PCT = 1.0
FREQUENCY_LIMIT_PCT = 5.0
BUSY_LIMIT = 0.5
"""A load average that exceeds the processors by more than this is reported as a busy host."""


@dataclass(frozen=True, slots=True)
class HostTotals:
    """The host at one moment.

    - `ticks`: since boot, by the columns of /proc/stat, in units of 1/100 s
    - `load`: the load average of one minute
    - `mhz`: the mean clock of the processors; 0 where the kernel does not report it
    """

    ticks: Sequence[int]
    load: float
    mhz: float


def now() -> HostTotals:
    ticks = [
        int(word) for word in Path("/proc/stat").read_text("ascii").split("\n", 1)[0].split()[1:9]
    ]
    frequencies = [
        float(line.partition(":")[2])
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        if line.startswith("cpu MHz")
    ]
    load = float(Path("/proc/loadavg").read_text(encoding="utf-8").split()[0])
    return HostTotals(ticks, load, statistics.mean(frequencies) if frequencies else 0.0)


def noise(earlier: HostTotals, later: HostTotals) -> dict[str, float]:
    """Steal and use between two moments, in per cent of all processors; load and clock after."""
    spent = [b - a for a, b in zip(earlier.ticks, later.ticks, strict=True)]
    total_ticks = max(sum(spent), 1)
    return {
        "steal_pct": 100 * spent[_STEAL] / total_ticks,
        "busy_pct": 100 * (total_ticks - spent[_IDLE] - spent[_IOWAIT]) / total_ticks,
        "load": later.load,
        "mhz": later.mhz,
    }


class Yardstick:
    """A fixed amount of work like the server's, to distinguish a slower machine from a slower
    server.

    A nested loop over an SQLite table in memory: B-tree pages, branches and no system calls, as
    in the lab; about 5 ms. It makes two runs on one host comparable although the host's speed
    changed in between.
    """

    def __init__(self, processor: int) -> None:
        self._processor = processor
        self._database = sqlite3.connect(":memory:")
        self._database.execute("create table t (k integer, v text)")
        self._database.executemany(
            "insert into t values (?, ?)", [(n % 7, "x" * 90) for n in range(900)]
        )
        self.measure()

    def measure(self) -> float:
        """Do the work once on the server's processor; its CPU time in seconds."""
        with moved_to({self._processor}):
            began = time.thread_time()
            self._database.execute(
                "select count(*) from t a, t b where a.k = b.k and length(b.v) > 5 limit 1"
            ).fetchall()
            return time.thread_time() - began


def warnings(noises: Sequence[dict[str, float]], processors: int) -> list[str]:
    """Sentences about a host on which a difference may not be believed."""
    if not noises:
        return []
    sentences = []
    steal = statistics.mean(noise["steal_pct"] for noise in noises)
    if steal > STEAL_LIMIT_PCT:
        sentences.append(f"{steal:.1f} % of the CPU was stolen by other guests of this machine")
    load = statistics.median(noise["load"] for noise in noises)
    if load > processors + BUSY_LIMIT:
        sentences.append(
            f"the host was busy: load {load:.1f} on {processors} processors; "
            "run it on a quiet one, or with more --repeats"
        )
    mhz = [noise["mhz"] for noise in noises if noise["mhz"]]
    if mhz and 100 * (max(mhz) / min(mhz) - 1) > FREQUENCY_LIMIT_PCT:
        sentences.append(
            f"the clock went from {min(mhz):.0f} to {max(mhz):.0f} MHz; "
            "set the governor to performance"
        )
    return sentences
