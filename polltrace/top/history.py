# SPDX-License-Identifier: GPL-2.0-or-later
"""What one process did in the recent past, from its totals."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import NamedTuple, Self

# Figures are over so much time: a few of the probe's windows.
SPAN_S = 5.0
# From the third window on a rate can be told; so polltrace-probe has it as well.
FEWEST_WINDOWS = 3
LONGEST_PAST = 64


class Counts(NamedTuple):
    """Totals of one process at `t_s` since attaching; polls were seen in `windows` windows that
    stand for `window_s` seconds. `peer` is the address at the other end of what it polls."""

    t_s: float
    cpu_s: float
    polls: float
    window_s: float
    windows: int
    peer: str = ""


@dataclass(slots=True)
class History:
    """The totals of the last SPAN_S, and the poll rate at every frame with a new window.

    `polls` is how many break polls it made since it was first seen, as far as windows can tell:
    each stands for the time since the one before. It never falls.
    """

    points: deque[Counts]
    past: deque[float] = field(default_factory=lambda: deque(maxlen=LONGEST_PAST))
    polls: float = 0.0
    counted_until_s: float = 0.0

    @classmethod
    def since(cls, t_s: float) -> Self:
        """Of a process whose totals were all zero then."""
        return cls(deque([Counts(t_s, 0.0, 0.0, 0.0, 0)]), counted_until_s=t_s)

    def add(self, now: Counts) -> None:
        """Take in one frame's totals, in the order of time."""
        points = self.points
        last = points[-1]
        if now.windows > last.windows:
            rate = (now.polls - last.polls) / (now.window_s - last.window_s)
            self.past.append(rate)
            self.polls += rate * (now.t_s - self.counted_until_s)
            self.counted_until_s = now.t_s
        points.append(now)
        while len(points) > 2 and points[1].t_s <= now.t_s - SPAN_S:
            points.popleft()

    @property
    def is_still(self) -> bool:
        """Whether it did nothing in all the span: its figures are zero and will stay so."""
        first, last = self.points[0], self.points[-1]
        if first.cpu_s != last.cpu_s or first.polls != last.polls:
            return False
        return self.polls_per_s is not None and not any(self.past)

    def resume(self, then: Counts, now_s: float) -> None:
        """Go on at `now_s` after a time for which nothing was added, with counts from within it."""
        self.points = deque(point for point in self.points if point.t_s > now_s - SPAN_S)
        self.points.append(then)
        self.counted_until_s = then.t_s

    @property
    def busy(self) -> float | None:
        """CPU seconds a second; None before there are two frames."""
        if len(self.points) < 2:
            return None
        first, last = self.points[0], self.points[-1]
        return (last.cpu_s - first.cpu_s) / (last.t_s - first.t_s)

    @property
    def polls_per_s(self) -> float | None:
        """Break polls a second of elapsed time; None for too few windows."""
        if len(self.points) < 2:
            return None
        first, last = self.points[0], self.points[-1]
        if last.windows - first.windows < FEWEST_WINDOWS:
            return None
        return (last.polls - first.polls) / (last.window_s - first.window_s)

    @property
    def polled(self) -> bool:
        """Whether it was ever seen to break-poll."""
        return self.points[-1].polls > 0

    def polled_on_cpu(self, busy_cpu_s: float) -> bool | None:
        """Whether it break-polls while on CPU; None when too little of its CPU time, less than
        `busy_cpu_s`, fell into windows to tell."""
        if self.polled:
            return True
        last = self.points[-1]
        in_windows = last.cpu_s * last.window_s / last.t_s if last.t_s else 0.0
        return False if in_windows >= busy_cpu_s else None
