# SPDX-License-Identifier: GPL-2.0-or-later
"""The cost of a check as a record. Each kind of check has a type of its own: earlier releases know
only that of polls.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from polltrace.engines import Trigger
from polltrace.intervals import Estimate
from polltrace.overhead.host_factors import HostFactors
from polltrace.overhead.poll_cost import Knot

_TYPES = {Trigger.COUNT: "poll_cost", Trigger.INTERVAL: "timer_check_cost"}
TRIGGERS = {kind: trigger for trigger, kind in _TYPES.items()}
HOST_FACTORS = "host_factors"
"""The type of the record with the factors of the host."""


def cost_data(knot: Knot, cost: Estimate, at_s: float) -> dict[str, Any]:
    return {
        "type": _TYPES[knot.trigger],
        "at_s": at_s,
        "interval_us": knot.interval_us,
        "cost_s": [cost.value, cost.low, cost.high],
    }


def cost_of(data: Mapping[str, Any]) -> tuple[Knot, Estimate]:
    """Parse a cost record. Raises KeyError, TypeError or ValueError for malformed data."""
    value, low, high = map(float, data["cost_s"])
    if not 0 <= low <= value <= high < 1 or not value:
        raise ValueError("a cost that no check has")
    return Knot(TRIGGERS[data["type"]], int(data["interval_us"])), Estimate(value, low, high)


def host_data(factors: HostFactors, at_s: float) -> dict[str, Any]:
    """The record of the factors that the cost model has for the recorded host."""
    return {"type": HOST_FACTORS, "at_s": at_s, **factors.data()}
