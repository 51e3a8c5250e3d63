# SPDX-License-Identifier: GPL-2.0-or-later
"""Two estimates of the cost of break polling to a session, and the choice between them.

Counted: polls times the cost per poll. Sampled: the share of on-CPU samples in the break check,
times the model's factor for the part that samples cannot see. Both carry the model's prediction
intervals. Where these have a value in common, the estimate is the mean of both on a logarithmic
scale, each weighted by the inverse of its squared error.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from polltrace.intervals import Estimate, product, propagated
from polltrace.overhead.cost_model import cost_model
from polltrace.overhead.host_factors import HostFactors
from polltrace.overhead.session_load import SessionLoad


@dataclass(frozen=True, slots=True)
class EstimateChoice:
    """`agree`: the two intervals overlap. `trusted` is "both", "counted" or "sampled", `why`
    the reason."""

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
    value = min(100.0, 100 * load.polls_per_cpu_s * poll_cost_s.value)
    rate = load.rate
    if not rate.per_s:
        high = 100 * rate.high * poll_cost_s.value / load.busy if load.busy else 0.0
        return Estimate(0.0, 0.0, high)
    below = math.hypot(1 - rate.low / rate.per_s, 1 - poll_cost_s.low / poll_cost_s.value)
    above = math.hypot(rate.high / rate.per_s - 1, poll_cost_s.high / poll_cost_s.value - 1)
    return Estimate(value, max(0.0, value * (1 - below)), min(100.0, value * (1 + above)))


def unpolled_checks_pct(load: SessionLoad, skip: int | None) -> Estimate:
    """Per cent of the session's CPU time in the checks that do not poll, by their number at that
    skip (None: not known).
    """
    model = cost_model()
    return model.check_s.scaled(100 * load.polls_per_cpu_s * model.usual(skip))


def counted_checking_pct(
    load: SessionLoad,
    poll_cost_s: Estimate,
    skip: int | None,
    checks: Estimate | None = None,
) -> Estimate:
    """Per cent of the session's CPU time in all checks of its engine, which polls at every
    `skip`-th (None: not known).

    It is the sum of the polls and the `checks` that do not poll (None: estimated by their number).
    Every command that has no samples shows this figure, so that its interval covers the uncertainty
    of the rate and of the cost.
    """
    unpolled = unpolled_checks_pct(load, skip) if checks is None else checks
    return propagated(lambda a, b: a + b, counted_pct(load, poll_cost_s), unpolled)


def sampled_pct(share_pct: Estimate, skip: int, host: HostFactors | None = None) -> Estimate:
    """Per cent of the session's CPU time by the share of its on-CPU samples in the break check."""
    return product(share_pct, cost_model().sampled_at(skip, host))


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
            "a poll costs this process more than its time in the kernel shows, because of a "
            "system-call filter (seccomp, audit), another tracer or a busy socket",
        )
    return EstimateChoice(
        False,
        "counted",
        "samples see only the poll itself and not the slower work after it (cold caches and "
        "branches), which the cost per poll includes",
    )


def combined(counted: Estimate, sampled: Estimate) -> Estimate:
    """The mean of both logarithms, each weighted by the inverse of its squared error.

    Their errors are not independent; the model's `together` is the effect of that on the interval.
    """
    if min(counted.low, sampled.low) <= 0:
        return counted
    errors = [math.log(estimate.high / estimate.low) / 2 for estimate in (counted, sampled)]
    if not all(errors):
        return counted if not errors[0] else sampled
    weights = [1 / error**2 for error in errors]
    logs = [math.log(estimate.value) for estimate in (counted, sampled)]
    value = math.exp(sum(map(math.prod, zip(weights, logs, strict=True))) / sum(weights))
    wide = math.exp(cost_model().together / math.sqrt(sum(weights)))
    return Estimate(value, value / wide, value * wide)


def overlap(first: Estimate, second: Estimate) -> bool:
    """True if the intervals of two estimates have a value in common."""
    return first.low <= second.high and second.low <= first.high
