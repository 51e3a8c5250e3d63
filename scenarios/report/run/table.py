# SPDX-License-Identifier: GPL-2.0-or-later
"""The table of a run's cells."""

from __future__ import annotations

from collections.abc import Iterator

from rich.table import Table
from rich.text import Text

from polltrace.intervals import Estimate
from polltrace.scenarios.analyse.result import CellResult, RunResult

COARSE = 100
"""From this half width on, an interval is printed without decimals."""


def cell_table(result: RunResult) -> Table:
    table = Table(box=None, pad_edge=False, header_style="", padding=(0, 2, 0, 0))
    columns = [("cell", "left")]
    shown_cells = result.cells
    has = {
        "elapsed": any(c.elapsed_s for c in shown_cells),
        "polls": "polls" in result.scenario.record and any(c.counted for c in shown_cells),
        "stacks": any(c.check_pct for c in shown_cells),
        "cancel": any(c.cancels_ms or c.cancels_lost for c in shown_cells),
        "lost client": any(c.found_ms or c.not_found for c in shown_cells),
        "trips": "elapsed" in result.scenario.record and "polls" not in result.scenario.record,
    }
    if has["elapsed"]:
        columns += [("elapsed ms [95 %]", "right"), ("over base, % [95 %]", "right")]
        columns += [("CPU ms", "right"), ("over base, % [95 %]", "right")]
    if has["polls"]:
        columns += [("gets", "right"), ("polls", "right"), ("gets/poll", "right")]
    if has["stacks"]:
        columns += [("in check, % of samples [95 %]", "right")]
    if has["trips"]:
        columns += [
            ("round trips", "right"),
            ("more data", "right"),
            ("us/trip outside server", "right"),
        ]
    if has["cancel"]:
        columns += [("cancel ms (max)", "right"), ("lost", "right")]
    if has["lost client"]:
        columns += [("client found after ms (max)", "right"), ("not found", "right")]
    for name, side in columns:
        table.add_column(name, justify="right" if side == "right" else "left", no_wrap=True)
    for cell_result in shown_cells:
        table.add_row(*(Text(word) for word in _row(cell_result, has)))
    return table


def _row(cell_result: CellResult, has: dict[str, bool]) -> Iterator[str]:
    yield cell_result.label
    counted = cell_result.counted
    if has["elapsed"]:
        yield interval(cell_result.elapsed_s, 1e3)
        yield interval(cell_result.over_base_pct, sign=True)
        yield f"{1e3 * cell_result.cpu_s.value:,.1f}" if cell_result.cpu_s else "-"
        yield interval(cell_result.cpu_over_base_pct, sign=True)
    if has["polls"]:
        polls = counted.known_polls if counted else None
        yield f"{counted.gets:,.0f}" if counted else "-"
        yield "-" if polls is None else f"{polls:,.0f}"
        yield f"{counted.gets_per_poll:,.2f}" if counted and counted.gets_per_poll else "-"
    if has["stacks"]:
        yield interval(cell_result.check_pct)
    if has["trips"]:
        if counted:
            trip = counted.round_trip_s
            yield f"{counted.trips_per_execution:,.0f}"
            yield f"{counted.more_packets:,.0f}" if counted.events else "-"
            yield "-" if trip is None else f"{1e6 * trip:,.0f}"
        else:
            yield from ("-", "-", "-")
    if has["cancel"]:
        median = cell_result.cancel_median_ms
        yield "-" if median is None else f"{median:.1f} ({max(cell_result.cancels_ms):.1f})"
        yield str(cell_result.cancels_lost) if cell_result.cancels_lost else ""
    if has["lost client"]:
        median = cell_result.found_median_ms
        yield "-" if median is None else f"{median:.1f} ({max(cell_result.found_ms):.1f})"
        yield str(cell_result.not_found) if cell_result.not_found else ""


def interval(estimate: Estimate | None, factor: float = 1.0, *, sign: bool = False) -> str:
    """The value and its interval; without decimals where the interval is wide. An interval of no
    width is left out."""
    if estimate is None:
        return "-"
    digits = 0 if factor * estimate.half_width >= COARSE else 1
    value, low, high = (
        f"{factor * value:{'+' if sign else ''}z,.{digits}f}"
        for value in (estimate.value, estimate.low, estimate.high)
    )
    return value if estimate.low == estimate.high else f"{value} [{low}, {high}]"
