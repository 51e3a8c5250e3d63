# SPDX-License-Identifier: GPL-2.0-or-later
"""The cost curve that follows from the rounds printed by polltrace-calibrate. Pure functions.

A poll takes longer after work that evicts more from the caches. It is measured between work of
three memory footprints, within the first-level cache, within the second, and larger than both, and
the middle of the three is taken; cost_model.py gives the distance of a session's cost from that.

Where other processes had the processor between the rounds, they had its caches too, and most rounds
took longer than a session's polls do. The cheapest rounds were disturbed least: the interval then
begins as far below theirs as it usually does below the middle ones.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from polltrace.intervals import Estimate, mixed
from polltrace.overhead.cost_model import calibrated_cost
from polltrace.overhead.poll_cost import PollCost

# A poll takes some time, even where noise hides the difference.
_LEAST_NS = 1.0
# From this share of its time spent waiting for a processor on, a calibration counts as disturbed.
_DISTURBED = 0.1
# The share of the rounds, cheapest first, that sets the low end of a disturbed calibration.
_CHEAPEST = 0.1


def fitted(
    records: Sequence[Mapping[str, Any]], cost: Callable[[float], Estimate] = calibrated_cost
) -> PollCost:
    """The cost curve of `records`, one for each interval, in rising order of `interval_us`.

    `cost` converts timed seconds to the cost for a session. `poll_ns` is a list by footprint of
    lists by round: nanoseconds of a poll between two such intervals of work.
    """
    intervals = [record["interval_us"] for record in records]
    costs = [_cost(record, cost) for record in records]
    return PollCost([(1e-6 * us, cost) for us, cost in zip(intervals, _rising(costs), strict=True)])


def poll_ns(record: Mapping[str, Any]) -> float:
    """Nanoseconds of a poll: the middle of the footprints' medians."""
    by_footprint: list[float] = [statistics.median(rounds) for rounds in record["poll_ns"]]
    return max(_LEAST_NS, statistics.median(by_footprint))


def disturbed(records: Sequence[Mapping[str, Any]]) -> float | None:
    """The share of its time (0 to 1) that the calibration waited for a processor; None where that
    is negligible.
    """
    waited = max((float(record.get("waited", 0.0)) for record in records), default=0.0)
    return waited if waited > _DISTURBED else None


def _cost(record: Mapping[str, Any], cost: Callable[[float], Estimate]) -> Estimate:
    usual = cost(1e-9 * poll_ns(record))
    if disturbed([record]) is None:
        return usual
    cheapest = statistics.median(_cheap(rounds) for rounds in record["poll_ns"])
    return replace(usual, low=min(usual.low, cost(1e-9 * max(_LEAST_NS, cheapest)).low))


def _cheap(rounds: Sequence[float]) -> float:
    return sorted(rounds)[int(_CHEAPEST * len(rounds))]


def _rising(costs: Sequence[Estimate]) -> list[Estimate]:
    """The costs made non-decreasing with the interval: a rarer poll is never cheaper.

    Where neighbours show the opposite it is noise, and both get their mean (isotonic regression by
    pooling adjacent violators).
    """
    runs: list[tuple[Estimate, int]] = []
    for cost in costs:
        run, size = cost, 1
        while runs and runs[-1][0].value > run.value:
            previous_cost, previous_size = runs.pop()
            run, size = (
                mixed(previous_cost, run, size / (size + previous_size)),
                size + previous_size,
            )
        runs.append((run, size))
    return [cost for cost, size in runs for _ in range(size)]
