# SPDX-License-Identifier: GPL-2.0-or-later
"""A distribution of seconds as data, in milliseconds."""

from __future__ import annotations

from typing import Any

from polltrace.latency.distribution import LatencySummary

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


def distribution_data(summary: LatencySummary | None) -> dict[str, Any]:
    """Every figure in milliseconds, null without a sample; p50_low and p50_high are the 95 %
    interval of the median.
    """
    return {"samples": summary.samples if summary else 0} | {
        f"{name}_ms": None if value is None else 1e3 * value
        for name, value in _figures(summary).items()
    }


def _figures(summary: LatencySummary | None) -> dict[str, float | None]:
    if summary is None:
        return dict.fromkeys(_NAMES)
    middle = summary.p50
    values = [
        summary.minimum,
        summary.mean,
        summary.deviation,
        middle.value,
        middle.low,
        middle.high,
    ]
    values += [
        summary.p90,
        summary.p95,
        summary.p99,
        summary.p99_9,
        summary.maximum,
        summary.jitter,
    ]
    return dict(zip(_NAMES, values, strict=True))
