# SPDX-License-Identifier: GPL-2.0-or-later
"""A run as text: the cells, what may be said of their differences, the V$ views side by side."""

from __future__ import annotations

import statistics
import textwrap
from collections.abc import Iterator
from dataclasses import replace

from rich.console import Console
from rich.table import Table
from rich.text import Text

from polltrace.intervals import FEWEST_VALUES, Estimate
from scenarios.expectations import findings
from scenarios.expectations.network import more_packets, path_delays
from scenarios.run_analysis import CellResult, RunResult
from scenarios.run_views import side_by_side

WIDTH = 200
COARSE = 100
NO_DIFFERENCE = "no difference that could be told from noise"


def run_text(result: RunResult) -> str:
    """The whole report, without the last newline."""
    console = Console(width=WIDTH, markup=False, highlight=False, no_color=True)
    with console.capture() as captured:
        for part in _parts(result):
            console.print(part)
    return "\n".join(line.rstrip() for line in captured.get().splitlines())


def _parts(result: RunResult) -> Iterator[object]:
    run, scenario = result.run, result.scenario
    host = run.header["host"]
    timed = f", {scenario.timed} timed executions each" if "elapsed" in scenario.record else ""
    yield f"{scenario.name}: {scenario.title}"
    yield (
        f"{len(run.blocks)} of {scenario.blocks} blocks{timed}, seed {run.header['seed']}; "
        f"server {run.header['server']}; "
        f"{', '.join(run.header['drivers'])}; {host['processors']} processors, {host['kernel']}"
    )
    if words := _in_all(result):
        yield f"all cells: {words}"
    yield from (f"WARNING: {each}" for each in result.warnings)
    yield ""
    yield cell_table(result)
    if said := list(conclusions(result)):
        yield ""
        yield from said
    if any(each.counted and each.counted.statistics for each in result.cells):
        yield ""
        yield from side_by_side(result)
    if scenario.expected:
        yield ""
        yield "Expected:"
        yield from expected_lines(result)


def _in_all(result: RunResult) -> str:
    """What of the matrix is the same in all cells of this run, which their labels leave out."""
    same = [name for name in result.scenario.matrix if name not in result.varied]
    return replace(result.cells[0].cell, twin=False).label(same)


def expected_lines(result: RunResult, width: int = WIDTH) -> Iterator[str]:
    """What the scenario expects, whether this run bears it out, and the evidence below it."""
    said = {True: "yes", False: "NO", None: "-"}
    for each in findings(result):
        yield from textwrap.wrap(
            each.text, width, initial_indent=f"  {said[each.held]:3}  ", subsequent_indent=7 * " "
        )
        if each.words:
            yield textwrap.indent(textwrap.fill(each.words, width - 9), 9 * " ")


