# SPDX-License-Identifier: GPL-2.0-or-later
"""What break polling costs a session: two estimates that know nothing of each other.

Counted: polls times the price of one. Sampled: the share of on-CPU samples under the break
check. Neither is ever taken while polls are timed. Where they agree, their mean is nearer to the
truth than either.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from polltrace.intervals import Estimate
from polltrace.profiles.frames import PollRate, ProcessTotals


@dataclass(frozen=True, slots=True)
class Session:
    """A session as it was watched: the share of the time it was on CPU (0 to 1), its rate."""

    busy: float
    rate: PollRate

    @property
    def polls_per_cpu_s(self) -> float:
        return self.rate.per_s / self.busy if self.busy else 0.0

    @property
    def pace_s(self) -> float:
        """CPU time from one break poll to the next; infinite where there is none."""
        return 1 / self.polls_per_cpu_s if self.polls_per_cpu_s else math.inf


# What counting costs was measured on the probe itself, hot; a server's caches are not its own.
_PROBE_COST_ERROR = 0.5
# What samples cannot see: how much slower the work is after a poll. `make proof` on the lab found
# the sampled share up to a seventh too low.
_UNSEEN = 0.15


def counted_session(totals: ProcessTotals, seconds: float, probe_s_per_poll: float) -> Session:
    """A session whose every poll was counted for so many seconds, without what that cost it."""
    if not totals.cpu_s:
        return Session(0.0, PollRate(0.0, 0.0, 0.0))
    busy = totals.cpu_s / seconds

    def per_s(cost_s: float) -> float:
        # Never more than half of its time: a cost beyond that was measured wrongly.
        own = max(totals.cpu_s - totals.break_polls * cost_s, totals.cpu_s / 2)
        return busy * totals.break_polls / own

    error = _PROBE_COST_ERROR * probe_s_per_poll
    return Session(
        busy,
        PollRate(
            per_s(probe_s_per_poll),
            per_s(probe_s_per_poll - error),
            per_s(probe_s_per_poll + error),
        ),
    )


def counted_pct(session: Session, price_s: Estimate) -> Estimate:
    """The share of the session's CPU time, in per cent, by count and price.

    The interval takes the rate's and the price's errors as independent.
    """
    value = 100 * session.polls_per_cpu_s * price_s.value
    rate = session.rate
    if not rate.per_s:
        high = 100 * rate.high * price_s.value / session.busy if session.busy else 0.0
        return Estimate(0.0, 0.0, high)
    below = math.hypot(1 - rate.low / rate.per_s, 1 - price_s.low / price_s.value)
    above = math.hypot(rate.high / rate.per_s - 1, price_s.high / price_s.value - 1)
    return Estimate(value, max(0.0, value * (1 - below)), value * (1 + above))


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether the two estimates agree, which is the one to go by ("both", "counted" or "sampled"),
    and why."""

    agree: bool
    trusted: str
    why: str

    def chosen(self, counted: Estimate, sampled: Estimate | None) -> Estimate:
        """The estimate to go by."""
        if sampled is None or self.trusted == "counted":
            return counted
        return sampled if self.trusted == "sampled" else together(counted, sampled)


def verdict(counted: Estimate, sampled: Estimate | None) -> Verdict:
    """Judge two estimates of one share by their intervals; `sampled` is None where nothing was."""
    if sampled is None:
        return Verdict(True, "counted", "there are no samples to check it by")
    if agree(counted, sampled):
        return Verdict(True, "both", "their mean is nearer to the truth than either")
    if sampled.low > counted.high:
        return Verdict(
            False,
            "sampled",
            "a poll takes this process longer than it takes the same call of ours here, as a "
            "system-call filter (seccomp, audit), another tracer or a busy socket makes it",
        )
    return Verdict(
        False,
        "counted",
        "samples see only the poll itself, not what it makes slower after it (cold caches and "
        "branches), which the price includes",
    )


def together(counted: Estimate, sampled: Estimate) -> Estimate:
    """The mean of both, each with a weight by how unsure it is (one over the variance), which is
    relative to its own size: an estimate is not the surer for being the smaller."""
    if not (counted.value and counted.half_width and sampled.value):
        return counted
    weights = [
        (counted.value / counted.half_width) ** 2,
        1 / ((sampled.half_width / sampled.value) ** 2 + _UNSEEN**2),
    ]
    value = (weights[0] * counted.value + weights[1] * sampled.value) / sum(weights)
    half = value / math.sqrt(sum(weights))
    return Estimate(value, value - half, value + half)


def agree(one: Estimate, other: Estimate) -> bool:
    """Whether two estimates' intervals have a value in common."""
    return one.low <= other.high and other.low <= one.high
