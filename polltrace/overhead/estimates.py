# SPDX-License-Identifier: GPL-2.0-or-later
"""The cost of break polling to a session: the estimate, and another that checks it.

Counted: polls times the cost per poll, as precise as the cost model. Sampled: the share of on-CPU
samples in the break check, times the model's factor for what samples cannot see. It adds nothing to
a count with timed polls (`make fit` shows its error), but it also sees what makes the calls dear
before the kernel's entry is timed, such as a system-call filter. It is used only where the two
contradict each other.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from polltrace.intervals import Estimate, product
from polltrace.overhead.cost_model import cost_model
from polltrace.overhead.load import SessionLoad


@dataclass(frozen=True, slots=True)
class EstimateChoice:
    """`agree`: the two intervals overlap. `trusted` is "counted" or "sampled", `why` the reason."""

    agree: bool
    trusted: str
    why: str

    def of(self, counted: Estimate, sampled: Estimate | None) -> Estimate:
        """The chosen estimate."""
        return counted if sampled is None or self.trusted == "counted" else sampled


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


def sampled_pct(share_pct: Estimate) -> Estimate:
    """Per cent of the session's CPU time by the share of its on-CPU samples in the break check."""
    return product(share_pct, cost_model().sampled)


def choose(counted: Estimate, sampled: Estimate | None) -> EstimateChoice:
    """Choose by the intervals of two estimates of one share; `sampled` is None without samples."""
    if sampled is None:
        return EstimateChoice(True, "counted", "there are no samples to check it by")
    if overlap(counted, sampled):
        return EstimateChoice(True, "counted", "the samples agree, and are less precise")
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


def overlap(one: Estimate, other: Estimate) -> bool:
    """Whether two estimates' intervals have a value in common."""
    return one.low <= other.high and other.low <= one.high
