# SPDX-License-Identifier: GPL-2.0-or-later
"""A process's time on a CPU and waiting for one, and its page faults, read every few milliseconds.

The kernel keeps them for each process (/proc/PID/schedstat, /proc/PID/stat). Reading them does not
disturb the process.
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass

from polltrace.errors import FileError
from polltrace.latency.wait_sampler import blocked_call
from polltrace.procfs import PROC
from polltrace.statements.trace_file import TraceFile

EVERY_S = 0.01
_MINOR_FAULTS, _MAJOR_FAULTS = 7, 9  # of /proc/PID/stat, behind the name


@dataclass(frozen=True, slots=True)
class SchedulerSample:
    """Totals of a process since it started, at `at_us` of CLOCK_MONOTONIC: nanoseconds `on_cpu_ns`
    and `run_queue_ns`, runnable without a CPU; page faults that read a disk, `major`, or not.
    `blocked_in` is the system call that it is blocked in then, empty where it is in none or that
    may not be seen."""

    at_us: int
    on_cpu_ns: int
    run_queue_ns: int
    minor_faults: int
    major_faults: int
    blocked_in: str = ""


def read_scheduler(pid: int) -> SchedulerSample | None:
    """A sample of the process; None where it has ended."""
    try:
        at_us = time.monotonic_ns() // 1000
        on_cpu_ns, run_queue_ns, _ = (PROC / str(pid) / "schedstat").read_text().split()
        stat = (PROC / str(pid) / "stat").read_bytes().rpartition(b")")[2].split()
        minor, major = int(stat[_MINOR_FAULTS]), int(stat[_MAJOR_FAULTS])
    except (OSError, ValueError, IndexError):
        return None
    return SchedulerSample(at_us, int(on_cpu_ns), int(run_queue_ns), minor, major, _blocked_in(pid))


def _blocked_in(pid: int) -> str:
    try:
        call = blocked_call((PROC / str(pid) / "syscall").read_text())
    except OSError:
        return ""
    return call[0] if call else ""


def _last_tim(file: TraceFile) -> int | None:
    """The tim of the last complete line with one."""
    for line in reversed(file.end(4096).split(b"\n")[:-1]):
        digits = line.rpartition(b"tim=")[2]
        if b"tim=" in line and digits.isdigit() and len(digits) < 19:
            return int(digits)
    return None


class SchedulerWatch:
    """Samples of the process `pid` while its `run` is alongside something else.

    `lag_us` is how much later than its tim a record of the trace `file` was seen, at least: the
    clocks differ by no more (see clock_alignment.py); None where none was seen. `cut_to`: the
    fewest bytes that the file had after it had lost some; None where it lost none.
    """

    def __init__(self, pid: int, file: TraceFile) -> None:
        self._pid, self._file = pid, file
        self._size = -1
        self.cut_to: int | None = None
        self.samples: list[SchedulerSample] = []
        self.lag_us: int | None = None

    def run(self, over: threading.Event) -> None:
        while self._sample() and not over.wait(EVERY_S):
            pass
        # The session's last records may have been written since.
        self._sample()

    def _sample(self) -> bool:
        """Take a sample and return True while the process exists."""
        sample = read_scheduler(self._pid)
        if sample:
            self.samples.append(sample)
        self._see_records()
        return sample is not None

    def _see_records(self) -> None:
        """Read the file's last record if the file has grown."""
        try:
            size = self._file.size()
            tim = _last_tim(self._file) if size != self._size else None
        except (OSError, FileError):
            return  # reading the whole file later reports it
        if size < self._size:
            self.cut_to = size if self.cut_to is None else min(size, self.cut_to)
        self._size = size
        if tim is not None:
            lag_us = time.monotonic_ns() // 1000 - tim
            self.lag_us = lag_us if self.lag_us is None else min(self.lag_us, lag_us)
