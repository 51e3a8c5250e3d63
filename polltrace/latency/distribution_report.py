# SPDX-License-Identifier: GPL-2.0-or-later
"""A distribution of seconds as data, in milliseconds."""

from __future__ import annotations

from typing import Any

from polltrace.latency.distribution import Summary

_NAMES = [
    "min",
    "mean",
    "stddev",
    "p50",
    "p50_low",
    "p50_high",
    "p90",
    "p95",
    "p99",
    "p99_9",
    "max",
    "jitter",
]


def distribution_data(found: Summary | None) -> dict[str, Any]:
    """Every figure in milliseconds, null without a sample; p50_low and p50_high are the 95 %
    interval of the median."""
    return {"samples": found.samples if found else 0} | {
        f"{name}_ms": None if value is None else 1e3 * value
        for name, value in _figures(found).items()
    }


def _figures(found: Summary | None) -> dict[str, float | None]:
    if found is None:
        return dict.fromkeys(_NAMES)
    middle = found.p50
    values = [found.minimum, found.mean, found.deviation, middle.value, middle.low, middle.high]
    values += [found.p90, found.p95, found.p99, found.p99_9, found.maximum, found.jitter]
    return dict(zip(_NAMES, values, strict=True))
