# SPDX-License-Identifier: GPL-2.0-or-later
"""The figures of a run's page, each an SVG; empty where the run has nothing to draw."""

from __future__ import annotations

from polltrace.engines.catalogue import packaged
from polltrace.engines.drawing import layers_of
from polltrace.scenarios.analyse.result import CellResult, RunResult
from polltrace.scenarios.analyse.run import by_cell, of_blocks
from polltrace.scenarios.report.plots import Marker, Strip, scatter, spread_wide, strips, with_key
from polltrace.stacks import parse_folded
from polltrace.stacks.flamesvg import flame_svg
from polltrace.stacks.picture import Picture, Side


def elapsed(result: RunResult) -> str:
    values = by_cell(result.run, "elapsed_s")
    rows = [
        Strip(
            cell_result.label,
            1e3 * cell_result.elapsed_s.value,
            (1e3 * cell_result.elapsed_s.low, 1e3 * cell_result.elapsed_s.high),
            [1e3 * value for value in of_blocks(values[number])],
            _series(result, cell_result),
        )
        for number, cell_result in enumerate(result.cells)
        if cell_result.elapsed_s
    ]
    title = "An execution: median of the blocks, 95 % interval, every block"
    return strips(title, "ms", rows, log=spread_wide(row.value or 0 for row in rows))


def loads(result: RunResult) -> str:
    rows = [
        Strip(
            cell_result.label,
            cell_result.load.per_s.value,
            (cell_result.load.per_s.low, cell_result.load.per_s.high),
            cell_result.load.later_per_s,
            _series(result, cell_result),
        )
        for cell_result in result.cells
        if cell_result.load and min(cell_result.load.later_per_s) > 0
    ]
    title = "Transactions a second, later half of each load: median of the blocks, every block"
    return strips(title, "a second", rows, log=spread_wide(row.value or 0 for row in rows))


def over_base(result: RunResult) -> str:
    compared = [
        (cell_result, cell_result.over_base_pct)
        for cell_result in result.cells
        if cell_result.over_base_pct
    ]
    # Ratios over a wide range are shown as factors instead of per cent.
    times = spread_wide(1 + over.value / 100 for _, over in compared)

    def shown(pct: float) -> float:
        return 1 + pct / 100 if times else pct

    rows = [
        Strip(
            cell_result.label,
            shown(over.value),
            (shown(over.low), shown(over.high)),
            (),
            _series(result, cell_result),
        )
        for cell_result, over in compared
    ]
    title = "Elapsed over the base, paired in time; (A/A) is the noise floor"
    return strips(title, "times the base's" if times else "% of the base's", rows, log=times)


def polls(result: RunResult) -> str:
    points = [
        Marker(
            cell_result.cell.skip,
            cell_result.counted.polls_per_execution,
            cell_result.label,
            _series(result, cell_result),
        )
        for cell_result in result.cells
        if cell_result.cell.skip and cell_result.counted and cell_result.counted.polls_per_execution
    ]
    drawing = scatter(
        "Break polls of an execution, by skip",
        "BREAK_POLL_SKIP",
        "polls",
        points,
        log_x=True,
        log_y=True,
    )
    return with_key(drawing, result.clients) if drawing else ""


def cancels(result: RunResult) -> str:
    rows = [
        Strip(
            cell_result.label
            + (f" ({cell_result.cancels_lost} lost)" if cell_result.cancels_lost else ""),
            cell_result.cancel_median_ms,
            None,
            cell_result.cancels_ms,
            _series(result, cell_result),
        )
        for cell_result in result.cells
        if cell_result.cancels_ms or cell_result.cancels_lost
    ]
    title = "From sending a break until the call returned: every one, and the median"
    return strips(title, "ms", rows, log=True)


def losses(result: RunResult) -> str:
    rows = [
        Strip(
            cell_result.label
            + (f" ({cell_result.not_found} not found)" if cell_result.not_found else ""),
            cell_result.found_median_ms,
            None,
            cell_result.found_ms,
            _series(result, cell_result),
        )
        for cell_result in result.cells
        if cell_result.found_ms or cell_result.not_found
    ]
    title = "From the loss of a client until its server ended: every one, and the median"
    return strips(title, "ms", rows, log=True)


def front(result: RunResult) -> str:
    points = [
        Marker(
            cell_result.cancel_median_ms,
            cell_result.over_base_pct.value,
            cell_result.label,
            _series(result, cell_result),
        )
        for cell_result in result.cells
        if cell_result.cell.skip and cell_result.cancel_median_ms and cell_result.over_base_pct
    ]
    drawing = scatter(
        "Cost against latency: one point a skip",
        "median cancel, ms",
        "% over the base",
        points,
        log_x=True,
    )
    return with_key(drawing, result.clients) if drawing else ""


def round_trips(result: RunResult) -> str:
    if "polls" in result.scenario.record:
        return ""
    rows = [
        Strip(
            cell_result.label,
            1e6 * cell_result.counted.round_trip_s,
            None,
            (),
            _series(result, cell_result),
        )
        for cell_result in result.cells
        if cell_result.counted
        and cell_result.counted.round_trip_s
        and cell_result.counted.round_trip_s > 0
    ]
    title = "(elapsed - time in the server) / round trips"
    return strips(title, "us", rows, log=True)


def flames(result: RunResult) -> str:
    """A flame graph for each client: the cell that polls most, compared with its base."""
    sampled = {e.label: e for e in result.cells if e.stacks and not e.cell.twin}
    polling = sorted((e for e in sampled.values() if e.cell.checks), key=lambda e: e.cell.checks)
    drawn: dict[str, str] = {}
    for cell_result in polling:
        base = sampled.get(cell_result.base or "")
        if base is not None and cell_result.cell.client not in drawn:
            picture = Picture(
                title=f"On CPU: {cell_result.label}, against {base.label}",
                side=Side(cell_result.label, parse_folded(cell_result.stacks["folded"])),
                before=Side(base.label, parse_folded(base.stacks["folded"])),
                layers=layers_of([packaged(result.run.header["server"])]),
            )
            drawn[cell_result.cell.client] = flame_svg(picture)
    return "\n".join(drawn.values())


def _series(result: RunResult, cell_result: CellResult) -> int:
    return result.clients.index(cell_result.cell.client)
