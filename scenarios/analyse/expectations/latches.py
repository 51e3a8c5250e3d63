# SPDX-License-Identifier: GPL-2.0-or-later
"""Exact checks of the counts of the server result cache's latch."""

from __future__ import annotations

from collections.abc import Iterator

from polltrace.scenarios.analyse.expectations.observation import Observation
from polltrace.scenarios.analyse.result import RunResult

GETS_OF_A_FIND = 2
GETS_OF_A_RESULT = 3
"""Beyond one for each of its blocks."""


def gets_of_finds(result: RunResult) -> Iterator[Observation]:
    """Each execution finds its result by two gets, once all results are in the cache."""
    for label, latch in _latches(result):
        fulfilled = latch["gets"] == GETS_OF_A_FIND * latch["finds"]
        yield Observation(fulfilled, f"{label}: {latch['gets']:,} gets of {latch['finds']:,} finds")


def gets_of_results(result: RunResult) -> Iterator[Observation]:
    """A result that is kept takes a get for each of its blocks and three more, and the first one
    of a table another."""
    for label, latch in _latches(result):
        if latch["results"]:
            expected = latch["blocks"] + GETS_OF_A_RESULT * latch["results"] + latch["tables"]
            yield Observation(
                latch["fill_gets"] == expected,
                f"{label}: {latch['fill_gets']:,} gets for {latch['results']:,} results of "
                f"{latch['blocks']:,} blocks and {latch['tables']:,} new tables",
            )


def misses_add_up(result: RunResult) -> Iterator[Observation]:
    """A get whose first attempt fails has the latch after spinning, or after having slept."""
    for label, latch in _latches(result):
        fulfilled = latch["misses"] == latch["spin_gets"] + latch["slept"]
        words = f"{latch['spin_gets']:,} spin gets and {latch['slept']:,} that slept"
        yield Observation(fulfilled, f"{label}: {latch['misses']:,} misses, {words}")


def _latches(result: RunResult) -> Iterator[tuple[str, dict[str, int]]]:
    for cell_result in result.cells:
        if cell_result.load and cell_result.load.latch:
            yield cell_result.label, dict(cell_result.load.latch)
