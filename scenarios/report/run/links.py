# SPDX-License-Identifier: GPL-2.0-or-later
"""The traffic over the database links of a run, and the work of the remote servers."""

from __future__ import annotations

from collections.abc import Iterator

from rich.table import Table

from polltrace.scenarios.analyse.counted import CountedTotals
from polltrace.scenarios.analyse.expectations.links import (
    BYTES_FROM_DBLINK,
    FROM_DBLINK,
    MORE_FROM_DBLINK,
    TO_CLIENT,
    link_forecasts,
)
from polltrace.scenarios.analyse.result import CellResult, RunResult
from polltrace.scenarios.report.run.table import interval

_LINK = ("messages", "more data", "bytes")
_CLIENT = ("messages to client", "more data")
_REMOTE = ("gets", "polls", "gets/poll", "CPU ms [95 %]", "over base, % [95 %]")
_DELAY = ("ms over base [95 %]", "forecast")


def link_table(result: RunResult) -> Table:
    """A table of an execution of each cell, with a forecast where the link's path delays."""
    forecasts = {cell_result.label: forecast for cell_result, forecast in link_forecasts(result)}
    table = Table(box=None, pad_edge=False, header_style="", padding=(0, 2, 0, 0))
    table.add_column("link: an execution", no_wrap=True)
    for name in (*_LINK, *_CLIENT, *(f"remote {name}" for name in _REMOTE)):
        table.add_column(name, justify="right")
    for name in _DELAY if forecasts else ():
        table.add_column(name, justify="right", no_wrap=name == _DELAY[1])
    for cell_result in result.cells:
        if cell_result.counted and cell_result.counted.remote:
            row = [*_counts(cell_result.counted), *_remote(cell_result, cell_result.counted.remote)]
            if forecasts:
                row += _delay(cell_result, forecasts.get(cell_result.label))
            table.add_row(cell_result.label, *row)
    return table


def _counts(counted: CountedTotals) -> Iterator[str]:
    yield f"{counted.waits(FROM_DBLINK):,.0f}"
    yield f"{counted.waits(MORE_FROM_DBLINK):,.0f}"
    yield f"{counted.statistics.get(BYTES_FROM_DBLINK, 0):,.0f}"
    yield f"{counted.waits(TO_CLIENT):,.0f}"
    yield f"{counted.more_packets:,.0f}"


def _remote(cell_result: CellResult, remote: CountedTotals) -> Iterator[str]:
    polls = remote.polls_per_execution
    yield f"{remote.gets / remote.executions:,.0f}"
    yield "-" if polls is None else f"{polls:,.0f}"
    yield f"{remote.gets_per_poll:,.2f}" if remote.gets_per_poll else "-"
    yield interval(cell_result.remote_cpu_s, 1e3)
    yield interval(cell_result.remote_cpu_over_base_pct, sign=True)


def _delay(cell_result: CellResult, forecast: tuple[float, float] | None) -> Iterator[str]:
    if forecast is None:
        yield from ("", "")
        return
    yield interval(cell_result.over_base_s, 1e3, sign=True)
    low, high = (f"{1e3 * seconds:+,.0f}" for seconds in forecast)
    yield low if low == high else f"{low} to {high}"
