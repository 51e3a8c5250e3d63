# SPDX-License-Identifier: GPL-2.0-or-later
"""A stream of a recording, reduced to its last totals."""

from __future__ import annotations

from typing import Any

from polltrace.profiles.decoder import record_of
from polltrace.profiles.frames import (
    Exit,
    Header,
    Identity,
    ProbeFrame,
    ProcessTotals,
    Trailer,
    WatchedProcess,
)
from polltrace.profiles.profile import Profile
from polltrace.profiles.totals import since
from polltrace.recording.stream import Restored


class FoldedStream:
    """The last totals of every process in one stream, and its processes and their ends."""

    def __init__(self) -> None:
        self.restored = Restored()
        self.header: Header | None = None
        self.processes: dict[Identity, WatchedProcess] = {}
        self.ended: set[Identity] = set()
        self.base: dict[Identity, ProcessTotals] = {}
        self.totals: dict[Identity, ProcessTotals] = {}
        self.first: ProbeFrame | None = None
        self.last: ProbeFrame | None = None
        self.complete = False
        self.last_at_s = 0.0

    def take(self, data: dict[str, Any], at_s: float, *, is_base: bool) -> object:
        """Add a record of the probe and return it parsed. Raises one of fold.MALFORMED."""
        record = record_of(self.restored.record(data))
        match record:
            case Header():
                self.header = record
            case WatchedProcess():
                self.processes[record.pid, record.start_ticks] = record
            case Exit():
                self.ended.add((record.pid, record.start_ticks))
            case ProbeFrame():
                totals = {
                    (process_totals.pid, process_totals.start_ticks): process_totals
                    for process_totals in record.processes
                }
                if is_base:
                    self.base, self.first = totals, record
                else:
                    self.totals |= totals
                self.last = record
                self.last_at_s = at_s
            case Trailer():
                self.complete = True
        return record

    def own_totals(self) -> dict[Identity, ProcessTotals]:
        """The totals of each process in this file."""
        return {
            identity: since(self.base[identity], totals) if identity in self.base else totals
            for identity, totals in (self.base | self.totals).items()
        }

    def profile(self) -> Profile | None:
        """The stream's measurements during this file; None where there were none."""
        if self.header is None or self.last is None:
            return None
        lost_before = self.first.lost if self.first else {}
        return Profile(
            header=self.header,
            seconds=self.last.t_s - (self.first.t_s if self.first else 0.0),
            processes=self.processes,
            totals=tuple(self.own_totals().values()),
            ended=frozenset(self.ended),
            lost={kind: count - lost_before.get(kind, 0) for kind, count in self.last.lost.items()},
            complete=self.complete,
        )
