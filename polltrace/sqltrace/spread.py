# SPDX-License-Identifier: GPL-2.0-or-later
"""Durations of calls by group: the result of a profile."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

PERCENTILES = (0.5, 0.9, 0.99)


class Spread(NamedTuple):
    """Durations of a group's calls in microseconds; None if the group has no call.

    group: its value; duration: their sum.
    """

    group: Any
    calls: int
    duration: int | None
    least: int | None
    most: int | None
    percentiles: tuple[int | None, ...] = ()


class TraceProfile(NamedTuple):
    """listed: the groups that are listed, in order; others: the rest as one, with their number in
    `hidden`; total: of all; numeric: whether groups are numbers."""

    listed: Sequence[Spread]
    others: Spread | None
    hidden: int
    total: Spread
    groups: int
    numeric: bool
