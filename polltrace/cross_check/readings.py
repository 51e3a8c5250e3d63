# SPDX-License-Identifier: GPL-2.0-or-later
"""Cumulative counts read at known times, and the bounds of the count between two such times."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

BREAK_POLLS = "break polls"
POLLS = "polls"
CALLS = "system calls"
OFF_CPU = "off-CPU us"


class Reading(NamedTuple):
    """Totals by figure, read at some moment from `earliest_s` to `latest_s` of CLOCK_MONOTONIC."""

    earliest_s: float
    latest_s: float
    totals: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Bounds:
    """Polltrace's count of a figure in another tool's window: from `least` to `most`."""

    least: int
    most: int


def bounds(ours: Sequence[Reading], start: Reading, end: Reading, figure: str) -> Bounds | None:
    """The bounds of our count of `figure` between the moments of `start` and `end`.

    `ours` are in order of time and their totals never fall. None where no reading of ours is
    certainly before `start`, or after `end`.
    """
    before = [item for item in ours if item.latest_s <= start.earliest_s]
    behind = [item for item in ours if item.earliest_s >= end.latest_s]
    if not before or not behind:
        return None
    inside = [
        item
        for item in ours
        if item.earliest_s >= start.latest_s and item.latest_s <= end.earliest_s
    ]
    least = _total(inside[-1], figure) - _total(inside[0], figure) if inside else 0
    return Bounds(least, _total(behind[0], figure) - _total(before[-1], figure))


def _total(reading: Reading, figure: str) -> int:
    return reading.totals.get(figure, 0)
