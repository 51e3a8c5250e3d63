# SPDX-License-Identifier: GPL-2.0-or-later
"""A distribution of latencies in constant memory: exact moments, and percentiles of a systematic
sample.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from polltrace.intervals import Estimate, median

KEPT = 1 << 18
"""The largest number of stored values. Of more values every second, fourth, eighth … is stored."""
# More values than this make the interval of the median too narrow to print, and slow to compute.
_FOR_THE_INTERVAL = 2000


@dataclass(frozen=True, slots=True)
class LatencySummary:
    """Figures of a distribution, in the unit of its values.

    - `samples`: the number of values
    - `minimum`, `mean`, `maximum`, and `deviation`, the population's standard deviation: of all
    values
    - `p50`, with its 95 % interval, `p90`, `p95`, `p99`, `p99_9`: by nearest rank
    - `jitter`: mean absolute difference of successive values (RFC 3393's delay variation)
    """

    samples: int
    minimum: float
    mean: float
    deviation: float
    p50: Estimate
    p90: float
    p95: float
    p99: float
    p99_9: float
    maximum: float
    jitter: float


class Distribution:
    """The values of a distribution, added one at a time."""

    def __init__(self) -> None:
        self.samples = 0
        self._values = array("d")
        self._stride = 1
        self._mean = self._squares = self._variation = 0.0
        self._least, self._most, self._last = math.inf, -math.inf, math.nan
        self._steps = 0

    def add(self, value: float) -> None:
        if self.samples % self._stride == 0:
            self._values.append(value)
            if len(self._values) > KEPT:
                self._thin()
        self.samples += 1
        # Welford's update: no difference of large sums.
        step = value - self._mean
        self._mean += step / self.samples
        self._squares += step * (value - self._mean)
        self._least, self._most = min(self._least, value), max(self._most, value)
        if self.samples > 1:
            self._variation += abs(value - self._last)
            self._steps += 1
        self._last = value

    def extend(self, values: Iterable[float]) -> None:
        for value in values:
            self.add(value)

    def merge(self, added: Distribution) -> None:
        """Add another distribution's values; jitter remains within each of the two."""
        if not added.samples:
            return
        while self._stride < added._stride:
            self._thin()
        self._values.extend(added._values[:: self._stride // added._stride])
        both = self.samples + added.samples
        apart = added._mean - self._mean
        self._squares += added._squares + apart**2 * self.samples * added.samples / both
        self._mean += apart * added.samples / both
        self.samples = both
        self._least, self._most = min(self._least, added._least), max(self._most, added._most)
        self._variation += added._variation
        self._steps += added._steps
        while len(self._values) > KEPT:
            self._thin()

    def data(self) -> dict[str, Any]:
        """The state as JSON-ready data, to be read by of()."""
        return {
            "samples": self.samples,
            "stride": self._stride,
            "values": self._values.tolist(),
            "mean": self._mean,
            "squares": self._squares,
            "variation": self._variation,
            "steps": self._steps,
            "range": [self._least, self._most] if self.samples else None,
        }

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> Distribution:
        distribution = cls()
        distribution.samples, distribution._stride = data["samples"], data["stride"]
        distribution._values = array("d", data["values"])
        distribution._mean, distribution._squares = data["mean"], data["squares"]
        distribution._variation, distribution._steps = data["variation"], data["steps"]
        if data["range"] is not None:
            distribution._least, distribution._most = data["range"]
        return distribution

    def summary(self) -> LatencySummary | None:
        """The figures of the distribution; None where there is no value."""
        if not self.samples:
            return None
        ordered = sorted(self._values)

        def rank(share: float) -> float:
            return ordered[max(math.ceil(share * len(ordered)), 1) - 1]

        few = ordered[:: math.ceil(len(ordered) / _FOR_THE_INTERVAL)]
        return LatencySummary(
            samples=self.samples,
            minimum=self._least,
            mean=self._mean,
            deviation=math.sqrt(self._squares / self.samples),
            p50=median(ordered if len(ordered) <= _FOR_THE_INTERVAL else few),
            p90=rank(0.9),
            p95=rank(0.95),
            p99=rank(0.99),
            p99_9=rank(0.999),
            maximum=self._most,
            jitter=self._variation / self._steps if self._steps else 0.0,
        )

    def _thin(self) -> None:
        self._values = self._values[::2]
        self._stride *= 2
