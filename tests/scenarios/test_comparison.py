# SPDX-License-Identifier: GPL-2.0-or-later
"""Which differences are called a regression, and which are not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from polltrace.intervals import Estimate
from polltrace.scenarios.analyse.comparison import Comparison, ComparisonOutcome, compare
from polltrace.scenarios.analyse.run_file import RunData
from polltrace.scenarios.plan.cell import Cell

from .made_runs import made_run

CELL = Cell(break_mode="in-band", skip=3)
BASE = {"cpu_ms": 30.0, "gets": 9000.0, "polls": 3000.0}


def outcomes(new: dict[str, float], margin: float = 0.05) -> dict[str, ComparisonOutcome]:
    base, other = made_run({CELL: BASE}), made_run({CELL: {**BASE, **new}}, seed=2)
    return {row.figure: row.outcome for row in compare(base, other, margin).rows}


def test_the_same_again_is_no_regression() -> None:
    assert set(outcomes({}).values()) == {ComparisonOutcome.SAME}


@pytest.mark.parametrize(
    ("cpu_ms", "outcome"),
    [
        (33.0, ComparisonOutcome.REGRESSION),
        (27.0, ComparisonOutcome.IMPROVEMENT),
        (31.5, ComparisonOutcome.UNSURE),
    ],
)
def test_slower_beyond_the_margin(cpu_ms: float, outcome: ComparisonOutcome) -> None:
    found = outcomes({"cpu_ms": cpu_ms})
    assert found["elapsed"] == found["server CPU"] == outcome
    assert found["polls per get"] == found["consistent gets"] == ComparisonOutcome.SAME


def test_a_slower_host_is_no_slower_server() -> None:
    """In the second run everything takes a third longer, the yardstick as well."""
    found = outcomes({"cpu_ms": 40.0, "yardstick_ms": 20 / 3})
    assert found["elapsed"] == found["server CPU"] == ComparisonOutcome.SAME
    # Nor does a faster host hide a slower server.
    found = outcomes({"cpu_ms": 30.0, "yardstick_ms": 4.0})
    assert found["elapsed"] == found["server CPU"] == ComparisonOutcome.REGRESSION


def test_of_two_hosts_only_counts_are_compared() -> None:
    base, other = made_run({CELL: BASE}), made_run({CELL: {**BASE, "cpu_ms": 60.0}})
    elsewhere = {**other.header, "host": {**other.header["host"], "name": "elsewhere"}}
    comparison = compare(base, replace(other, header=elsewhere), 0.05)
    assert {row.figure for row in comparison.rows} == {
        "consistent gets",
        "polls per get",
        "round trips",
    }
    assert not comparison.regressed
    assert any("different hosts" in each for each in comparison.cautions)


def test_the_intervals_of_all_cells_hold_at_once() -> None:
    """The same figures have wider intervals where they are compared among those of more cells."""
    cells = {Cell(break_mode="in-band", skip=skip): BASE for skip in range(1, 21)}
    runs = made_run(cells), made_run(cells, seed=2)
    among_all = timed(compare(*runs, 0.05), "skip 1")
    alone = timed(compare(first_cell(runs[0]), first_cell(runs[1]), 0.05))
    for figure in ("elapsed", "server CPU"):
        wide, narrow = among_all[figure], alone[figure]
        assert wide.value == narrow.value
        assert wide.low < narrow.low < narrow.high < wide.high


def first_cell(run: RunData) -> RunData:
    lines = [line for line in run.lines if line.get("cell", 0) == 0]
    return replace(run, cells=run.cells[:1], lines=lines)


def timed(comparison: Comparison, cell: str | None = None) -> dict[str, Estimate]:
    """The ratios of the times of a cell, by figure."""
    return {
        row.figure: row.ratio
        for row in comparison.rows
        if row.ratio and not row.exact and cell in (None, row.cell)
    }


def test_polls_are_exact() -> None:
    found = outcomes({"polls": 9000.0})
    assert found["polls per get"] == ComparisonOutcome.REGRESSION
    assert found["elapsed"] == ComparisonOutcome.SAME


def test_a_busy_host_is_no_slower_server() -> None:
    """The second run took three times as long, because others had the processor."""
    found = outcomes({"waited_ms": 60.0})
    assert found["elapsed"] == ComparisonOutcome.UNSURE
    assert found["server CPU"] == ComparisonOutcome.SAME
    # A server that is slower indeed is found by what no other process can take from it.
    found = outcomes({"waited_ms": 60.0, "cpu_ms": 36.0})
    assert found["server CPU"] == ComparisonOutcome.REGRESSION


@pytest.mark.parametrize(("blocks", "verdict"), [(1, False), (5, False), (6, True)])
def test_times_of_few_blocks_have_no_verdict(blocks: int, verdict: bool) -> None:
    """The interval of one block is a point, which lies beyond any margin."""
    base, new = made_run({CELL: BASE}), made_run({CELL: {**BASE, "cpu_ms": 20.0, "polls": 9000.0}})
    short = replace(base, blocks=frozenset(range(blocks)))
    rows = {row.figure: row.outcome for row in compare(short, new, 0.05).rows}
    expected = ComparisonOutcome.IMPROVEMENT if verdict else ComparisonOutcome.TOO_FEW
    assert rows["elapsed"] == rows["server CPU"] == expected
    # Counts are exact, however few.
    assert rows["polls per get"] == ComparisonOutcome.REGRESSION
