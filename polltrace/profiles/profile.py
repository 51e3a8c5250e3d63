# SPDX-License-Identifier: GPL-2.0-or-later
"""The result of one measurement of a set of processes: its frames, reduced to final totals."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from polltrace.errors import FrameError
from polltrace.profiles.frames import (
    Exit,
    Header,
    Identity,
    ProbeFrame,
    ProbeRecord,
    ProcessTotals,
    Trailer,
    WatchedProcess,
)

# A process's start is in clock ticks, of which Linux has 100 a second for programs everywhere.
TICKS_PER_S = 100.0


@dataclass(frozen=True, slots=True)
class Profile:
    """A whole measurement: the probe's `header` and the last `totals` of each process.

    `seconds` is how long the probe was attached. `processes` and `ended`, those that have ended
    since, are identified by (pid, start_ticks). `ended_s` is when these ended, in seconds from
    attaching, where the probe noted it. `lost` counts the events that could not be counted, by
    kind;
    `complete`: the probe printed its last record."""

    header: Header
    seconds: float
    processes: Mapping[tuple[int, int], WatchedProcess]
    totals: tuple[ProcessTotals, ...]
    ended: frozenset[tuple[int, int]]
    lost: Mapping[str, int]
    complete: bool
    ended_s: Mapping[Identity, float] = field(default_factory=dict)

    def watched_s(self, identity: Identity) -> float:
        """Seconds for which a process was both alive and watched."""
        attached_s = self.header.attached_s
        born_s = 0.0 if attached_s is None else identity[1] / TICKS_PER_S - attached_s
        return self.ended_s.get(identity, self.seconds) - max(0.0, born_s)

    def only(self) -> ProcessTotals:
        """The totals of the one process that was watched."""
        (totals,) = self.totals
        return totals


def profile_of(records: Iterable[ProbeRecord | None]) -> Profile:
    """Fold records, in the order they came, into a Profile.

    Totals are cumulative, so a process's last frame is complete. Raises FrameError where there
    is no header or no frame; a missing trailer (a probe that was killed) makes `complete` false.
    """
    header: Header | None = None
    frame: ProbeFrame | None = None
    totals: dict[tuple[int, int], ProcessTotals] = {}
    processes: dict[tuple[int, int], WatchedProcess] = {}
    ended: set[Identity] = set()
    ended_s: dict[Identity, float] = {}
    complete = False
    for record in records:
        match record:
            case Header():
                header = record
            case WatchedProcess():
                processes[record.pid, record.start_ticks] = record
            case ProbeFrame():
                frame = record
                # A process that ended is in no later frame.
                totals |= {
                    (process.pid, process.start_ticks): process for process in record.processes
                }
            case Exit():
                ended.add((record.pid, record.start_ticks))
                if record.t_s is not None:
                    ended_s[record.pid, record.start_ticks] = record.t_s
            case Trailer():
                complete = True
    if header is None or frame is None:
        raise FrameError("the probe ended without a frame; run polltrace-probe by hand to see why")
    return Profile(
        header=header,
        seconds=frame.t_s,
        processes=processes,
        totals=tuple(totals.values()),
        ended=frozenset(ended),
        lost=frame.lost,
        complete=complete,
        ended_s=ended_s,
    )
