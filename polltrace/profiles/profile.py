# SPDX-License-Identifier: GPL-2.0-or-later
"""What one look at a set of processes gave: the frames, boiled down to their last word."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from polltrace.errors import FrameError
from polltrace.profiles.frames import (
    Exit,
    Frame,
    Header,
    ProcessTotals,
    Record,
    Trailer,
    WatchedProcess,
)


@dataclass(frozen=True, slots=True)
class Profile:
    """`seconds` is how long the probe was attached; `ended` are the processes that are gone."""

    header: Header
    seconds: float
    processes: Mapping[tuple[int, int], WatchedProcess]
    totals: tuple[ProcessTotals, ...]
    ended: frozenset[tuple[int, int]]
    lost: Mapping[str, int]
    complete: bool

    def only(self) -> ProcessTotals:
        """The totals of the one process that was watched."""
        (totals,) = self.totals
        return totals


def profile_of(records: Iterable[Record | None]) -> Profile:
    """Fold records, in the order they came, into a Profile.

    Totals are cumulative, so a process's last frame says everything. Raises FrameError where there
    is no header or no frame; a missing trailer (a probe that was killed) makes `complete` false.
    """
    header: Header | None = None
    frame: Frame | None = None
    totals: dict[tuple[int, int], ProcessTotals] = {}
    processes: dict[tuple[int, int], WatchedProcess] = {}
    ended: set[tuple[int, int]] = set()
    complete = False
    for record in records:
        match record:
            case Header():
                header = record
            case WatchedProcess():
                processes[record.pid, record.start_ticks] = record
            case Frame():
                frame = record
                # A process that ended is in no later frame.
                totals |= {(each.pid, each.start_ticks): each for each in record.processes}
            case Exit():
                ended.add((record.pid, record.start_ticks))
            case Trailer():
                complete = True
    if header is None or frame is None:
        raise FrameError("the probe ended before it said anything; run polltrace-probe by hand")
    return Profile(
        header=header,
        seconds=frame.t_s,
        processes=processes,
        totals=tuple(totals.values()),
        ended=frozenset(ended),
        lost=frame.lost,
        complete=complete,
    )
