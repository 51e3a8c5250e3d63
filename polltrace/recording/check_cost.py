# SPDX-License-Identifier: GPL-2.0-or-later
"""The cost of a check as a record. Oracle's break poll and PostgreSQL's check have a type each,
which earlier releases know; a check of any other engine names its calls.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from polltrace.engines import BREAK_POLL, TIMER_CHECK, CheckKind, Trigger
from polltrace.intervals import Estimate
from polltrace.overhead.host_factors import HostFactors
from polltrace.overhead.poll_cost import Knot

_TYPES = {BREAK_POLL: "poll_cost", TIMER_CHECK: "timer_check_cost"}
_KINDS = {record_type: kind for kind, record_type in _TYPES.items()}
_OTHER = "check_cost"
COSTS = frozenset({*_KINDS, _OTHER})
"""The types of the records with the cost of a check."""
HOST_FACTORS = "host_factors"
"""The type of the record with the factors of the host."""


def cost_data(knot: Knot, cost: Estimate, at_s: float) -> dict[str, Any]:
    record_type = _TYPES.get(knot.kind, _OTHER)
    return {
        "type": record_type,
        "at_s": at_s,
        "interval_us": knot.interval_us,
        "cost_s": [cost.value, cost.low, cost.high],
        **(_kind_data(knot.kind) if record_type == _OTHER else {}),
    }


def _kind_data(kind: CheckKind) -> dict[str, Any]:
    return {"check": {**kind._asdict(), "trigger": kind.trigger.value}}


def _kind(data: Mapping[str, Any]) -> CheckKind:
    if kind := _KINDS.get(data["type"]):
        return kind
    check = data["check"]
    calls = tuple(map(str, check["calls"]))
    return CheckKind(
        Trigger(check["trigger"]), bool(check["by_signal"]), calls, str(check["model"])
    )


def cost_of(data: Mapping[str, Any]) -> tuple[Knot, Estimate]:
    """Parse a cost record. Raises KeyError, TypeError or ValueError for malformed data."""
    value, low, high = map(float, data["cost_s"])
    if not 0 <= low <= value <= high < 1 or not value:
        raise ValueError("a cost that no check has")
    return Knot(_kind(data), int(data["interval_us"])), Estimate(value, low, high)


def host_data(factors: HostFactors, at_s: float) -> dict[str, Any]:
    """The record of the factors that the cost model has for the recorded host."""
    return {"type": HOST_FACTORS, "at_s": at_s, **factors.data()}
