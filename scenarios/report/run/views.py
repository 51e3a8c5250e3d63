# SPDX-License-Identifier: GPL-2.0-or-later
"""The changes that an execution makes to the V$ views, a few cells side by side, and the break
polls that no view shows: the first two steps of the article, in the form of Snapper's output."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.table import Table

from polltrace.scenarios.analyse.result import CellResult, RunResult
from polltrace.scenarios.plan.cell import DEFAULT_SKIP

IDLE = "SQL*Net message from client"


def side_by_side(result: RunResult) -> Iterator[object]:
    """Renderables for a console: a heading, the table, a sentence."""
    compared = _compared(result)
    yield "An execution by V$SESSTAT, V$SESSION_EVENT and V$SESS_TIME_MODEL, side by side:"
    table = Table(box=None, pad_edge=False, header_style="", padding=(0, 2, 0, 0))
    table.add_column("TYP", no_wrap=True)
    table.add_column("NAME", no_wrap=True)
    for cell_result in compared:
        table.add_column(cell_result.label, justify="right", overflow="fold", max_width=24)
    # No Oracle has the lab's own statistics, and the idle wait is the run's doing.
    names = sorted(
        {n for e in compared if e.counted for n in e.counted.statistics if not n.startswith("lab ")}
    )
    for name in names:
        values = [e.counted.statistics.get(name, 0.0) if e.counted else 0.0 for e in compared]
        table.add_row("STAT", name, *(f"{value:z,.1f}" for value in values))
    for kind, unit in (("events", "WAIT"), ("time_model", "TIME")):
        names = sorted(
            {n for e in compared if e.counted for n in getattr(e.counted, kind)} - {IDLE}
        )
        for name in names:
            row = []
            for e in compared:
                value = getattr(e.counted, kind).get(name) if e.counted else None
                us = value[1] if isinstance(value, tuple) else value
                row.append("-" if us is None else f"{us / 1e3:,.2f} ms")
            table.add_row(unit, name, *row)
    yield table
    polls = [e.counted.polls_per_execution if e.counted else None for e in compared]
    if any(polls):
        words = ", ".join(
            f"{e.label} {p:,.0f}" for e, p in zip(compared, polls, strict=True) if p is not None
        )
        yield f"Break polls of an execution, which no view shows: {words}."


def _compared(result: RunResult) -> Sequence[CellResult]:
    """Cells of the first client: the first that does not poll, the first at the default skip (or
    else the first that polls), and the last."""
    ours = [
        e for e in result.cells if e.cell.client == result.cells[0].cell.client and not e.cell.twin
    ]
    quiet = [e for e in ours if e.cell.skip is None]
    polling = [e for e in ours if e.cell.skip == DEFAULT_SKIP] or [
        e for e in ours if e.counted and e.counted.known_polls
    ]
    return list({e.label: e for e in (*quiet[:1], *polling[:1], ours[-1])}.values())
