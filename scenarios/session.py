# SPDX-License-Identifier: GPL-2.0-or-later
"""One session of a cell: fresh, pinned, timed with nothing attached, then counted."""

from __future__ import annotations

import contextlib
import math
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from polltrace.ebpf import EbpfProbe, Look
from polltrace.errors import DriverError, HostError, NoSuchProcessError, NotPermittedError
from polltrace.sampled import ON_CPU
from polltrace.stack_profile import stack_profile
from scenarios import session_statistics
from scenarios.client import Binds, DriverClient
from scenarios.scenario import Cell
from scenarios.server import Server, open_session, server_process
from stacks import Symbolizer, write_folded

SAMPLE_HZ = 997.0
LONGEST_CANCEL_S = 15.0
"""A call that did not end by then has lost its cancel."""

CANCELLED_FACTOR = 40
"""A call that is to be cancelled would take so many times as long as the others."""

POLLS_AT_LEAST = 300
"""Counting begins and ends somewhere between two polls: one more or less must not matter."""

SENDING = "select level, rpad('x', 80, 'x') from dual connect by level <= 400000"
LOCKING = "update polltrace_lock set n = n"


@dataclass(frozen=True, slots=True)
class Work:
    """What a session executes, `executions` times where it is counted, `gets` consistent gets each.

    `cancelled` binds make it last long enough to be cancelled.
    """

    statement: str
    binds: Binds
    cancelled: Binds = field(default_factory=dict)
    executions: int = 1
    gets: float = 0.0

    def executions_at(self, skip: int | None) -> int:
        """How often, so that the polls at this skip are enough for a fraction of a per cent."""
        wanted = POLLS_AT_LEAST * (skip or 0)
        return max(self.executions, math.ceil(wanted / self.gets)) if self.gets > 1 else 1


class Session:
    """A connection of one cell, with a server process and an address space of its own.

    Where the server process is on this host it has a processor to itself, the same in every
    cell: none is favoured. `watcher` reads what the views say of it.
    """

    def __init__(  # noqa: PLR0913, PLR0917
        self,
        server: Server,
        client: DriverClient,
        cell: Cell,
        relays: Mapping[str, int],
        processors: tuple[int, int],
        watcher: DriverClient,
    ) -> None:
        self.cell = cell
        self._client = client
        self._watcher = watcher
        open_session(server, client, cell, relays)
        self.spid = server_process(client)
        self.sid = session_statistics.sid(client)
        if self.spid is not None:
            # Somebody else's process is left where it is.
            with contextlib.suppress(PermissionError):
                os.sched_setaffinity(self.spid, {processors[1]})

    def execute(self, work: Work, times: int = 1) -> tuple[float, float | None]:
        """Seconds of the executions as the client saw them, and of the server's CPU."""
        before = self._cpu_s()
        elapsed_s = sum(self._client.execute(work.statement, work.binds, times=times).elapsed_s)
        after = self._cpu_s()
        return elapsed_s, None if before is None or after is None else after - before

    def counted(self, work: Work, *, polls: bool) -> dict[str, Any]:
        """Executions, the views read before and after, the probe in between."""
        executions = work.executions_at(self.cell.skip)
        before = session_statistics.read(self._watcher, self.sid)
        with contextlib.ExitStack() as stack:
            probe = None
            if polls and self.spid is not None:
                probe = stack.enter_context(EbpfProbe([self.spid]))
            elapsed_s, cpu_s = self.execute(work, executions)
            profile = probe.stop() if probe else None
        spent = session_statistics.read(self._watcher, self.sid).since(before)
        counted: dict[str, Any] = {
            "executions": executions,
            "elapsed_s": elapsed_s,
            "cpu_s": cpu_s,
            "v$": spent.data(),
        }
        if profile is not None:
            counted["break_polls"] = profile.only().break_polls
            counted["lost"] = sum(profile.lost.values())
        return counted

    def stacks(self, work: Work) -> str:
        """Where the server is on CPU meanwhile, folded; empty where it is not on this host."""
        if self.spid is None:
            return ""
        names = Symbolizer()
        with EbpfProbe([self.spid], Look(sample_hz=SAMPLE_HZ)) as probe:
            self.execute(work, work.executions)
            folded = stack_profile(probe.stop(), names, ON_CPU).folded
        return write_folded(folded)

    def cancel(self, work: Work, after_s: float) -> dict[str, Any]:
        """What became of a cancel sent `after_s` into a call. A lost one ends the connection.

        Some drivers report a cancel once the call has come to its own end: by its gets, it is
        lost all the same.
        """
        sql, binds = {
            "executing": (work.statement, work.cancelled),
            "sending": (SENDING, {}),
            "waiting": (LOCKING, {}),
        }[self.cell.busy]
        before = session_statistics.read(self._watcher, self.sid)
        self._client.begin(sql, binds)
        time.sleep(after_s)
        self._client.send_break()
        try:
            ended = self._client.finish(LONGEST_CANCEL_S)
        except DriverError:
            self._client.restart()
            return {"after_s": after_s, "lost": True}
        if ended.error is None or ended.break_ms is None:
            return {"after_s": after_s, "lost": True}
        spent = session_statistics.read(self._watcher, self.sid).since(before)
        cancel = self._client.cancelled(ended)
        whole = CANCELLED_FACTOR * work.gets
        return {
            "after_s": after_s,
            "lost": self.cell.busy == "executing" and spent.gets > 0.9 * whole > 0,
            "ms": cancel.ms,
            "error": cancel.error,
            "usable": cancel.usable,
        }

    def close(self) -> None:
        # A session whose cancel was lost may be beyond closing; its process ends with the run.
        with contextlib.suppress(DriverError):
            self._client.close()

    def _cpu_s(self) -> float | None:
        """CPU time of the server process until now, to the nanosecond (sched-stats)."""
        if self.spid is None:
            return None
        try:
            return int(Path(f"/proc/{self.spid}/schedstat").read_text().split()[0]) / 1e9
        except OSError as error:
            raise NoSuchProcessError(
                f"server process {self.spid} ended before its time: {error.strerror}"
            ) from None


def probe_works() -> str | None:
    """Why polls cannot be counted here; None where they can."""
    try:
        with EbpfProbe([os.getpid()]) as probe:
            probe.stop()
    except (HostError, NotPermittedError) as error:
        return str(error)
    return None
