# SPDX-License-Identifier: GPL-2.0-or-later
"""Medians and their confidence intervals, without assuming a distribution.

Elapsed times on a shared machine have long right tails, so means and their t-intervals mislead.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

# With fewer values even their whole range covers the median less than 95 % of the time.
FEWEST_VALUES = 6
_COVER = 0.95


@dataclass(frozen=True, slots=True)
class Estimate:
    """A `value`, mostly a median, with its 95 % confidence interval from `low` to `high`, in the
    unit of the values."""

    value: float
    low: float
    high: float

    @property
    def half_width(self) -> float:
        return (self.high - self.low) / 2

    @property
    def excludes_zero(self) -> bool:
        return self.low > 0 or self.high < 0

    def scaled(self, factor: float) -> Estimate:
        """The value and both ends multiplied by `factor`, which is not negative."""
        return Estimate(self.value * factor, self.low * factor, self.high * factor)

    @property
    def negated(self) -> Estimate:
        """The estimate with its sign changed: a cost as a saving."""
        return Estimate(-self.value, -self.high, -self.low)


def median(values: Sequence[float]) -> Estimate:
    """The median of `values` and the narrowest pair of order statistics that covers it.

    The number of values below the true median is binomial(n, 1/2), whatever the distribution (the
    sign test inverted), so the coverage is at least 95 %. With fewer than FEWEST_VALUES no pair
    covers that much: the interval is then the range of all values. Raises ValueError for an empty
    sequence.
    """
    import statistics  # noqa: PLC0415 - slow, and many importers use FEWEST_VALUES alone

    ordered = sorted(values)
    if not ordered:
        raise ValueError("the median of no values")
    n = len(ordered)
    # The number of values to cut from each end, and the probability that at most that many are
    # below the true median: another may be cut while the coverage is sufficient.
    cut, tail = 0, 0.5**n
    while True:
        tail += math.exp(_log_binomial(n, cut + 1) - n * math.log(2))
        if 1 - 2 * tail < _COVER:
            break
        cut += 1
    return Estimate(statistics.median(ordered), ordered[cut], ordered[n - 1 - cut])


def _log_binomial(n: int, k: int) -> float:
    """The logarithm of n over k, which itself exceeds a float for thousands of values."""
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)


def paired_overhead(
    base: Sequence[Sequence[float]], compared: Sequence[Sequence[float]]
) -> Estimate:
    """The median percentage by which `compared` takes longer than `base`, over blocks of runs
    paired in time.

    Runs at the same position ran next to each other, so their ratio cancels the state of the
    machine at that time. Runs of a block share more than that (e.g. their processes), so a block
    gives one value, the median of its ratios, and the interval is over the blocks.
    """
    import statistics  # noqa: PLC0415 - as in median

    return median(
        [
            statistics.median(100 * (b / a - 1) for a, b in zip(runs, compared_runs, strict=True))
            for runs, compared_runs in zip(base, compared, strict=True)
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
    """An estimate without an error."""
    return Estimate(value, value, value)


def product(first: Estimate, second: Estimate) -> Estimate:
    """The product of two independent estimates of numbers that are not negative.

    Relative errors add up as squares, upwards and downwards separately.
    """
    if not (first.value and second.value):
        return Estimate(0.0, 0.0, first.high * second.high)
    below = math.hypot(*(_log_ratio(factor.value, factor.low) for factor in (first, second)))
    above = math.hypot(*(_log_ratio(factor.high, factor.value) for factor in (first, second)))
    value = first.value * second.value
    return Estimate(value, value * math.exp(-below), value * math.exp(above))


def _log_ratio(upper: float, lower: float) -> float:
    return math.log(upper / lower) if lower > 0 else math.inf


def mixed(first: Estimate, second: Estimate, share: float) -> Estimate:
    """The weighted mean of two estimates, end by end: `first` at a `share` (0 to 1) of 0, `second`
    at 1.
    """

    def between(a: float, b: float) -> float:
        return a + share * (b - a)

    return Estimate(
        between(first.value, second.value),
        between(first.low, second.low),
        between(first.high, second.high),
    )


def propagated(model: Callable[..., float], *inputs: Estimate) -> Estimate:
    """The result of a model of independent inputs, one number each, with its interval.

    Each input is moved to its own ends while the others keep their values; the changes add up as
    squares, upwards and downwards separately.
    """
    values = [estimate.value for estimate in inputs]
    middle = model(*values)
    below = above = 0.0
    for position, estimate in enumerate(inputs):
        ends = [
            model(*values[:position], end, *values[position + 1 :]) - middle
            for end in (estimate.low, estimate.high)
        ]
        below += max(0.0, -min(ends)) ** 2
        above += max(0.0, *ends) ** 2
    return Estimate(middle, middle - math.sqrt(below), middle + math.sqrt(above))
