# SPDX-License-Identifier: GPL-2.0-or-later
"""HdrHistograms of nanoseconds, from arrays, with the percentiles that reports show.

A percentile is at most a thousandth, or 64 ns, above the raw value; `max` likewise. Their text is
HdrHistogram's own format (V2, compressed, base64), which its tools read (histogram_format.py).
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from polltrace.scenarios.load.histogram_format import HistogramSettings, decoded, encoded

HIGHEST_NS = 30 * 86_400 * 10**9
_SETTINGS = HistogramSettings(lowest=64, highest=HIGHEST_NS, digits=3)
# A counter has 64 ns in the first bucket, and twice as many in each that follows. A bucket
# separates 2048 values, as three digits need; of all but the first the lower half is in the one
# before.
_UNIT_BITS, _BITS = 6, 11
_HALF = 1 << (_BITS - 1)
_BUCKETS = HIGHEST_NS.bit_length() - _UNIT_BITS - _BITS + 1
_COUNTERS = (_BUCKETS + 1) * _HALF

PERCENTILES = {"p50": 50.0, "p90": 90.0, "p99": 99.0, "p99_9": 99.9, "p99_99": 99.99}


class Histogram:
    """Nanoseconds; values below 0 count as 0, above HIGHEST_NS as that."""

    def __init__(self) -> None:
        self._counts = np.zeros(_COUNTERS, np.int64)

    def add(self, values_ns: NDArray[np.float64]) -> None:
        whole_ns = np.clip(values_ns, 0, HIGHEST_NS).astype(np.int64)
        bits = np.frexp(whole_ns.astype(float))[1]
        bucket = np.maximum(bits - _UNIT_BITS - _BITS, 0)
        index = bucket * _HALF + (whole_ns >> (bucket + _UNIT_BITS))
        self._counts += np.bincount(index, minlength=_COUNTERS)

    def merge(self, text: str) -> None:
        """Add one that `encoded()` has given. Raises FileError for any other text."""
        self._counts += decoded(text, _SETTINGS, _COUNTERS)

    def encoded(self) -> str:
        return encoded(self._counts, _SETTINGS)

    @property
    def count(self) -> int:
        return int(self._counts.sum())

    def summary_ms(self) -> dict[str, float] | None:
        """Milliseconds by name: `mean`, PERCENTILES and `max`; None for an empty one."""
        if not self.count:
            return None
        used = np.flatnonzero(self._counts)
        counts = self._counts[used]
        ends = np.cumsum(counts)
        bucket = np.maximum(used // _HALF - 1, 0)
        width = 1 << (bucket + _UNIT_BITS)
        lows = (used - bucket * _HALF) * width
        highs = lows + width - 1
        summary = {"mean": float(((lows + width / 2) * counts).sum() / ends[-1])}
        for name, percentile in PERCENTILES.items():
            rank = max(int(percentile * ends[-1] / 100 + 0.5), 1)
            summary[name] = float(highs[np.searchsorted(ends, rank)])
        summary["max"] = float(highs[-1])
        return {name: value / 1e6 for name, value in summary.items()}


def merged(texts: Iterable[str]) -> Histogram:
    """The sum of all histograms."""
    total = Histogram()
    for text in texts:
        total.merge(text)
    return total


def quantile_ms(values_ns: NDArray[np.float64], share: float) -> float | None:
    """An exact quantile in milliseconds; None of no values."""
    return float(np.quantile(values_ns, share)) / 1e6 if len(values_ns) else None
