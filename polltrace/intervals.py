# SPDX-License-Identifier: GPL-2.0-or-later
"""Medians and their confidence intervals, without assuming a distribution.

Elapsed times on a shared machine have long right tails, so means and their t-intervals mislead.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass

# With fewer values even their whole range covers the median less than 95 % of the time.
FEWEST_VALUES = 6
_COVER = 0.95


@dataclass(frozen=True, slots=True)
class Estimate:
    """A median with its confidence interval, in the unit of the values."""

    value: float
    low: float
    high: float

    @property
    def half_width(self) -> float:
        return (self.high - self.low) / 2

    @property
    def excludes_zero(self) -> bool:
        return self.low > 0 or self.high < 0


def median(values: Sequence[float]) -> Estimate:
    """The median of `values` and the narrowest pair of order statistics that covers it.

    The number of values below the true median is binomial(n, 1/2), whatever the distribution
    (the sign test turned round), so the cover is at least 95 %. With fewer than FEWEST_VALUES no
    pair covers that: the interval is then the whole range. Raises ValueError for none.
    """
    ordered = sorted(values)
    if not ordered:
        raise ValueError("the median of no values")
    n = len(ordered)
    # How many values to cut from each end, and how likely no more than these are below the true
    # median: one more may go as long as the cover holds.
    cut, tail = 0, 0.5**n
    while True:
        tail += math.exp(_log_binomial(n, cut + 1) - n * math.log(2))
        if 1 - 2 * tail < _COVER:
            break
        cut += 1
    return Estimate(statistics.median(ordered), ordered[cut], ordered[n - 1 - cut])


def _log_binomial(n: int, k: int) -> float:
    """The logarithm of n over k, which for thousands of values is no number a float can hold."""
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)


def paired_overhead(base: Sequence[Sequence[float]], other: Sequence[Sequence[float]]) -> Estimate:
    """How much longer `other` takes than `base`, in per cent: blocks of runs paired in time.

    Runs at the same place stood side by side, so their ratio cancels whatever the machine did
    just then. Runs of a block share more than that (their processes, say), so a block gives one
    value, the median of its ratios, and the interval is over the blocks.
    """
    return median(
        [
            statistics.median(100 * (b / a - 1) for a, b in zip(runs, others, strict=True))
            for runs, others in zip(base, other, strict=True)
        ]
    )


def proportion(hits: int, trials: int) -> Estimate:
    """A share in per cent with its 95 % interval (Wilson's, which holds near 0 and 1 as well).

    Raises ValueError for no trials.
    """
    if trials <= 0:
        raise ValueError("the share of no trials")
    z = 1.959964
    share = hits / trials
    centre = (share + z * z / (2 * trials)) / (1 + z * z / trials)
    half = (
        z
        * math.sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials))
        / (1 + z * z / trials)
    )
    return Estimate(100 * share, 100 * max(centre - half, 0.0), 100 * min(centre + half, 1.0))


def exactly(value: float) -> Estimate:
    """What is known without an error."""
    return Estimate(value, value, value)


def propagated(model: Callable[..., float], *inputs: Estimate) -> Estimate:
    """What a model makes of independent inputs, one number each.

    Each input goes to its own ends while the others stay; what that changes adds up as squares,
    upwards and downwards apart.
    """
    values = [each.value for each in inputs]
    middle = model(*values)
    below = above = 0.0
    for at, each in enumerate(inputs):
        ends = [
            model(*values[:at], end, *values[at + 1 :]) - middle for end in (each.low, each.high)
        ]
        below += max(0.0, -min(ends)) ** 2
        above += max(0.0, *ends) ** 2
    return Estimate(middle, middle - math.sqrt(below), middle + math.sqrt(above))
