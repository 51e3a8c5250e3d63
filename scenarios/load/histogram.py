# SPDX-License-Identifier: GPL-2.0-or-later
"""HdrHistograms of nanoseconds, from arrays, with the percentiles that reports show.

A percentile is at most a thousandth, or 64 ns, above the raw value; `max` likewise.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from polltrace.errors import FileError, HostError

try:
    from hdrh.histogram import HdrHistogram
except ImportError:
    HdrHistogram = None

LOWEST_NS = 64
HIGHEST_NS = 30 * 86_400 * 10**9
DIGITS = 3
_BITS = 11  # of a value that the histogram tells apart: 2 * 10**DIGITS needs as many

PERCENTILES = {"p50": 50.0, "p90": 90.0, "p99": 99.0, "p99_9": 99.9, "p99_99": 99.99}


class Histogram:
    """Nanoseconds; values below 0 count as 0, above HIGHEST_NS as that."""

    def __init__(self) -> None:
        if HdrHistogram is None:
            raise HostError("hdrhistogram is not installed: run 'pip install polltrace[drivers]'")
        self._counts = HdrHistogram(LOWEST_NS, HIGHEST_NS, DIGITS)

    def add(self, values_ns: NDArray[np.float64]) -> None:
        whole = np.clip(values_ns, 0, HIGHEST_NS).astype(np.int64)
        # Values that the histogram does not tell apart are counted at once.
        lost = np.maximum(np.frexp(whole.astype(float))[1] - _BITS, 0)
        values, counts = np.unique((whole >> lost) << lost, return_counts=True)
        for value, count in zip(values.tolist(), counts.tolist(), strict=True):
            self._counts.record_value(value, count)

    def merge(self, encoded: str) -> None:
        """Add one that `encoded()` has given. Raises FileError for any other text."""
        try:
            self._counts.decode_and_add(encoded.encode())
        except Exception as error:  # the library raises what its parts do, zlib's and its own
            raise FileError(f"a histogram is damaged: {error}") from None

    def encoded(self) -> str:
        """In HdrHistogram's own format (V2, compressed, base64), which its tools read."""
        text: bytes = self._counts.encode()
        return text.decode()

    @property
    def count(self) -> int:
        return int(self._counts.get_total_count())

    def summary_ms(self) -> dict[str, float] | None:
        """Milliseconds by name: `mean`, PERCENTILES and `max`; None for an empty one."""
        if not self.count:
            return None
        # The library's own percentiles walk through all its counters in Python.
        counts = np.ctypeslib.as_array(self._counts.counts)
        used = np.flatnonzero(counts)
        ends = np.cumsum(counts[used])
        lows = [self._counts.get_value_from_index(int(index)) for index in used]
        highs = [self._counts.get_highest_equivalent_value(low) for low in lows]
        middles = (np.array(lows) + np.array(highs) + 1) / 2
        found = {"mean": float((middles * counts[used]).sum() / self.count)}
        for name, percentile in PERCENTILES.items():
            rank = self._counts.get_target_count_at_percentile(percentile)
            found[name] = highs[int(np.searchsorted(ends, rank))]
        found["max"] = highs[-1]
        return {name: value / 1e6 for name, value in found.items()}


def merged(encoded: Iterable[str]) -> Histogram:
    """All in one."""
    whole = Histogram()
    for each in encoded:
        whole.merge(each)
    return whole


def quantile_ms(values_ns: NDArray[np.float64], share: float) -> float | None:
    """An exact quantile in milliseconds; None of no values."""
    return float(np.quantile(values_ns, share)) / 1e6 if len(values_ns) else None
