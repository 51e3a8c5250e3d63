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
    """What the cells achieve and what the latch takes of it, the counts, and who wins; nothing
    where no cell watched a latch."""
    watched = [(each, found) for each in result.cells if (found := latch_figures(each))]
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
        yield from (_words(result, each) for each in groups)
    yield ""


def latch_cell_data(each: CellResult) -> dict[str, Any] | None:
    """JSON-ready."""
    found = latch_figures(each)
    return None if found is None else asdict(found)


def _figures(result: RunResult, watched: list[tuple[CellResult, LatchFigures]]) -> Table:
    fewest = min(each.cell.sessions for each, _ in watched)
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
    for each, found in watched:
        assert each.load is not None
        table.add_row(
            each.label,
            interval(each.load.queries_per_s),
            interval(times_of_fewest(each, result.cells)),
            interval(found.misses),
            interval(found.sleeps_per_s),
            interval(found.waited_pct),
            interval(found.spun_pct),
            interval(found.slept_pct),
        )
    return table


def _sums(watched: list[tuple[CellResult, LatchFigures]]) -> Table:
    table = _table("Result Cache: RC Latch")
    for name in ("gets", "finds", "misses", "spin gets", "slept", "sleeps", "wait ms"):
        table.add_column(name, justify="right", no_wrap=True)
    for each, _ in watched:
        assert each.load is not None
        latch = each.load.latch
        texts = [f"{latch[key]:,}" for key in _SUMS]
        table.add_row(each.label, *texts, f"{latch['wait_us'] / 1e3:,.1f}")
    return table


def _table(first: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="", padding=(0, 2, 0, 0))
    table.add_column(first, no_wrap=True)
    return table


def _words(result: RunResult, found: Winner) -> str:
    group = [name for name in result.varied if name != "result_cache"]
    names = [each.cell.label(["result_cache"]) for each in found.cells]
    ahead = ", ".join(
        f"{interval(by, sign=True)} % of {name}"
        for by, name in zip(found.ahead_pct, names[1:], strict=True)
    )
    where = found.cells[0].cell.label(group) or "all"
    if found.certain:
        return f"  {where}: {names[0]}, {ahead}"
    why = "too few blocks" if len(result.run.blocks) < FEWEST_VALUES else "within noise"
    return f"  {where}: no winner ({why}); first {names[0]}, {ahead}"
