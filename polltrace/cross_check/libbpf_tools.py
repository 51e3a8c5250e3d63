# SPDX-License-Identifier: GPL-2.0-or-later
"""syscount and offcputime of libbpf-tools, and bcc's syscount: totals from attaching to SIGINT."""

from __future__ import annotations

import re
from collections.abc import Mapping

from polltrace.cross_check.readings import CALLS, OFF_CPU, POLLS, Reading
from polltrace.cross_check.tool import ToolCounts, threads
from polltrace.cross_check.tool_process import ToolProcess
from polltrace.errors import HostError

_ROW = re.compile(r"(\S+) +([0-9]+)")


class _UntilInterrupted(ToolProcess):
    """A tool that counts from attaching, before its first line, to its end."""

    is_complete = True

    def __init__(self, name: str, pid: int, *argv: str) -> None:
        super().__init__(argv)
        self.name = name
        self._pid = pid
        self._start = Reading(self.spawned_s, self._attached_s(), {})

    def _attached_s(self) -> float:
        """A moment by which it is attached."""
        return self.wait_for(lambda text: text.startswith("Tracing ")).arrived_s

    def begin(self) -> None:
        pass

    def end(self) -> ToolCounts:
        slack = threads(self._pid)
        sent_s = self.interrupt()
        ended_s, cost = self.wait()
        end = Reading(sent_s, ended_s, self._counts())
        return ToolCounts(self.name, self._start, end, cost, slack, self.is_complete)

    def _counts(self) -> Mapping[str, int]:
        raise NotImplementedError


class Syscount(_UntilInterrupted):
    """syscount, by name of call."""

    def __init__(self, name: str, command: str, pid: int) -> None:
        super().__init__(name, pid, command, "-p", str(pid), "-T", "1000")

    def _counts(self) -> Mapping[str, int]:
        rows = [match.groups() for line in self.lines if (match := _ROW.fullmatch(line.text))]
        if not any(line.text.startswith("SYSCALL") for line in self.lines):
            raise HostError(f"{self.name} printed no table")
        counts = {name: int(count) for name, count in rows}
        return {CALLS: sum(counts.values()), POLLS: counts.get("poll", 0)}


class Offcputime(_UntilInterrupted):
    """offcputime, which leaves out waits that were under way at either edge."""

    is_complete = False

    def __init__(self, name: str, command: str, pid: int) -> None:
        super().__init__(name, pid, command, "-p", str(pid))

    def _attached_s(self) -> float:
        return self.wait_for_links()  # it prints nothing before it ends

    def _counts(self) -> Mapping[str, int]:
        return {
            OFF_CPU: sum(int(line.text) for line in self.lines if line.text.strip().isdecimal())
        }
