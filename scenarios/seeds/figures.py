# SPDX-License-Identifier: GPL-2.0-or-later
"""Our figures for an author's, from the result of a run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from polltrace.intervals import Estimate
from polltrace.scenarios.analyse.counted import CountedTotals
from polltrace.scenarios.analyse.result import CellResult, RunResult
from polltrace.scenarios.seeds.documents import AuthorFigure

UNKNOWN = "cannot tell"
NOT_RUN = "not run (--quick runs fewer cells)"


@dataclass(frozen=True, slots=True)
class FigureRow:
    """A line of the table: the author's figure, ours, and the reason for the difference."""

    quantity: str
    author: str
    here: str
    reason: str


def rows_of(figures: Sequence[AuthorFigure], result: RunResult) -> list[FigureRow]:
    """The author's figures next to ours."""
    rows = []
    for figure in figures:
        name, *arguments = figure.figure
        cell_result = _cell(result, figure.cell)
        if cell_result is None:
            ours = NOT_RUN
        else:
            ours = FIGURES[name](result, cell_result, *arguments) or UNKNOWN
        rows.append(FigureRow(figure.quantity, figure.author, ours, figure.reason))
    return rows


def _cell(result: RunResult, keys: Mapping[str, Any]) -> CellResult | None:
    """The cell with these values; a zero in them stands for any value."""
    for cell_result in result.cells:
        cell = cell_result.cell
        if not cell.twin and all(not v or getattr(cell, k) == v for k, v in keys.items()):
            return cell_result
    return None


Figure = Callable[..., str | None]


def _counted(value: Callable[[CountedTotals], float | None], digits: int = 2) -> Figure:
    def figure(_result: RunResult, cell_result: CellResult) -> str | None:
        number = value(cell_result.counted) if cell_result.counted else None
        return None if number is None else f"{number:,.{digits}f}"

    return figure


def _waits(_result: RunResult, cell_result: CellResult, event: str) -> str | None:
    return None if cell_result.counted is None else f"{cell_result.counted.waits(event):,.0f}"


def _slower(_result: RunResult, cell_result: CellResult) -> str | None:
    over = cell_result.over_base_pct
    return None if over is None else f"{over.value:+.1f} {_interval(over)}"


def _trips_per_row(_result: RunResult, cell_result: CellResult, rows: str) -> str | None:
    counted = cell_result.counted
    return None if counted is None else f"{counted.trips_per_execution / int(rows):.2f}"


def _trip_s(cell_result: CellResult | None) -> float | None:
    return cell_result.counted.round_trip_s if cell_result and cell_result.counted else None


def _trip_ms(_result: RunResult, cell_result: CellResult) -> str | None:
    seconds = _trip_s(cell_result)
    return None if seconds is None else f"{1e3 * seconds:.3f}"


def _excess_ms(result: RunResult, cell_result: CellResult, delay_ms: str) -> str | None:
    near = _cell(result, {"path": "direct", "client": cell_result.cell.client})
    slow_s, fast_s = _trip_s(cell_result), _trip_s(near)
    if slow_s is None or fast_s is None:
        return None
    return f"{1e3 * (slow_s - fast_s) - float(delay_ms):.3f}"


def _times(result: RunResult, cell_result: CellResult) -> str | None:
    base = result.scenario.base_of(cell_result.cell, result.run.cells)
    if base is None or cell_result.load is None:
        return None
    base_load = result.cells[result.run.cells.index(base)].load
    times = cell_result.load.times(base_load) if base_load else None
    return None if times is None else f"{times.value:.1f} {_interval(times)}"


def _interval(estimate: Estimate) -> str:
    if estimate.low == estimate.high:
        return "(one block: no interval)"
    return f"[{estimate.low:.1f}, {estimate.high:.1f}]"


def _latch(per: float, counter: str, of: str, digits: int) -> Figure:
    def figure(_result: RunResult, cell_result: CellResult) -> str | None:
        latch = cell_result.load.latch if cell_result.load else {}
        if not latch.get(of):
            return None
        return f"{per * latch[counter] / latch[of]:,.{digits}f}"

    return figure


FIGURES: Mapping[str, Figure] = {
    "polls": _counted(lambda counted: counted.polls_per_execution, 0),
    "gets per poll": _counted(lambda counted: counted.gets_per_poll),
    "round trips": _counted(lambda counted: counted.trips_per_execution, 0),
    "trips per row": _trips_per_row,
    "trip ms": _trip_ms,
    "excess ms": _excess_ms,
    "waits": _waits,
    "slower": _slower,
    "times": _times,
    "gets per find": _latch(1, "gets", "finds", 2),
    "misses": _latch(1e4, "misses", "gets", 1),
    "sleeps": _latch(1e3, "sleeps", "misses", 1),
}
