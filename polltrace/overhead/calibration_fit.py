# SPDX-License-Identifier: GPL-2.0-or-later
"""From the rounds that polltrace-calibrate prints to a cost curve. Pure.

The cost of a poll depends on the work around it, which differs from session to session. It is
measured between work of three memory footprints: within the first-level cache, within the second,
and beyond; the interval spans all three.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from typing import Any

from polltrace.intervals import Estimate, median, mixed, propagated
from polltrace.overhead.poll_cost import PollCost

# The work after a poll is slower by about this share of the poll itself, where it could be
# measured; work between polls at such intervals (us) is short enough to show it.
_USUAL_AFTER, _SHORT_US = 0.4, 30
# Up to here the cost rises with the logarithm of the interval; beyond, more than the nearest
# caches is cold.
_LINE_US = 60
# A difference may drown in noise; that a poll takes some time is known.
_LEAST_NS = 1.0
# Our work is not the session's, however exactly it is measured: `make proof` on the lab found the
# cost up to three fifths off, and a quarter of it in the mean of the squares.
_UNLIKE = 0.5


def fitted(found: Sequence[Mapping[str, Any]]) -> PollCost:
    """The cost curve of `found`: a record for each interval, in rising order of `interval_us`.

    `poll_ns` and `whole_ns` are lists by footprint of lists by round: nanoseconds of a poll alone,
    and of all that a poll adds to the work around it (None: too long to tell). Raises ValueError
    for lists of different lengths.
    """
    after = _after(found)
    intervals = [each["interval_us"] for each in found]
    totals = [_totals_ns(each["poll_ns"], after) for each in found]
    costs = [_cost_s(each) for each in totals]
    lined = sum(each <= _LINE_US for each in intervals)
    smooth = _straightened(intervals[:lined], costs[:lined], totals[:lined])
    knots = zip(intervals, _rising(smooth + costs[lined:]), strict=True)
    return PollCost([(1e-6 * interval_us, cost) for interval_us, cost in knots])


def _slope(intervals: Sequence[float], totals: Sequence[Sequence[Estimate]]) -> float:
    """The relative rise of the cost for each e-fold of the interval: the median over footprints of
    the slope of a least-squares line. The medians over footprints form no such line themselves,
    because they belong to a different footprint from interval to interval."""
    logs = [math.log(each) for each in intervals]
    slopes = []
    for by_interval in zip(*totals, strict=True):
        values = [each.value for each in by_interval]
        mean = statistics.fmean(values)
        slopes.append(statistics.linear_regression(logs, values).slope / mean if mean > 0 else 0.0)
    return statistics.median(slopes)


def _straightened(
    intervals: Sequence[float], costs: Sequence[Estimate], totals: Sequence[Sequence[Estimate]]
) -> list[Estimate]:
    """Cached code is evicted bit by bit, so the cost rises with the logarithm of the interval: the
    straight line through all knots is more precise than each of them. Each keeps its relative
    width."""
    if len(intervals) < 2:
        return list(costs)
    slope = _slope(intervals, totals)
    mean = statistics.fmean(cost.value for cost in costs)
    distances = [math.log(each / statistics.geometric_mean(intervals)) for each in intervals]
    return [
        cost.scaled(mean * max(0.0, 1 + slope * distance) / cost.value)
        for distance, cost in zip(distances, costs, strict=True)
    ]


def _rising(costs: Sequence[Estimate]) -> list[Estimate]:
    """A rarer poll is never cheaper. Where neighbours show the opposite it is noise, and they
    share their mean (isotonic regression by pooling adjacent violators)."""
    runs: list[tuple[Estimate, int]] = []
    for cost in costs:
        run, size = cost, 1
        while runs and runs[-1][0].value > run.value:
            before, more = runs.pop()
            run, size = mixed(before, run, size / (size + more)), size + more
        runs.append((run, size))
    return [cost for cost, size in runs for _ in range(size)]


def _after(found: Sequence[Mapping[str, Any]]) -> list[Estimate]:
    """By footprint, nanoseconds by which a poll slows the work after it: the whole difference that
    a poll makes, without the poll itself.

    Only work as short as a few polls shows it; where noise hides it, it is taken as the usual share
    of the poll, give or take as much.
    """
    short = [each for each in found if each["interval_us"] <= _SHORT_US] or found[:1]
    return [_after_ns(short, footprint) for footprint in range(len(found[0]["poll_ns"]))]


def _after_ns(short: Sequence[Mapping[str, Any]], footprint: int) -> Estimate:
    polls = [ns for each in short for ns in each["poll_ns"][footprint]]
    rests = [
        whole - alone
        for each in short
        for whole, alone in zip(
            each["whole_ns"][footprint], each["poll_ns"][footprint], strict=True
        )
        if whole is not None
    ]
    usual = _USUAL_AFTER * max(0.0, statistics.median(polls))
    rest = median(rests) if rests else None
    if rest is None or rest.half_width > usual:
        return Estimate(usual, 0.0, 2 * usual)
    return rest


def _totals_ns(
    by_footprint: Sequence[Sequence[float]], after: Sequence[Estimate]
) -> list[Estimate]:
    """By footprint, nanoseconds of a poll and of the slowdown after it."""
    return [
        propagated(lambda poll, rest: poll + rest, median(polls), rest)
        for polls, rest in zip(by_footprint, after, strict=True)
    ]


def _cost_s(totals: Sequence[Estimate]) -> Estimate:
    """The median footprint; the interval spans all of them, and how far other work may differ."""
    value = max(_LEAST_NS, statistics.median(each.value for each in totals))
    low = min(value * (1 - _UNLIKE), *(each.low for each in totals))
    high = max(value * (1 + _UNLIKE), *(each.high for each in totals))
    return Estimate(1e-9 * value, 1e-9 * max(0.0, low), 1e-9 * high)
