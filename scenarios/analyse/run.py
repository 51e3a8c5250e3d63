# SPDX-License-Identifier: GPL-2.0-or-later
"""The result of a run, cell by cell: pure functions of its file's content."""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from polltrace.intervals import Estimate
from polltrace.scenarios.analyse import bootstrap
from polltrace.scenarios.analyse.counted import counted_of
from polltrace.scenarios.analyse.latency_cells import cell_layers
from polltrace.scenarios.analyse.load_cells import cell_load
from polltrace.scenarios.analyse.result import CellResult, RunResult
from polltrace.scenarios.analyse.run_file import Line, RunData
from polltrace.scenarios.plan.cell import varied
from polltrace.scenarios.plan.network_path import NetworkPath
from polltrace.scenarios.plan.scenario import Expected, Scenario
from polltrace.scenarios.run.host_noise import warnings

CANCELLED = ("ORA-01013", "context canceled")
"""How a cancelled call ends. The second is go-ora's, for a break between two fetch calls."""

Turns = Mapping[int, Sequence[float]]
"""By block: one value for each turn."""


def analysed(run: RunData) -> RunResult:
    """The result of a run, of its whole blocks only."""
    scenario = scenario_of(run)
    names = varied(run.cells)
    figures = {name: by_cell(run, name) for name in ("elapsed_s", "cpu_s", "remote_cpu_s")}
    results = [_cell(run, scenario, names, n, figures) for n in range(len(run.cells))]
    floor = next(
        (cell_result.over_base_pct for cell_result in results if cell_result.cell.twin), None
    )
    noises = [
        {k: v for k, v in noise.items() if k not in ("kind", "block")} for noise in run.of("noise")
    ]
    host_warnings = warnings(noises, run.header["host"]["processors"])
    if run.torn:
        host_warnings.append(
            "the file ends in the middle of a line: the run was killed; --resume goes on"
        )
    return RunResult(scenario, run, results, names, floor, host_warnings)


def scenario_of(run: RunData) -> Scenario:
    """The scenario that a run file holds."""
    data: dict[str, Any] = dict(run.header["scenario"])
    data["paths"] = {name: NetworkPath(**path) for name, path in data["paths"].items()}
    data["record"] = tuple(data["record"])
    # Runs of earlier releases have the sentences alone.
    data["expected"] = tuple(
        Expected(**expected) if isinstance(expected, dict) else Expected(expected)
        for expected in data["expected"]
    )
    return Scenario(**data)


def by_cell(run: RunData, figure: str) -> dict[int, Turns]:
    """A figure of the timed executions: by cell's number, then block, in the order of turns.

    `unhindered_s` is elapsed_s less the time that the server waited for a processor.
    """
    turns_by_cell: dict[int, dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    for line in sorted(run.of("sample"), key=lambda line: line["turn"]):
        value = _unhindered_s(line) if figure == "unhindered_s" else line.get(figure)
        if value is not None:
            turns_by_cell[line["cell"]][line["block"]].append(value)
    return {cell: dict(blocks) for cell, blocks in turns_by_cell.items()}


def _unhindered_s(line: Line) -> float | None:
    waited_s = line.get("waited_s")
    return None if waited_s is None else line["elapsed_s"] - waited_s


def of_blocks(turns: Turns) -> list[float]:
    """The median of each block's turns."""
    return [statistics.median(values) for _, values in sorted(turns.items())]


def _paired(
    base: Turns, compared: Turns, difference: Callable[[float, float], float]
) -> Estimate | None:
    """The difference of `other` from `base`: turns paired, one value a block."""
    blocks = [
        statistics.median(difference(a, b) for a, b in zip(base[n], compared[n], strict=True))
        for n in sorted(base.keys() & compared.keys())
        if len(base[n]) == len(compared[n])
    ]
    return bootstrap.median(blocks) if blocks else None


def _more_pct(base: float, compared: float) -> float:
    return 100 * (compared / base - 1)


def _more(base: float, compared: float) -> float:
    return compared - base


def _cell(
    run: RunData,
    scenario: Scenario,
    names: Sequence[str],
    number: int,
    figures: Mapping[str, Mapping[int, Turns]],
) -> CellResult:
    cell = run.cells[number]
    base = scenario.base_of(cell, run.cells)
    base_number = run.cells.index(base) if base is not None else None

    def median(figure: str) -> Estimate | None:
        turns = figures[figure]
        return bootstrap.median(of_blocks(turns[number])) if number in turns else None

    def over_base(
        figure: str, difference: Callable[[float, float], float] = _more_pct
    ) -> Estimate | None:
        turns = figures[figure]
        if base_number is None or number not in turns or base_number not in turns:
            return None
        return _paired(turns[base_number], turns[number], difference)

    def lines(kind: str) -> list[Line]:
        return [line for line in run.of(kind) if line["cell"] == number]

    ended = [line for line in lines("cancel") if not line["lost"]]
    losses = lines("lost client")
    found_ms = [line["ms"] for line in losses if line["found"]]
    return CellResult(
        cell=cell,
        label=cell.label(names),
        base=base.label(names) if base else None,
        elapsed_s=median("elapsed_s"),
        cpu_s=median("cpu_s"),
        over_base_pct=over_base("elapsed_s"),
        cpu_over_base_pct=over_base("cpu_s"),
        counted=counted_of(lines("counted"), counts_polls=run.header["counts_polls"]),
        cancels_ms=[line["ms"] for line in ended],
        cancels_lost=len(lines("cancel")) - len(ended),
        cancels_wrong=sum(line["error"] not in CANCELLED or not line["usable"] for line in ended),
        stacks=next(iter(lines("stacks")), {}),
        layers=cell_layers(lines("latency")),
        found_ms=found_ms,
        not_found=len(losses) - len(found_ms),
        load=cell_load(lines("load")),
        remote_cpu_s=median("remote_cpu_s"),
        remote_cpu_over_base_pct=over_base("remote_cpu_s"),
        over_base_s=over_base("elapsed_s", _more),
    )
