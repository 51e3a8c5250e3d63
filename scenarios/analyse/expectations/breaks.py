# SPDX-License-Identifier: GPL-2.0-or-later
"""When a cancel is noticed, and where it is lost."""

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
    for each in result.cells:
        if result.scenario.paths[each.cell.path].urgent != "drop" or each.counted is None:
            continue
        polls, sent = each.counted.known_polls or 0, each.cancels_sent
        words = f"{each.label} {polls:,.0f} polls, {each.cancels_lost} of {sent} cancels lost"
        if each.cell.path_check and each.cell.client not in NEVER_CHECKS:
            yield Observation(polls > 0 and not each.cancels_lost, words)
        else:
            yield Observation(polls == 0 and each.cancels_lost == sent > 0, words)


def cancel_at_once(result: RunResult) -> Iterator[Observation]:
    for each in result.cells:
        between_calls = each.cell.busy == "sending" and each.cell.client in CANCELS_CALLS_ONLY
        if each.cell.break_mode != "in-band" and each.cancels_sent and not between_calls:
            yield Observation(_median(each) <= AT_ONCE_MS and not each.cancels_lost, _words(each))


def cancel_by_skip(result: RunResult) -> Iterator[Observation]:
    """In-band and executing, the highest skip against the lowest."""
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
    """In-band and waiting for a row lock: a check every 3 s, so some cancels take that long."""
    for each in result.cells:
        if each.cell.skip and each.cell.busy == "waiting" and each.cancels_ms:
            slices_ms = 1e3 * WAIT_SLICE_S * each.cell.skip
            held = AT_ONCE_MS < max(each.cancels_ms) <= 1.1 * slices_ms and not each.cancels_lost
            yield Observation(held, _words(each))


def _median(each: CellResult) -> float:
    return math.inf if each.cancel_median_ms is None else each.cancel_median_ms


def _words(each: CellResult) -> str:
    if not each.cancels_ms:
        return f"{each.label} all {each.cancels_lost} lost"
    lost = f", {each.cancels_lost} lost" if each.cancels_lost else ""
    return f"{each.label} {_median(each):.1f} ms, {max(each.cancels_ms):.1f} at most{lost}"
