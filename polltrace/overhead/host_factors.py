# SPDX-License-Identifier: GPL-2.0-or-later
"""The part of the cost model that belongs to a processor and its kernel.

The model was fitted on one kind of processor. Sessions of the lab whose true cost is known by A/B
give the factors of another host (`polltrace calibrate`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Self

from polltrace.intervals import Estimate

# A factor outside of these ends comes from a broken measurement or a forged file.
_SMALLEST, _LARGEST = 0.05, 20.0


@dataclass(frozen=True, slots=True)
class HostFactors:
    """The factors of a host relative to the fitted model, with their 95 % intervals.

    `timed` applies to durations in place, `sampled` to shares of samples, `calibrated` to polls of
    polltrace's own. `rise` is the power of the interval by which a poll's cost rises, None where
    the model's applies. `measured` is the day of the measurement, empty for the spread between
    hosts.
    """

    timed: Estimate
    sampled: Estimate
    calibrated: Estimate
    rise: Estimate | None = None
    measured: str = ""

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> Self:
        """Raises KeyError, TypeError or ValueError for malformed data."""
        factors = {name: _factor(data[name]) for name in ("timed", "sampled", "calibrated")}
        rise = data.get("rise")
        return cls(
            **factors,
            rise=None if rise is None else _ordered(rise, -0.5, 1.0),
            measured=str(data.get("measured", ""))[:10],
        )

    def data(self) -> dict[str, Any]:
        """JSON-ready data, to be read by of()."""
        return {
            name: [value["value"], value["low"], value["high"]]
            if isinstance(value, dict)
            else value
            for name, value in asdict(self).items()
        }


def _factor(values: Any) -> Estimate:
    return _ordered(values, _SMALLEST, _LARGEST)


def _ordered(values: Any, smallest: float, largest: float) -> Estimate:
    value, low, high = map(float, values)
    if not smallest <= low <= value <= high <= largest:
        raise ValueError("not a factor of a host")
    return Estimate(value, low, high)
