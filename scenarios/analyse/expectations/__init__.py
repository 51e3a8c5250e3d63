# SPDX-License-Identifier: GPL-2.0-or-later
"""Checks of a scenario's expectations against a run: pure functions of the result.

A scenario file names a check for each sentence; a sentence without one is left to the reader.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from polltrace.scenarios.analyse.expectations import (
    breaks,
    client_checks,
    latches,
    latency,
    links,
    loads,
    network,
    polling,
)
from polltrace.scenarios.analyse.expectations.observation import Observation
from polltrace.scenarios.analyse.result import RunResult
from polltrace.scenarios.plan.scenario import Expected

MOST_SHOWN = 8

CHECKS: Mapping[str, Callable[[RunResult], Iterator[Observation]]] = {
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
    "same plan": polling.same_plan,
    "layers agree": latency.layers_agree,
    "added delay": latency.added_delay,
    "checks by interval": client_checks.checks_by_interval,
    "found by interval": client_checks.found_by_interval,
    "never found": client_checks.never_found,
    "cache pays": loads.cache_pays,
    "cache hides path": loads.cache_hides_path,
    "gets of finds": latches.gets_of_finds,
    "gets of results": latches.gets_of_results,
    "misses add up": latches.misses_add_up,
    "link messages": links.link_messages,
    "link packets": links.link_packets,
    "link published": links.link_published,
    "link delay": links.link_delay,
    "remote polls": links.remote_polls,
}


@dataclass(frozen=True, slots=True)
class ExpectationResult:
    """An expectation, checked.

    - `text`: the sentence of the scenario file
    - `held`: whether it holds; None where it has no check or this run cannot tell
    - `words`: the evidence
    - `required`: whether a run in which it does not hold has failed
    """

    text: str
    held: bool | None
    words: str
    required: bool = False


def checked_expectations(result: RunResult) -> list[ExpectationResult]:
    return [_checked(expected, result) for expected in result.scenario.expected]


def _checked(expected: Expected, result: RunResult) -> ExpectationResult:
    check = CHECKS.get(expected.check)
    points = list(check(result)) if check else []
    verdict = None if not points else all(point.confirmed for point in points)
    if verdict is False and not any(point.confirmed is False for point in points):
        verdict = None
    shown_points = points if verdict else [point for point in points if point.confirmed is not True]
    words = [point.words for point in shown_points]
    if verdict and len(points) > MOST_SHOWN:
        words = [f"all {len(points)}"]
    return ExpectationResult(expected.text, verdict, "; ".join(words), expected.required)
