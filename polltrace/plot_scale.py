# SPDX-License-Identifier: GPL-2.0-or-later
"""The scale of a plot's axis: positions of values, and round values for its ticks."""

from __future__ import annotations

import math
from dataclasses import dataclass

_MOST_TICKS = 7
# Of a logarithmic scale: powers of ten alone would be too few ticks for so many decades.
_FEW_DECADES = 2


@dataclass(frozen=True, slots=True)
class Scale:
    """A scale from `low` to `high`, linear or, if `is_log`, logarithmic (then both are above 0)."""

    low: float
    high: float
    is_log: bool

    def at(self, value: float) -> float:
        """The position of a value, 0 to 1; a value outside the scale is at its end."""
        if self.is_log:
            value = max(value, self.low)
            place = math.log(value / self.low) / math.log(self.high / self.low)
        else:
            place = (value - self.low) / ((self.high - self.low) or 1.0)
        return min(max(place, 0.0), 1.0)

    def ticks(self) -> list[float]:
        """Round values, few enough to be labelled."""
        if self.is_log:
            first, last = math.floor(math.log10(self.low)), math.ceil(math.log10(self.high))
            factors = (1, 2, 5) if last - first <= _FEW_DECADES else (1,)
            step = max(1, math.ceil((last - first + 1) / _MOST_TICKS))
            values = [
                factor * 10.0**power for power in range(first, last + 1, step) for factor in factors
            ]
            return [value for value in values if self.low <= value <= self.high]
        rough = ((self.high - self.low) or 1.0) / (_MOST_TICKS - 1)
        unit: float = 10.0 ** math.floor(math.log10(rough))
        step_ = next(unit * factor for factor in (1, 2, 5, 10) if unit * factor >= rough)
        first = math.ceil(self.low / step_)
        return [step_ * number for number in range(first, math.floor(self.high / step_) + 1)]
