# SPDX-License-Identifier: GPL-2.0-or-later
"""How often a server that checks by a timer does so, and how soon it finds a lost client."""

from __future__ import annotations

from collections.abc import Iterator

from polltrace.scenarios.analyse.expectations.breaks import AT_ONCE_MS
from polltrace.scenarios.analyse.expectations.observation import Observation
from polltrace.scenarios.analyse.result import CellResult, RunResult
from polltrace.scenarios.plan.cell import KEEPALIVE_S, KEEPALIVES, VANISHED

_LATE = 0.5
"""The share of the checks that may be missing: a check waits for a place where interrupts are
looked for, and a session for a processor; the timer starts again only after the check."""


def checks_by_interval(result: RunResult) -> Iterator[Observation]:
    """At most one an interval of elapsed time and, but for late ones, one an interval of CPU
    time; one more or less an execution, which begins and ends between two."""
    for each in result.cells:
        counted, interval_ms = each.counted, each.cell.check_interval
        if counted is None or counted.known_polls is None or interval_ms is None:
            continue
        checks = counted.known_polls
        if not interval_ms:
            yield Observation(checks == 0, f"{each.label} {checks:,.0f} checks")
            continue
        interval_s = interval_ms / 1e3
        most = counted.elapsed_s / interval_s + counted.executions
        least = (counted.cpu_s or 0.0) / interval_s * (1 - _LATE) - counted.executions
        words = f"{each.label} {checks / counted.elapsed_s:,.1f} a second"
        yield Observation(least <= checks <= most, words)


def found_by_interval(result: RunResult) -> Iterator[Observation]:
    """With checks, unless the host vanished and TCP is silent: every client is found, half of them
    within an interval. TCP gives up at most one keepalive, of a second, early."""
    for each in result.cells:
        interval_ms, median_ms = each.cell.check_interval, each.found_median_ms
        if not interval_ms or each.cell.gone == VANISHED or not _lost(each):
            continue
        tcp_ms = 1e3 * KEEPALIVE_S if each.cell.gone == KEEPALIVES else 0.0
        held = (
            median_ms is not None
            and not each.not_found
            and tcp_ms - 1e3 - AT_ONCE_MS <= min(each.found_ms)
            and median_ms <= tcp_ms + interval_ms + AT_ONCE_MS
        )
        yield Observation(held, _words(each))


def never_found(result: RunResult) -> Iterator[Observation]:
    """Without checks, or where the host vanished and TCP is silent: no client is found."""
    for each in result.cells:
        if _lost(each) and (not each.cell.check_interval or each.cell.gone == VANISHED):
            yield Observation(not each.found_ms, _words(each))


def _lost(each: CellResult) -> int:
    return len(each.found_ms) + each.not_found


def _words(each: CellResult) -> str:
    median_ms = each.found_median_ms
    if median_ms is None:
        return f"{each.label} none of {_lost(each)} found"
    missing = f", {each.not_found} not found" if each.not_found else ""
    return f"{each.label} {median_ms:,.1f} ms, {max(each.found_ms):,.1f} at most{missing}"
