# SPDX-License-Identifier: GPL-2.0-or-later
"""Medians with bootstrap intervals: the range that other blocks of the same kind might give."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from polltrace.intervals import FEWEST_VALUES, Estimate

_RESAMPLES = 10_000


def median(values: Sequence[float], confidence: float = 0.95) -> Estimate:
    """The median of the blocks' values and its percentile interval.

    Always the same for the same values: the resampling is seeded. With fewer than FEWEST_VALUES
    the interval is the whole range. Raises ValueError for none.
    """
    if not values:
        raise ValueError("the median of no values")
    data = np.asarray(values, dtype=float)
    if len(data) < FEWEST_VALUES:
        return Estimate(float(np.median(data)), float(data.min()), float(data.max()))
    medians = _resampled(data, 0)
    low, high = np.quantile(medians, [(1 - confidence) / 2, (1 + confidence) / 2])
    return Estimate(float(np.median(data)), float(low), float(high))


def ratio(base: Sequence[float], new: Sequence[float], confidence: float = 0.95) -> Estimate:
    """The ratio of two unpaired medians, new to base, each resampled on its own."""
    a, b = np.asarray(base, dtype=float), np.asarray(new, dtype=float)
    if not len(a) or not len(b):
        raise ValueError("the ratio of no values")
    value = float(np.median(b) / np.median(a))
    if min(len(a), len(b)) < FEWEST_VALUES:
        return Estimate(value, float(b.min() / a.max()), float(b.max() / a.min()))
    ratios = _resampled(b, 1) / _resampled(a, 0)
    low, high = np.quantile(ratios, [(1 - confidence) / 2, (1 + confidence) / 2])
    return Estimate(value, float(low), float(high))


def _resampled(data: np.ndarray, seed: int) -> np.ndarray:
    chosen = np.random.default_rng(seed).integers(len(data), size=(_RESAMPLES, len(data)))
    return np.asarray(np.median(data[chosen], axis=1))
