# SPDX-License-Identifier: GPL-2.0-or-later
"""The recent past of one process, from its totals."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import NamedTuple, Self

from polltrace.profiles.frames import PollRate, PollWindows, ProcessTotals, SocketPolls
from polltrace.servers.ps_report import BUSY_CPU_S
from polltrace.watch.window_rate import FEWEST_WINDOWS, NO_POLLS, NO_PRODUCTS, window_rate

# Figures are over this time, in seconds: a few of the probe's windows.
SPAN_S = 5.0
LONGEST_PAST = 64
NO_WINDOWS = PollWindows(0, 0.0, 0.0, 0.0, 0.0, NO_PRODUCTS, NO_PRODUCTS)


class Counts(NamedTuple):
    """Totals of one process at `t_s` since attaching; polls were seen in `windows`. `sockets` are
    those that the process polls."""

    t_s: float
    cpu_s: float
    windows: PollWindows = NO_WINDOWS
    sockets: tuple[SocketPolls, ...] = ()

    @property
    def peer(self) -> str:
        """The address at the other end of the socket polled most; empty where none is polled."""
        polled = max(self.sockets, key=lambda socket: socket.polls, default=None)
        return polled.peer if polled else ""

    def rate_since(self, earlier: Counts) -> PollRate | None:
        """Break polls a second from those counts to these; None where windows tell too little."""
        windows = self.windows.since(earlier.windows)
        return window_rate(windows, self.cpu_s - earlier.cpu_s, self.t_s - earlier.t_s)


def counts_of(totals: ProcessTotals, t_s: float) -> Counts:
    """The counts of a frame at `t_s`."""
    return Counts(t_s, totals.cpu_s, totals.windows or NO_WINDOWS, totals.sockets)


class _HistoryPoint(NamedTuple):
    """A process's `counts` at `t_s`, and its break `polls` until then, estimated from windows."""

    t_s: float
    counts: Counts
    polls: float


@dataclass(slots=True)
class History:
    """The recent past of a process: the `points` of the last SPAN_S, the counts up to which its
    polls are estimated (`estimated`), and `past`, its break polls a second at every frame, the
    newest last."""

    points: deque[_HistoryPoint]
    estimated: Counts
    past: deque[float] = field(default_factory=lambda: deque(maxlen=LONGEST_PAST))

    @classmethod
    def since(cls, t_s: float) -> Self:
        """The history of a process whose totals were zero at `t_s`."""
        nothing = Counts(t_s, 0.0)
        return cls(deque([_HistoryPoint(t_s, nothing, 0.0)]), nothing)

    def add(self, counts: Counts) -> None:
        """Take in one frame's totals, in the order of time."""
        polls = self.polls
        if counts.windows.count > self.counts.windows.count:
            # Where the windows did not see it run, its CPU time waits for those that do.
            rate = counts.rate_since(self.estimated)
            if rate is not None:
                self.past.append(rate.per_s)
                polls += rate.per_s * (counts.t_s - self.estimated.t_s)
                self.estimated = counts
        self._append(_HistoryPoint(counts.t_s, counts, polls))

    def still(self, t_s: float) -> None:
        """Record that the process was idle until `t_s`: it was in no frame."""
        for then_s in (t_s - SPAN_S, t_s):  # the first, after a long time of this
            last = self.points[-1]
            if then_s > last.t_s:
                self.past.append(0.0)
                if self.estimated.cpu_s == self.counts.cpu_s:
                    self.estimated = self.estimated._replace(t_s=then_s)
                self._append(_HistoryPoint(then_s, last.counts, last.polls))

    def _append(self, point: _HistoryPoint) -> None:
        self.points.append(point)
        while len(self.points) > 2 and self.points[1].t_s <= point.t_s - SPAN_S:
            self.points.popleft()

    @property
    def is_settled(self) -> bool:
        """True if all figures are zero and stay so until the process runs."""
        first, last = self.points[0], self.points[-1]
        return (
            last.t_s - first.t_s >= SPAN_S
            and (first.counts.cpu_s, first.polls) == (last.counts.cpu_s, last.polls)
            and not any(self.past)
        )

    @property
    def counts(self) -> Counts:
        """The newest counts."""
        return self.points[-1].counts

    @property
    def cpu_s(self) -> float:
        return self.counts.cpu_s

    @property
    def polls(self) -> float:
        """The break polls since the process was first seen, estimated from windows; never falls."""
        return self.points[-1].polls

    @property
    def busy(self) -> float | None:
        """CPU seconds a second; None before there are two frames."""
        first, last = self.points[0], self.points[-1]
        if last is first:
            return None
        return (last.counts.cpu_s - first.counts.cpu_s) / (last.t_s - first.t_s)

    @property
    def rate(self) -> PollRate | None:
        """Break polls a second of elapsed time; None for too few windows, and for a process that
        ran and was in none of them."""
        first, last = self.points[0], self.points[-1]
        was_still = last.t_s > last.counts.t_s
        if last is first or (last.counts.windows.count < FEWEST_WINDOWS and not was_still):
            return None
        rate = last.counts._replace(t_s=last.t_s).rate_since(first.counts._replace(t_s=first.t_s))
        hardly_ran = last.counts.cpu_s - first.counts.cpu_s < BUSY_CPU_S
        return NO_POLLS if rate is None and hardly_ran else rate

    @property
    def polled(self) -> bool:
        """True if a break poll of the process was ever seen."""
        return self.counts.windows.polls > 0

    def polled_on_cpu(self, busy_cpu_s: float, observed_s: float = 0.0) -> bool | None:
        """True if the process break-polls while on CPU.

        None when less than `busy_cpu_s` of its CPU time fell into windows, or when these were
        shorter than `observed_s` together.
        """
        if self.polled:
            return True
        windows = self.counts.windows
        if windows.seconds < observed_s:
            return None
        return False if windows.cpu_s >= busy_cpu_s else None