def cell_table(result: RunResult) -> Table:
    table = Table(box=None, pad_edge=False, header_style="", padding=(0, 2, 0, 0))
    columns = [("cell", "left")]
    shown = result.cells
    has = {
        "elapsed": any(c.elapsed_s for c in shown),
        "polls": "polls" in result.scenario.record and any(c.counted for c in shown),
        "stacks": any(c.check_pct for c in shown),
        "cancel": any(c.cancels_ms or c.cancels_lost for c in shown),
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
    for name, side in columns:
        table.add_column(name, justify="right" if side == "right" else "left", no_wrap=True)
    for each in shown:
        table.add_row(*(Text(word) for word in _row(each, has)))
    return table


def _row(each: CellResult, has: dict[str, bool]) -> Iterator[str]:
    yield each.label
    counted = each.counted
    if has["elapsed"]:
        yield interval(each.elapsed_s, 1e3)
        yield interval(each.over_base_pct, sign=True)
        yield f"{1e3 * each.cpu_s.value:,.1f}" if each.cpu_s else "-"
        yield interval(each.cpu_over_base_pct, sign=True)
    if has["polls"]:
        polls = counted.known_polls if counted else None
        yield f"{counted.gets:,.0f}" if counted else "-"
        yield "-" if polls is None else f"{polls:,.0f}"
        yield f"{counted.gets_per_poll:,.2f}" if counted and counted.gets_per_poll else "-"
    if has["stacks"]:
        yield interval(each.check_pct)
    if has["trips"]:
        if counted:
            trip = counted.round_trip_s
            yield f"{counted.round_trips / counted.executions:,.0f}"
            yield f"{more_packets(counted):,.0f}" if counted.events else "-"
            yield "-" if trip is None else f"{1e6 * trip:,.0f}"
        else:
            yield from ("-", "-", "-")
    if has["cancel"]:
        yield (
            f"{statistics.median(each.cancels_ms):.1f} ({max(each.cancels_ms):.1f})"
            if each.cancels_ms
            else "-"
        )
        yield str(each.cancels_lost) if each.cancels_lost else ""


def interval(estimate: Estimate | None, factor: float = 1.0, *, sign: bool = False) -> str:
    """With no decimals where the interval is wider than that; one value has none."""
    if estimate is None:
        return "-"
    digits = 0 if factor * estimate.half_width >= COARSE else 1
    value, low, high = (
        f"{factor * each:{'+' if sign else ''},.{digits}f}"
        for each in (estimate.value, estimate.low, estimate.high)
    )
    return value if estimate.low == estimate.high else f"{value} [{low}, {high}]"


def conclusions(result: RunResult) -> Iterator[str]:
    """What may be said, a sentence a difference; the A/A pair's first."""
    if result.floor_pct is not None:
        twin = next(each for each in result.cells if each.cell.twin)
        yield (
            f"Noise floor: {twin.base} against itself differs by "
            f"{interval(result.floor_pct, sign=True)} %."
        )
    compared = [e for e in result.cells if e.over_base_pct is not None and not e.cell.twin]
    if compared and len(result.run.blocks) < FEWEST_VALUES:
        brackets = "; brackets hold the whole range" if len(result.run.blocks) > 1 else ""
        yield (
            "Too few blocks to tell a difference from noise: "
            f"{FEWEST_VALUES} give an interval{brackets}."
        )
    else:
        yield from (effect(each, result.floor_pct) for each in compared)
    yield from _paths(result)
    if result.counts_agree is not None:
        yield (
            "The probe counted exactly what the server did."
            if result.counts_agree
            else "THE PROBE'S COUNT IS NOT THE SERVER'S."
        )
    for each in result.cells:
        if each.cancels_lost:
            sent = each.cancels_lost + len(each.cancels_ms)
            yield f"{each.label}: {each.cancels_lost} of {sent} cancels were lost."
    wrong = sum(each.cancels_wrong for each in result.cells)
    if wrong:
        yield f"{wrong} CANCELS ENDED OTHERWISE THAN AS A CANCEL AND WITH A USABLE SESSION."


def _paths(result: RunResult) -> Iterator[str]:
    """What a path is made by; what it adds to a round trip as SQL sees it, and what it really
    does."""
    for name, words in result.run.paths.items():
        yield f"Path {name}: {words}."
    for each, added_s, true_s in path_delays(result):
        yield (
            f"{each.label}: the path adds {1e6 * added_s:,.0f} us to a round trip as SQL sees it; "
            f"it is made to add {1e6 * true_s:,.0f} us."
        )


def effect(each: CellResult, floor: Estimate | None) -> str:
    """As hyperfine says it: so many times slower than, with what may be wrong with that."""
    over = each.over_base_pct
    assert over is not None
    beyond = floor is None or abs(over.value) > max(abs(floor.low), abs(floor.high))
    if not over.excludes_zero:
        return f"{each.label}: {NO_DIFFERENCE} ({interval(over, sign=True)} %)."
    times = 1 + over.value / 100
    half = over.half_width / 100
    words = f"{times:.3f} ± {half:.3f} times the elapsed time of {each.base}"
    return f"{each.label}: {words}{'' if beyond else ', which is within the noise floor'}."
