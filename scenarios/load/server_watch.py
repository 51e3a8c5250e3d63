# SPDX-License-Identifier: GPL-2.0-or-later
"""The servers of a load's sessions: their CPU time, and the lab's own count of break polls."""

from __future__ import annotations

import contextlib
from collections.abc import Collection

from polltrace import procfs
from polltrace.engines import engine_of
from polltrace.errors import DriverError
from polltrace.scenarios.load.cpu_time import CpuTime, cpu_time
from polltrace.scenarios.run.client import DriverClient

_BREAK_POLLS = """
select s.sid, s.value
from   v$sesstat s, v$statname n
where  s.statistic# = n.statistic#
and    n.name = 'lab break polls'
"""


class ServerWatch:
    """Totals of the sessions `sids` and their processes `spids`, those that are on this host.

    `watcher` is a session of its own that reads V$ views; None where nothing is to be read.
    """

    def __init__(
        self, watcher: DriverClient | None, sids: Collection[int], spids: Collection[int]
    ) -> None:
        self._watcher = watcher
        self._sids = frozenset(sids)
        # A remote database's number may be another process's here.
        self.spids = [pid for pid in spids if engine_of(procfs.executable(pid), procfs.title(pid))]
        self._polls = self._read_polls()
        self._cpu = cpu_time(self.spids)

    def spent(self) -> tuple[CpuTime | None, int | None]:
        """CPU time and break polls since the last call; None where they are not known."""
        cpu, polls = self._spent_cpu(), self._read_polls()
        previous, self._polls = self._polls, polls
        both_known = polls is not None and previous is not None
        # A session that has ended takes its count along.
        return cpu, max((polls or 0) - (previous or 0), 0) if both_known else None

    def _spent_cpu(self) -> CpuTime | None:
        if not self.spids:
            return None
        previous, self._cpu = self._cpu, cpu_time(self.spids)
        return self._cpu.since(previous)

    def _read_polls(self) -> int | None:
        if self._watcher is None:
            return None
        rows: list[list[object]] = []
        with contextlib.suppress(DriverError):
            rows = self._watcher.query(_BREAK_POLLS)[1]
        counts = [int(str(value)) for sid, value in rows if int(str(sid)) in self._sids]
        return sum(counts) if counts else None
