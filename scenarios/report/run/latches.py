# SPDX-License-Identifier: GPL-2.0-or-later
"""The latch of the server's result cache in the loads of a run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from rich.table import Table

from polltrace.intervals import FEWEST_VALUES
from polltrace.scenarios.analyse.latch_cells import (
    LatchFigures,
    Winner,
    latch_figures,
    times_of_fewest,
    winners,
)
from polltrace.scenarios.analyse.result import CellResult, RunResult
from polltrace.scenarios.report.run.table import interval

_SUMS = ("gets", "finds", "misses", "spin_gets", "slept", "sleeps")


def latch_tables(result: RunResult) -> Iterator[object]:
    """The rates of the cells, the time in the latch, the counts, and the fastest cell; nothing
    where no cell watched a latch."""
    watched = [
        (cell_result, figures)
        for cell_result in result.cells
        if (figures := latch_figures(cell_result))
    ]
    if not watched:
        return
    yield ""
    yield _figures(result, watched)
    yield (
        "spun: of the samples on CPU, in the function that spins. asleep: of the sessions' time, "
        "off CPU in the sleep for the latch. Both are of the loads' first part."
    )
    yield ""
    yield _sums(watched)
    yield "Of all blocks, once every result was in the cache. slept: gets that slept at least once."
    groups = list(winners(result.cells))
    if groups:
        yield ""
        yield "Who wins, in per cent of the other's rate:"
        yield from (_words(result, group) for group in groups)
    yield ""


def latch_cell_data(cell_result: CellResult) -> dict[str, Any] | None:
    """JSON-ready."""
    figures = latch_figures(cell_result)
    return None if figures is None else asdict(figures)


def _figures(result: RunResult, watched: list[tuple[CellResult, LatchFigures]]) -> Table:
    fewest = min(cell_result.cell.sessions for cell_result, _ in watched)
    table = _table("95 % intervals")
    for name in (
        "queries a second",
        f"times {fewest} session{'s' if fewest > 1 else ''}",
        "misses of 10,000 gets",
        "sleeps a second",
        "waited %",
        "spun %",
        "asleep %",
    ):
        table.add_column(name, justify="right", no_wrap=True)
    for cell_result, figures in watched:
        assert cell_result.load is not None
        table.add_row(
            cell_result.label,
            interval(cell_result.load.queries_per_s),
            interval(times_of_fewest(cell_result, result.cells)),
            interval(figures.misses),
            interval(figures.sleeps_per_s),
            interval(figures.waited_pct),
            interval(figures.spun_pct),
            interval(figures.slept_pct),
        )
    return table


def _sums(watched: list[tuple[CellResult, LatchFigures]]) -> Table:
    table = _table("Result Cache: RC Latch")
    for name in ("gets", "finds", "misses", "spin gets", "slept", "sleeps", "wait ms"):
        table.add_column(name, justify="right", no_wrap=True)
    for cell_result, _ in watched:
        assert cell_result.load is not None
        latch = cell_result.load.latch
        texts = [f"{latch[key]:,}" for key in _SUMS]
        table.add_row(cell_result.label, *texts, f"{latch['wait_us'] / 1e3:,.1f}")
    return table


def _table(first: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="", padding=(0, 2, 0, 0))
    table.add_column(first, no_wrap=True)
    return table


def _words(result: RunResult, winner: Winner) -> str:
    group = [name for name in result.varied if name != "result_cache"]
    names = [cell_result.cell.label(["result_cache"]) for cell_result in winner.cells]
    ahead = ", ".join(
        f"{interval(by, sign=True)} % of {name}"
        for by, name in zip(winner.ahead_pct, names[1:], strict=True)
    )
    where = winner.cells[0].cell.label(group) or "all"
    if winner.certain:
        return f"  {where}: {names[0]}, {ahead}"
    why = "too few blocks" if len(result.run.blocks) < FEWEST_VALUES else "within noise"
    return f"  {where}: no winner ({why}); first {names[0]}, {ahead}"
