# SPDX-License-Identifier: GPL-2.0-or-later
"""The totals of one process over time, in constant memory."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

# Enough for a plot. Above it every second point is dropped, which does not change the totals.
MOST_POINTS = 512


class Point(NamedTuple):
    """Totals of a process at `at_s`, seconds since the recording began: `cpu_s` CPU seconds and
    `break_polls`.
    """

    at_s: float
    cpu_s: float
    break_polls: int


class Span(NamedTuple):
    """Rates between two points, `from_s` and `to_s` (seconds since the recording began): `busy` is
    the share of one CPU (0 to 1, more with threads), `polls_per_s` break polls per second.
    """

    from_s: float
    to_s: float
    busy: float
    polls_per_s: float


@dataclass(slots=True)
class Series:
    """The `points` of a process in order of time, thinned out.

    `timed_s` seconds, `timed_cpu_s` CPU seconds and `timed_polls` fell into times when gaps were
    timed, which costs as much as the polls: no rate may include them. One of every `_every` points
    is kept; `_left_out` points came after the last kept one, `_tail` is the newest.
    """

    points: list[Point] = field(default_factory=list)
    timed_cpu_s: float = 0.0
    timed_polls: int = 0
    timed_s: float = 0.0
    _every: int = 1
    _left_out: int = 0
    _tail: Point | None = None

    def add(self, point: Point, *, timed: bool) -> None:
        """Add the next totals; `timed`: gaps were timed since the last."""
        last = self.last
        if timed and last is not None:
            self.timed_cpu_s += point.cpu_s - last.cpu_s
            self.timed_polls += point.break_polls - last.break_polls
            self.timed_s += point.at_s - last.at_s
        self._tail = point
        self._left_out += 1
        if not self.points or self._left_out >= self._every:
            self.points.append(point)
            self._left_out = 0
        if len(self.points) > MOST_POINTS:
            del self.points[1::2]
            self._every *= 2

    @property
    def last(self) -> Point | None:
        return self._tail

    def spans(self) -> list[Span]:
        """The rates from point to point."""
        tail = [self._tail] if self._tail and self._tail != self.points[-1] else []
        return [
            Span(
                a.at_s,
                b.at_s,
                (b.cpu_s - a.cpu_s) / (b.at_s - a.at_s),
                (b.break_polls - a.break_polls) / (b.at_s - a.at_s),
            )
            for a, b in pairwise([*self.points, *tail])
            if b.at_s > a.at_s
        ]
