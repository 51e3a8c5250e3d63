# SPDX-License-Identifier: GPL-2.0-or-later
"""Attribution of counts over time to the statements that a trace shows at that time.

A span between two readings that only one statement's calls touch belongs to that statement. A span
of several statements is divided by their time in it, and each such share is only known to lie
between nothing and the whole.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Busy:
    """A call of a statement, from `begin_us` to `end_us` of CLOCK_MONOTONIC. `weight` is
    its claim on a shared span, per microsecond."""

    statement: str
    begin_us: int
    end_us: int
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Readings:
    """Totals of a counter at the increasing times `at_us`."""

    at_us: Sequence[int]
    totals: Sequence[float]


@dataclass(frozen=True, slots=True)
class Share:
    """A statement's part of a count: between `low`, counted while nothing else ran, and `high`."""

    value: float = 0.0
    low: float = 0.0
    high: float = 0.0

    def __add__(self, share: Share) -> Share:
        return Share(self.value + share.value, self.low + share.low, self.high + share.high)


OUTSIDE = ""
"""Key of counts while no call ran."""
AFTER = "after the last call of the trace"
"""Key of counts after the last call; longer than any statement's name in a trace."""


def attribute(calls: Sequence[Busy], readings: Readings, error_us: int = 0) -> dict[str, Share]:
    """Counts between neighbouring readings by statement; OUTSIDE has those that no call touches.

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
    """Statements that touch each span, with their weight in it."""
    weights: defaultdict[int, dict[str, float]] = defaultdict(dict)
    for call in calls:
        first = max(bisect_right(at_us, call.begin_us - error_us) - 1, 0)
        for span in range(first, len(at_us) - 1):
            begin_us, end_us = at_us[span], at_us[span + 1]
            if begin_us >= call.end_us + error_us:
                break
            inside = max(min(end_us, call.end_us) - max(begin_us, call.begin_us), 0)
            weight = weights[span].get(call.statement, 0.0)
            weights[span][call.statement] = weight + inside * call.weight
    return weights
