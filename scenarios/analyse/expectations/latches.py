# SPDX-License-Identifier: GPL-2.0-or-later
"""What the latch of the server's result cache counts, exactly."""

from __future__ import annotations

from collections.abc import Iterator

from polltrace.scenarios.analyse.expectations.observation import Observation
from polltrace.scenarios.analyse.result import RunResult

GETS_OF_A_FIND = 2
GETS_OF_A_RESULT = 3
"""Beyond one for each of its blocks."""


def gets_of_finds(result: RunResult) -> Iterator[Observation]:
    """With all results in the cache each execution finds one, by two gets."""
    for label, latch in _latches(result):
        held = latch["gets"] == GETS_OF_A_FIND * latch["finds"]
        yield Observation(held, f"{label}: {latch['gets']:,} gets of {latch['finds']:,} finds")


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
        held = latch["misses"] == latch["spin_gets"] + latch["slept"]
        words = f"{latch['spin_gets']:,} spin gets and {latch['slept']:,} that slept"
        yield Observation(held, f"{label}: {latch['misses']:,} misses, {words}")


def _latches(result: RunResult) -> Iterator[tuple[str, dict[str, int]]]:
    for each in result.cells:
        if each.load and each.load.latch:
            yield each.label, dict(each.load.latch)
