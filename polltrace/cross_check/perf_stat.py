# SPDX-License-Identifier: GPL-2.0-or-later
"""perf stat: starts and stops counting at a command, and says when it has done so."""

from __future__ import annotations

import socket
import time

from polltrace.cross_check.readings import BREAK_POLLS, CALLS, POLLS, Reading
from polltrace.cross_check.tool import ToolCounts, threads
from polltrace.cross_check.tool_process import ToolProcess
from polltrace.errors import HostError

_PATIENCE_S = 60.0
_EVENTS = {
    POLLS: ("syscalls:sys_enter_poll",),
    CALLS: ("raw_syscalls:sys_enter",),
    BREAK_POLLS: ("syscalls:sys_enter_poll", "--filter", "nfds == 1 && timeout_msecs == 0"),
}


class PerfStat(ToolProcess):
    """perf stat on a process and its threads."""

    def __init__(self, pid: int) -> None:
        # One socket for both directions, because a write to it need not raise SIGPIPE.
        self._control, theirs = socket.socketpair()
        self._control.settimeout(_PATIENCE_S)
        words = [word for event in _EVENTS.values() for word in ("-e", *event)]
        try:
            super().__init__(
                [
                    *("perf", "stat", "-x", ",", "-D", "-1"),
                    *("--control", f"fd:{theirs.fileno()},{theirs.fileno()}"),
                    *(*words, "-p", str(pid)),
                ],
                (theirs.fileno(),),
            )
        finally:
            theirs.close()
        self.name = "perf stat"
        self._pid = pid
        self.wait_for(lambda text: "Events disabled" in text)

    def begin(self) -> None:
        self._start = Reading(*self._command("enable"), {})

    def end(self) -> ToolCounts:
        slack = threads(self._pid)
        earliest_s, latest_s = self._command("disable")
        self.interrupt()
        _, cost = self.wait()
        fields = [line.text.split(",") for line in self.lines]
        rows = [row for row in fields if len(row) > 4 and ":sys_enter" in row[2]]
        if len(rows) != len(_EVENTS) or not all(row[0].isdecimal() for row in rows):
            raise HostError("perf stat printed no counts")
        counts = {figure: int(row[0]) for figure, row in zip(_EVENTS, rows, strict=True)}
        return ToolCounts(
            self.name, self._start, Reading(earliest_s, latest_s, counts), cost, slack
        )

    def _command(self, command: str) -> tuple[float, float]:
        """The moments before the command is sent and after it is acknowledged."""
        sent_s = time.monotonic()
        answer = b""
        try:
            self._control.send(command.encode() + b"\n", socket.MSG_NOSIGNAL)
            while b"ack" not in answer:
                block = self._control.recv(64)
                if not block:
                    raise HostError("perf stat ended: the process may have ended before it")
                answer += block
        except OSError as error:
            raise HostError(f"perf stat does not answer to {command}: {error}") from None
        return sent_s, time.monotonic()

    def __exit__(self, *error: object) -> None:
        self._control.close()
        super().__exit__(None, None, None)
