# SPDX-License-Identifier: GPL-2.0-or-later
"""bpftrace: prints its totals with a timestamp fifty times a second."""

from __future__ import annotations

import time

from polltrace.cross_check.readings import BREAK_POLLS, CALLS, POLLS, Reading
from polltrace.cross_check.tool import ToolCounts, threads
from polltrace.cross_check.tool_process import ToolProcess
from polltrace.errors import HostError

# Maps are read by bpftrace's process after the timestamp, and printed in the order of the lines.
_PROGRAM = """
tracepoint:raw_syscalls:sys_enter /pid == PID/ { @calls = count(); }
tracepoint:syscalls:sys_enter_poll /pid == PID/ { @polls = count(); }
tracepoint:syscalls:sys_enter_poll /pid == PID && args->nfds == 1 && args->timeout_msecs == 0/
    { @breaks = count(); }
interval:ms:20 { printf("at %llu\\n", nsecs); print(@calls); print(@polls); print(@breaks);
    printf("end\\n"); }
"""
_FIGURES = {"@calls": CALLS, "@polls": POLLS, "@breaks": BREAK_POLLS}


class Bpftrace(ToolProcess):
    """bpftrace on a process and its threads."""

    def __init__(self, pid: int) -> None:
        super().__init__(["bpftrace", "-B", "line", "-e", _PROGRAM.replace("PID", str(pid))])
        self._pid = pid
        self.wait_for(lambda text: text == "end")

    def begin(self) -> None:
        self._begun_s = time.monotonic()

    def end(self) -> ToolCounts:
        slack = threads(self._pid)
        ended_s = self.interrupt()
        _, cost = self.wait()
        readings = [
            reading
            for reading in self._readings()
            if reading.earliest_s >= self._begun_s and reading.latest_s <= ended_s
        ]
        if len(readings) < 2:
            raise HostError("bpftrace printed too few totals: measure for longer")
        start, end = readings[0], readings[-1]
        counts = {
            figure: end.totals.get(figure, 0) - start.totals.get(figure, 0)
            for figure in _FIGURES.values()
        }
        return ToolCounts(self.name, start, end._replace(totals=counts), cost, slack)

    def _readings(self) -> list[Reading]:
        """Its blocks of totals. `nsecs` may include suspended time, which is taken off."""
        suspended_s = time.clock_gettime(time.CLOCK_BOOTTIME) - time.monotonic()
        readings, earliest_s, totals = [], None, dict[str, int]()
        for line in self.lines:
            first, _, rest = line.text.partition(" ")
            if first == "at" and rest.isdecimal():
                earliest_s, totals = int(rest) / 1e9, {}
                if earliest_s > line.arrived_s:
                    earliest_s -= suspended_s
            elif first.rstrip(":") in _FIGURES and rest.isdecimal():
                totals[_FIGURES[first.rstrip(":")]] = int(rest)
            elif first == "end" and earliest_s is not None:
                readings.append(Reading(earliest_s, line.arrived_s, totals))
                earliest_s, totals = None, {}  # at its end it prints the maps once more
        return readings
