# SPDX-License-Identifier: GPL-2.0-or-later
"""Polltrace's own totals, read fifty times a second."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable

from polltrace.backends.ebpf import EbpfProbe, ProbeOptions
from polltrace.cross_check.readings import BREAK_POLLS, CALLS, OFF_CPU, POLLS, Reading
from polltrace.profiles.frames import ProbeFrame, ProcessTotals
from polltrace.profiles.profile import Profile

INTERVAL_S = 0.02


def call_totals(totals: ProcessTotals) -> dict[str, int]:
    """The figures of a process whose system calls are counted."""
    return {
        BREAK_POLLS: totals.break_polls,
        POLLS: sum(call.calls for call in totals.syscalls if call.name == "poll"),
        CALLS: sum(call.calls for call in totals.syscalls) + totals.calls_32bit,
    }


def off_cpu_totals(totals: ProcessTotals) -> dict[str, int]:
    """The figure of a process whose context switches are followed, in microseconds."""
    off = totals.off_cpu
    return {OFF_CPU: (off.blocked_ns + off.queued_ns) // 1000 if off else 0}


class OurCounts:
    """The probe on one process, with a thread that reads it; `ended` is set when it ends."""

    def __init__(
        self, pid: int, *, off_cpu: bool, figures: Callable[[ProcessTotals], dict[str, int]]
    ) -> None:
        options = ProbeOptions(
            syscalls=not off_cpu, off_cpu=off_cpu, interval_s=INTERVAL_S, own_cost=True
        )
        self._figures = figures
        spawned_s = time.monotonic()
        self._probe = EbpfProbe([pid], options)
        self._probe.__enter__()
        self.readings = [Reading(spawned_s, time.monotonic(), {})]
        self.ended = threading.Event()
        self.cpu_s = 0.0
        self.bpf_s: float | None = None
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def stop_behind(self, moment_s: float) -> Profile:
        """Detach once a reading is certainly later than `moment_s`; the whole measurement."""
        while self.readings[-1].earliest_s <= moment_s and not self.ended.wait(INTERVAL_S):
            pass
        self._probe.detach()
        self._reader.join()
        self._profile = self._probe.profile()
        return self._profile

    def with_end(self) -> list[Reading]:
        """The readings; the totals of a process that ended are also those of all later moments."""
        if not self._profile.ended:
            return self.readings
        return [*self.readings, Reading(math.inf, math.inf, self.readings[-1].totals)]

    def close(self) -> None:
        self._probe.__exit__(None, None, None)
        self._reader.join()

    def _read(self) -> None:
        # A frame is read before its time is taken, and after the previous frame was.
        attached_s, previous_s = self._probe.header.attached_s, self.readings[0].latest_s
        try:
            for record in self._probe.records():
                if isinstance(record, ProbeFrame):
                    read_s = time.monotonic()
                    if attached_s is not None:
                        read_s = min(read_s, attached_s + record.t_s)
                    for totals in record.processes:
                        self.readings.append(Reading(previous_s, read_s, self._figures(totals)))
                    previous_s = read_s
                    self.cpu_s, self.bpf_s = record.probe_cpu_s, record.bpf_s
        finally:
            self.ended.set()
