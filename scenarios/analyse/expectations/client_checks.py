# SPDX-License-Identifier: GPL-2.0-or-later
"""Checks of a server's timer-driven client checks: their number, and the time to find a loss."""

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
    for cell_result in result.cells:
        counted, interval_ms = cell_result.counted, cell_result.cell.check_interval
        if counted is None or counted.known_polls is None or interval_ms is None:
            continue
        checks = counted.known_polls
        if not interval_ms:
            yield Observation(checks == 0, f"{cell_result.label} {checks:,.0f} checks")
            continue
        interval_s = interval_ms / 1e3
        upper_bound = counted.elapsed_s / interval_s + counted.executions
        lower_bound = (counted.cpu_s or 0.0) / interval_s * (1 - _LATE) - counted.executions
        words = f"{cell_result.label} {checks / counted.elapsed_s:,.1f} a second"
        yield Observation(lower_bound <= checks <= upper_bound, words)


def found_by_interval(result: RunResult) -> Iterator[Observation]:
    """Servers with checks, unless the host vanished and TCP is silent: every client is found, half
    of them within an interval. TCP gives up at most one keepalive, of a second, early."""
    for cell_result in result.cells:
        interval_ms, median_ms = cell_result.cell.check_interval, cell_result.found_median_ms
        if not interval_ms or cell_result.cell.gone == VANISHED or not _lost(cell_result):
            continue
        tcp_ms = 1e3 * KEEPALIVE_S if cell_result.cell.gone == KEEPALIVES else 0.0
        fulfilled = (
            median_ms is not None
            and not cell_result.not_found
            and tcp_ms - 1e3 - AT_ONCE_MS <= min(cell_result.found_ms)
            and median_ms <= tcp_ms + interval_ms + AT_ONCE_MS
        )
        yield Observation(fulfilled, _words(cell_result))


def never_found(result: RunResult) -> Iterator[Observation]:
    """No client is found without checks, or where the host vanished and TCP is silent."""
    for cell_result in result.cells:
        if _lost(cell_result) and (
            not cell_result.cell.check_interval or cell_result.cell.gone == VANISHED
        ):
            yield Observation(not cell_result.found_ms, _words(cell_result))


def _lost(cell_result: CellResult) -> int:
    return len(cell_result.found_ms) + cell_result.not_found


def _words(cell_result: CellResult) -> str:
    median_ms = cell_result.found_median_ms
    if median_ms is None:
        return f"{cell_result.label} none of {_lost(cell_result)} found"
    missing = f", {cell_result.not_found} not found" if cell_result.not_found else ""
    longest_ms = max(cell_result.found_ms)
    return f"{cell_result.label} {median_ms:,.1f} ms, {longest_ms:,.1f} at most{missing}"
