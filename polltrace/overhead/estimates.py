# SPDX-License-Identifier: GPL-2.0-or-later
"""The cost of break polling to a session: two independent estimates, and the choice between them.

Counted: polls times the cost per poll. Sampled: the share of on-CPU samples in the break check.
Neither is taken while polls are timed. Where the two agree, their weighted mean is the estimate.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from polltrace.intervals import Estimate
from polltrace.overhead.load import SessionLoad

# Samples cannot see how much slower the work after a poll is. `make proof` on the lab found the
# sampled share up to a seventh too low.
_UNSEEN = 0.15


@dataclass(frozen=True, slots=True)
class EstimateChoice:
    """`agree`: the two intervals overlap. `trusted` is "both", "counted" or "sampled"; `why` the
    reason, for a report."""

    agree: bool
    trusted: str
    why: str

    def of(self, counted: Estimate, sampled: Estimate | None) -> Estimate:
        """The chosen estimate."""
        if sampled is None or self.trusted == "counted":
            return counted
        return sampled if self.trusted == "sampled" else combined(counted, sampled)


def counted_pct(load: SessionLoad, poll_cost_s: Estimate) -> Estimate:
    """Per cent of the session's CPU time by count and cost per poll (CPU seconds).

    The errors of the rate and of the cost are taken as independent.
    """
    value = 100 * load.polls_per_cpu_s * poll_cost_s.value
    rate = load.rate
    if not rate.per_s:
        high = 100 * rate.high * poll_cost_s.value / load.busy if load.busy else 0.0
        return Estimate(0.0, 0.0, high)
    below = math.hypot(1 - rate.low / rate.per_s, 1 - poll_cost_s.low / poll_cost_s.value)
    above = math.hypot(rate.high / rate.per_s - 1, poll_cost_s.high / poll_cost_s.value - 1)
    return Estimate(value, max(0.0, value * (1 - below)), value * (1 + above))


def choose(counted: Estimate, sampled: Estimate | None) -> EstimateChoice:
    """Choose by the intervals of two estimates of one share; `sampled` is None without samples."""
    if sampled is None:
        return EstimateChoice(True, "counted", "there are no samples to check it by")
    if overlap(counted, sampled):
        return EstimateChoice(True, "both", "their mean is nearer to the truth than either")
    if sampled.low > counted.high:
        return EstimateChoice(
            False,
            "sampled",
            "a poll costs this process more than the same call costs polltrace's calibration here, "
            "because of a system-call filter (seccomp, audit), another tracer or a busy socket",
        )
    return EstimateChoice(
        False,
        "counted",
        "samples see only the poll itself and not the slower work after it (cold caches and "
        "branches), which the cost per poll includes",
    )


def combined(counted: Estimate, sampled: Estimate) -> Estimate:
    """The mean, each weighted by the inverse of its relative variance: an estimate is not more
    precise for being smaller."""
    if not (counted.value and counted.half_width and sampled.value):
        return counted
    weights = [
        (counted.value / counted.half_width) ** 2,
        1 / ((sampled.half_width / sampled.value) ** 2 + _UNSEEN**2),
    ]
    value = (weights[0] * counted.value + weights[1] * sampled.value) / sum(weights)
    half = value / math.sqrt(sum(weights))
    return Estimate(value, value - half, value + half)


def overlap(one: Estimate, other: Estimate) -> bool:
    """Whether two estimates' intervals have a value in common."""
    return one.low <= other.high and other.low <= one.high
