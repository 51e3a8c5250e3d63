# SPDX-License-Identifier: GPL-2.0-or-later
"""The recent past of one process, from its totals."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import NamedTuple, Self

from polltrace.profiles.frames import PollWindows, ProcessTotals, SocketPolls

# Figures are over this time, in seconds: a few of the probe's windows.
SPAN_S = 5.0
# A rate is known from the third window on, as in polltrace-probe.
FEWEST_WINDOWS = 3
LONGEST_PAST = 64


class Counts(NamedTuple):
    """Totals of one process at `t_s` since attaching; polls were seen in `windows` windows that
    stand for `window_s` seconds. `sockets` are those that it polls."""

    t_s: float
    cpu_s: float
    polls: float
    window_s: float
    windows: int
    sockets: tuple[SocketPolls, ...] = ()

    @property
    def peer(self) -> str:
        """The address at the other end of what it polls most; empty where it polls nothing."""
        polled = max(self.sockets, key=lambda socket: socket.polls, default=None)
        return polled.peer if polled else ""


_NO_WINDOWS = PollWindows(0, 0.0, 0.0)


def counts_of(totals: ProcessTotals, t_s: float) -> Counts:
    """The counts of a frame at `t_s`."""
    windows = totals.windows or _NO_WINDOWS
    made = windows.polls, windows.seconds, windows.count
    return Counts(t_s, totals.cpu_s, *made, totals.sockets)


class _HistoryPoint(NamedTuple):
    """Its totals at `t_s`; `polls` is estimated from the windows up to `until_s`. All in seconds
    since attaching."""

    t_s: float
    cpu_s: float
    polls: float
    until_s: float


@dataclass(slots=True)
class History:
    """The recent past of a process that began at `since_s`: its newest `counts`, the `points` of
    the last SPAN_S, and `past`, its break polls a second at every frame, the newest last."""

    since_s: float
    counts: Counts
    points: deque[_HistoryPoint]
    past: deque[float] = field(default_factory=lambda: deque(maxlen=LONGEST_PAST))

    @classmethod
    def since(cls, t_s: float) -> Self:
        """Of a process whose totals were all zero then."""
        return cls(t_s, Counts(t_s, 0.0, 0.0, 0.0, 0), deque([_HistoryPoint(t_s, 0.0, 0.0, t_s)]))

    def add(self, now: Counts) -> None:
        """Take in one frame's totals, in the order of time."""
        before, last = self.counts, self.points[-1]
        polls, until_s = last.polls, last.until_s
        if now.windows > before.windows:
            polled = now.polls - before.polls
            if last.t_s > before.t_s:
                # Most of these windows are of a time when it was still.
                made = polled * (now.t_s - self.since_s) / now.window_s
            else:
                made = polled * (now.t_s - until_s) / (now.window_s - before.window_s)
            self.past.append(made / (now.t_s - until_s))
            polls, until_s = polls + made, now.t_s
        self.counts = now
        self._append(_HistoryPoint(now.t_s, now.cpu_s, polls, until_s))

    def still(self, t_s: float) -> None:
        """It has done nothing until `t_s`: it was in no frame."""
        for then_s in (t_s - SPAN_S, t_s):  # the first, after a long time of this
            last = self.points[-1]
            if then_s > last.t_s:
                self.past.append(0.0)
                self._append(_HistoryPoint(then_s, last.cpu_s, last.polls, then_s))

    def _append(self, point: _HistoryPoint) -> None:
        self.points.append(point)
        while len(self.points) > 2 and self.points[1].t_s <= point.t_s - SPAN_S:
            self.points.popleft()

    @property
    def is_settled(self) -> bool:
        """Whether all its figures are zero, and will stay so until it does something."""
        first, last = self.points[0], self.points[-1]
        return (
            last.t_s - first.t_s >= SPAN_S
            and (first.cpu_s, first.polls) == (last.cpu_s, last.polls)
            and not any(self.past)
        )

    @property
    def cpu_s(self) -> float:
        return self.points[-1].cpu_s

    @property
    def polls(self) -> float:
        """All its break polls, estimated from windows: each stands for the time since the one
        before. Never falls."""
        return self.points[-1].polls

    @property
    def busy(self) -> float | None:
        """CPU seconds a second; None before there are two frames."""
        first, last = self.points[0], self.points[-1]
        return (last.cpu_s - first.cpu_s) / (last.t_s - first.t_s) if last is not first else None

    @property
    def polls_per_s(self) -> float | None:
        """Break polls a second of elapsed time; None for too few windows."""
        first, last = self.points[0], self.points[-1]
        was_still = last.t_s > self.counts.t_s
        if last.until_s <= first.until_s or (
            self.counts.windows < FEWEST_WINDOWS and not was_still
        ):
            return None
        return (last.polls - first.polls) / (last.until_s - first.until_s)

    @property
    def polled(self) -> bool:
        """Whether it was ever seen to break-poll."""
        return self.counts.polls > 0

    def polled_on_cpu(self, busy_cpu_s: float, observed_s: float = 0.0) -> bool | None:
        """Whether it break-polls while on CPU; None when too little of its CPU time, less than
        `busy_cpu_s`, fell into windows, or these were shorter than `observed_s` together."""
        if self.polled:
            return True
        counts = self.counts
        if counts.window_s < observed_s:
            return None
        in_windows = counts.cpu_s * counts.window_s / counts.t_s if counts.t_s else 0.0
        return False if in_windows >= busy_cpu_s else None
