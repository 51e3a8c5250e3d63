# SPDX-License-Identifier: GPL-2.0-or-later
"""What a check says of one cell or one client."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from scenarios.run_analysis import RunResult

WITHIN = 0.01
"""Counts may differ by so much: counting begins and ends between two polls."""


@dataclass(frozen=True, slots=True)
class Point:
    """`held` is None where this run cannot tell; `words` are the evidence."""

    held: bool | None
    words: str


def clients(result: RunResult) -> Sequence[str]:
    return list(dict.fromkeys(each.cell.client for each in result.cells))
