# SPDX-License-Identifier: GPL-2.0-or-later
"""The loads of a run's cells."""

from __future__ import annotations

from collections.abc import Iterator

from rich.table import Table

from polltrace.scenarios.analyse.result import CellResult, RunResult
from polltrace.scenarios.report.run.latches import latch_tables
from polltrace.scenarios.report.run.table import interval


def load_table(result: RunResult) -> Iterator[object]:
    """The table, and the warnings of each load."""
    table = Table(box=None, pad_edge=False, header_style="", padding=(0, 2, 0, 0))
    table.add_column("cell", no_wrap=True)
    columns = ["transactions", "per s, later half [95 %]", "times the base [95 %]", "p50 ms"]
    columns += ["p99 ms", "server us", "client CPU", "from cache"]
    for name in columns:
        table.add_column(name, justify="right", no_wrap=True)
    by_label = {cell_result.label: cell_result for cell_result in result.cells}
    for cell_result in result.cells:
        if cell_result.load:
            table.add_row(
                cell_result.label, *_row(cell_result, by_label.get(cell_result.base or ""))
            )
    yield table
    yield "A load's own figures, all blocks together; server us: CPU time for a transaction."
    yield from latch_tables(result)
    for cell_result in result.cells:
        for words in cell_result.load.warnings if cell_result.load else ():
            yield f"Caution: {cell_result.label}: {words}."


def _row(cell_result: CellResult, base: CellResult | None) -> Iterator[str]:
    load = cell_result.load
    assert load is not None
    yield f"{sum(load.transactions):,}"
    yield interval(load.per_s)
    yield interval(load.times(base.load)) if base and base.load else "-"
    for value in (load.p50_ms, load.p99_ms):
        yield "-" if value is None else f"{value:,.3f}"
    yield "-" if load.server_us is None else f"{load.server_us:,.1f}"
    yield f"{100 * load.client_cpu:.0f} %"
    yield "-" if load.found is None else f"{100 * load.found:.1f} %"
