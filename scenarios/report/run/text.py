# SPDX-License-Identifier: GPL-2.0-or-later
"""A run as text: the cells, conclusions about their differences, the V$ views side by side."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from dataclasses import replace

from rich.console import Console

from polltrace.intervals import FEWEST_VALUES, Estimate
from polltrace.scenarios.analyse.expectations import checked_expectations
from polltrace.scenarios.analyse.expectations.network import interval_us, path_delays
from polltrace.scenarios.analyse.result import CellResult, RunResult
from polltrace.scenarios.report.run.layers import layer_table
from polltrace.scenarios.report.run.links import link_table
from polltrace.scenarios.report.run.loads import load_table
from polltrace.scenarios.report.run.table import cell_table, interval
from polltrace.scenarios.report.run.views import side_by_side

WIDTH = 200
NO_DIFFERENCE = "no difference that could be told from noise"


def run_text(result: RunResult) -> str:
    """The whole report, without the last newline."""
    console = Console(width=WIDTH, markup=False, highlight=False, color_system=None)
    with console.capture() as captured:
        for part in _parts(result):
            console.print(part)
    return "\n".join(line.rstrip() for line in captured.get().splitlines())


def run_failed(result: RunResult) -> bool:
    """True if the counts disagree, a load failed, or a required expectation does not hold."""
    failed = any(cell_result.load and cell_result.load.failed for cell_result in result.cells)
    broken = any(
        expectation.required and expectation.held is False
        for expectation in checked_expectations(result)
    )
    return result.counts_agree is False or failed or broken


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
    yield from (f"WARNING: {warning}" for warning in result.warnings)
    yield ""
    if any(cell_result.layers for cell_result in result.cells):
        yield from layer_table(result)
    if scenario.workload:
        yield from load_table(result)
    elif {*scenario.record} != {"latency"}:
        yield cell_table(result)
    if any(cell_result.counted and cell_result.counted.remote for cell_result in result.cells):
        yield ""
        yield link_table(result)
    if sentences := list(conclusions(result)):
        yield ""
        yield from sentences
    if any(cell_result.counted and cell_result.counted.statistics for cell_result in result.cells):
        yield ""
        yield from side_by_side(result)
    if scenario.expected:
        yield ""
        yield "Expected:"
        yield from expected_lines(result)


def _in_all(result: RunResult) -> str:
    """The values that all cells of this run share, which their labels leave out."""
    constant_keys = [name for name in result.scenario.matrix if name not in result.varied]
    return replace(result.cells[0].cell, twin=False).label(constant_keys)


def expected_lines(result: RunResult, width: int = WIDTH) -> Iterator[str]:
    """Each expectation, whether this run confirms it, and the evidence below it."""
    answer = {True: "yes", False: "NO", None: "-"}
    for expectation in checked_expectations(result):
        yield from textwrap.wrap(
            expectation.text,
            width,
            initial_indent=f"  {answer[expectation.held]:3}  ",
            subsequent_indent=7 * " ",
        )
        if expectation.words:
            yield textwrap.indent(textwrap.fill(expectation.words, width - 9), 9 * " ")


def conclusions(result: RunResult) -> Iterator[str]:
    """A sentence for each difference, the A/A pair's first."""
    if result.floor_pct is not None:
        twin = next(cell_result for cell_result in result.cells if cell_result.cell.twin)
        yield (
            f"Noise floor: {twin.base} against itself differs by "
            f"{interval(result.floor_pct, sign=True)} %."
        )
    compared = [(e, e.over_base_pct) for e in result.cells if e.over_base_pct and not e.cell.twin]
    if compared and len(result.run.blocks) < FEWEST_VALUES:
        brackets = "; brackets hold the whole range" if len(result.run.blocks) > 1 else ""
        yield (
            "Too few blocks to tell a difference from noise: "
            f"{FEWEST_VALUES} give an interval{brackets}."
        )
    else:
        yield from (_effect(result, cell_result, over) for cell_result, over in compared)
    yield from _paths(result)
    if result.counts_agree is not None:
        yield (
            "The probe counted exactly what the server did."
            if result.counts_agree
            else "THE PROBE'S COUNT IS NOT THE SERVER'S."
        )
    for cell_result in result.cells:
        if cell_result.cancels_lost:
            lost, sent = cell_result.cancels_lost, cell_result.cancels_sent
            yield f"{cell_result.label}: {lost} of {sent} cancels were lost."
    wrong = sum(cell_result.cancels_wrong for cell_result in result.cells)
    if wrong:
        yield f"{wrong} CANCELS ENDED OTHERWISE THAN AS A CANCEL AND WITH A USABLE SESSION."


def _paths(result: RunResult) -> Iterator[str]:
    """The maker of each path and its addition to a round trip: measured from SQL, and set."""
    for name, words in result.run.paths.items():
        yield f"Path {name}: {words}."
    for cell_result, added_s, true_s in path_delays(result):
        yield (
            f"{cell_result.label}: measured from SQL, the path adds {interval_us(added_s)} us to a "
            f"round trip; it is set to add {1e6 * true_s:,.0f} us."
        )


def _effect(result: RunResult, cell_result: CellResult, over: Estimate) -> str:
    """The slowdown as a factor, as hyperfine prints it, with the limits of the claim."""
    if not over.excludes_zero:
        return f"{cell_result.label}: {NO_DIFFERENCE} ({interval(over, sign=True)} %)."
    times, half = 1 + over.value / 100, over.half_width / 100
    words = f"{times:.3f} ± {half:.3f} times the elapsed time of {cell_result.base}"
    within = ", which is within the noise floor" if result.within_floor(over) else ""
    return f"{cell_result.label}: {words}{within}."
