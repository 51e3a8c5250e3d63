# SPDX-License-Identifier: GPL-2.0-or-later
"""Checks of cancel latency and of lost cancels."""

from __future__ import annotations

import math
from collections.abc import Iterator

from polltrace.scenarios.analyse.expectations.observation import Observation
from polltrace.scenarios.analyse.result import CellResult, RunResult
from polltrace.scenarios.plan.cell import CANCELS_CALLS_ONLY, NEVER_CHECKS, WAIT_SLICE_S

AT_ONCE_MS = 100.0
"""Driver and server end a call within this time in half of all cases, on a busy host too."""


def losing_path(result: RunResult) -> Iterator[Observation]:
    """On paths that lose urgent data.

    Checked at connect: polls, and no cancel is lost. Unchecked: no polls, and all are lost.
    """
    for cell_result in result.cells:
        if (
            result.scenario.paths[cell_result.cell.path].urgent != "drop"
            or cell_result.counted is None
        ):
            continue
        polls, sent = cell_result.counted.known_polls or 0, cell_result.cancels_sent
        lost = f"{cell_result.cancels_lost} of {sent} cancels lost"
        words = f"{cell_result.label} {polls:,.0f} polls, {lost}"
        if cell_result.cell.path_check and cell_result.cell.client not in NEVER_CHECKS:
            yield Observation(polls > 0 and not cell_result.cancels_lost, words)
        else:
            yield Observation(polls == 0 and cell_result.cancels_lost == sent > 0, words)


def cancel_at_once(result: RunResult) -> Iterator[Observation]:
    for cell_result in result.cells:
        between_calls = (
            cell_result.cell.busy == "sending" and cell_result.cell.client in CANCELS_CALLS_ONLY
        )
        if (
            cell_result.cell.break_mode != "in-band"
            and cell_result.cancels_sent
            and not between_calls
        ):
            yield Observation(
                _median(cell_result) <= AT_ONCE_MS and not cell_result.cancels_lost,
                _words(cell_result),
            )


def cancel_by_skip(result: RunResult) -> Iterator[Observation]:
    """Compare the highest skip with the lowest, in-band and executing."""
    for client in result.clients:
        medians = {
            e.cell.skip: _median(e)
            for e in result.cells
            if e.cell.client == client and e.cell.skip and e.cell.busy == "executing"
            if e.cancels_ms
        }
        if len(medians) > 1:
            low, high = min(medians), max(medians)
            words = f"{client} {medians[low]:.1f} ms at {low}, {medians[high]:.1f} ms at {high}"
            yield Observation(medians[high] > medians[low], words)


def cancel_in_waits(result: RunResult) -> Iterator[Observation]:
    """An in-band session that waits for a row lock polls every 3 s times the skip."""
    for cell_result in result.cells:
        if cell_result.cell.skip and cell_result.cell.busy == "waiting" and cell_result.cancels_ms:
            slices_ms = 1e3 * WAIT_SLICE_S * cell_result.cell.skip
            fulfilled = (
                AT_ONCE_MS < max(cell_result.cancels_ms) <= 1.1 * slices_ms
                and not cell_result.cancels_lost
            )
            yield Observation(fulfilled, _words(cell_result))


def _median(cell_result: CellResult) -> float:
    return math.inf if cell_result.cancel_median_ms is None else cell_result.cancel_median_ms


def _words(cell_result: CellResult) -> str:
    if not cell_result.cancels_ms:
        return f"{cell_result.label} all {cell_result.cancels_lost} lost"
    lost = f", {cell_result.cancels_lost} lost" if cell_result.cancels_lost else ""
    longest_ms = max(cell_result.cancels_ms)
    return f"{cell_result.label} {_median(cell_result):.1f} ms, {longest_ms:.1f} at most{lost}"
