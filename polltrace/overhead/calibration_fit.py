# SPDX-License-Identifier: GPL-2.0-or-later
"""From the rounds that polltrace-calibrate prints to a cost curve. Pure.

A poll takes longer after work that evicts more from the caches. It is measured between work of
three memory footprints, within the first-level cache, within the second, and beyond, and the middle
of the three is taken; cost_model.py says how far from that a session's cost may be.

Where others had the processor between the rounds, they had its caches too, and most rounds took
longer than a session's polls do. The cheapest rounds were disturbed least: the interval then begins
as far below theirs as it usually does below the middle ones.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from polltrace.intervals import Estimate, mixed
from polltrace.overhead.cost_model import calibrated_cost
from polltrace.overhead.poll_cost import PollCost

# A difference may drown in noise; that a poll takes some time is known.
_LEAST_NS = 1.0
# From this share of its time spent waiting for a processor on, a calibration counts as disturbed.
_DISTURBED = 0.1
# The share of the rounds that a disturbed one has in their place.
_CHEAPEST = 0.1


def fitted(
    found: Sequence[Mapping[str, Any]], cost: Callable[[float], Estimate] = calibrated_cost
) -> PollCost:
    """The cost curve of `found`: a record for each interval, in rising order of `interval_us`.
    `cost` makes of the seconds that were timed what it costs a session.

    `poll_ns` is a list by footprint of lists by round: nanoseconds of a poll between two such
    intervals of work.
    """
    intervals = [each["interval_us"] for each in found]
    costs = [_cost(each, cost) for each in found]
    return PollCost([(1e-6 * us, cost) for us, cost in zip(intervals, _rising(costs), strict=True)])


def poll_ns(found: Mapping[str, Any]) -> float:
    """Nanoseconds of a poll: the middle of the footprints' medians."""
    by_footprint: list[float] = [statistics.median(rounds) for rounds in found["poll_ns"]]
    return max(_LEAST_NS, statistics.median(by_footprint))


def disturbed(found: Sequence[Mapping[str, Any]]) -> float | None:
    """The share of its time (0 to 1) that the calibration waited for a processor; None where that
    is too little to matter."""
    waited = max((float(each.get("waited", 0.0)) for each in found), default=0.0)
    return waited if waited > _DISTURBED else None


def _cost(found: Mapping[str, Any], cost: Callable[[float], Estimate]) -> Estimate:
    usual = cost(1e-9 * poll_ns(found))
    if disturbed([found]) is None:
        return usual
    cheapest = statistics.median(_cheap(rounds) for rounds in found["poll_ns"])
    return replace(usual, low=min(usual.low, cost(1e-9 * max(_LEAST_NS, cheapest)).low))


def _cheap(rounds: Sequence[float]) -> float:
    return sorted(rounds)[int(_CHEAPEST * len(rounds))]


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
