# SPDX-License-Identifier: GPL-2.0-or-later
"""Which statement a count belongs to: counts come by time, and a trace tells what ran when.

A span between two readings that only one statement's calls touch belongs to that statement. One
that several touch is divided by their time in it, and of each such share it is only known that it
lies between nothing and all.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Busy:
    """A call of a statement, from `begin_us` to `end_us` of CLOCK_MONOTONIC. `weight` is what it
    may have of a span that it shares, per microsecond."""

    statement: str
    begin_us: int
    end_us: int
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Readings:
    """A counter's `totals` at the times `at_us`, which increase."""

    at_us: Sequence[int]
    totals: Sequence[float]


@dataclass(frozen=True, slots=True)
class Share:
    """A statement's part of a count: between `low`, counted while nothing else ran, and `high`."""

    value: float = 0.0
    low: float = 0.0
    high: float = 0.0

    def __add__(self, other: Share) -> Share:
        return Share(self.value + other.value, self.low + other.low, self.high + other.high)


OUTSIDE = ""
"""The statement of what was counted while no call ran."""
AFTER = "after the last call of the trace"
"""The statement of what was counted then; longer than what a trace calls a statement."""


def attribute(calls: Sequence[Busy], readings: Readings, error_us: int = 0) -> dict[str, Share]:
    """The count between each two readings, by statement; OUTSIDE has what no call touches.

    The clocks of calls and readings may differ by `error_us`: a call within it of a span touches it
    too, without having a part of it.
    """
    weights = touching(calls, readings.at_us, error_us)
    shares: defaultdict[str, Share] = defaultdict(Share)
    for span in range(len(readings.at_us) - 1):
        count = readings.totals[span + 1] - readings.totals[span]
        if count:
            for statement, share in _divided(count, weights.get(span, {})):
                shares[statement] += share
    return dict(shares)


def _divided(count: float, weights: Mapping[str, float]) -> list[tuple[str, Share]]:
    total = sum(weights.values())
    if not total:  # nothing ran, or only next to it
        near = [(statement, Share(high=count)) for statement in weights]
        return [(OUTSIDE, Share(count, 0.0 if near else count, count)), *near]
    alone = len(weights) == 1
    return [
        (statement, Share(count * weight / total, count if alone else 0.0, count))
        for statement, weight in weights.items()
    ]


def touching(
    calls: Sequence[Busy], at_us: Sequence[int], error_us: int
) -> dict[int, dict[str, float]]:
    """By span, the statements that touch it and their weight in it."""
    found: defaultdict[int, dict[str, float]] = defaultdict(dict)
    for call in calls:
        first = max(bisect_right(at_us, call.begin_us - error_us) - 1, 0)
        for span in range(first, len(at_us) - 1):
            begin_us, end_us = at_us[span], at_us[span + 1]
            if begin_us >= call.end_us + error_us:
                break
            inside = max(min(end_us, call.end_us) - max(begin_us, call.begin_us), 0)
            before = found[span].get(call.statement, 0.0)
            found[span][call.statement] = before + inside * call.weight
    return found
