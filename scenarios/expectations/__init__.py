# SPDX-License-Identifier: GPL-2.0-or-later
"""Whether a run bears out what its scenario expects: pure functions of the result.

A scenario file names a check beside the sentence; what has no check is left to the reader.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from scenarios.expectations import breaks, network, polling
from scenarios.expectations.point import Point
from scenarios.run_analysis import RunResult
from scenarios.scenario import Expected

MOST_SHOWN = 8

CHECKS: Mapping[str, Callable[[RunResult], Iterator[Point]]] = {
    "in-band slower": polling.in_band_slower,
    "gap closes": polling.gap_closes,
    "polls by skip": polling.polls_by_skip,
    "views equal": polling.views_equal,
    "losing path": breaks.losing_path,
    "cancel at once": breaks.cancel_at_once,
    "cancel by skip": breaks.cancel_by_skip,
    "cancel in waits": breaks.cancel_in_waits,
    "path delay": network.path_delay,
    "fewer trips": network.fewer_trips,
    "more data": network.more_data,
}


@dataclass(frozen=True, slots=True)
class Finding:
    """`held` None: not checked, or not to be told by this run; `words` are the evidence."""

    text: str
    held: bool | None
    words: str


def findings(result: RunResult) -> list[Finding]:
    return [_finding(each, result) for each in result.scenario.expected]


def _finding(expected: Expected, result: RunResult) -> Finding:
    check = CHECKS.get(expected.check)
    points = list(check(result)) if check else []
    held = None if not points else all(each.held for each in points)
    if held is False and not any(each.held is False for each in points):
        held = None
    shown = points if held else [each for each in points if each.held is not True]
    words = [each.words for each in shown]
    if held and len(points) > MOST_SHOWN:
        words = [f"all {len(points)}"]
    return Finding(expected.text, held, "; ".join(words))
