# SPDX-License-Identifier: GPL-2.0-or-later
"""The loads of a run: a cell's values replace the workload's own where the scenario varies them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from polltrace.errors import UsageError
from polltrace.scenarios.load.latch_time import ServerLatchTime
from polltrace.scenarios.load.latch_watch import LatchWatch, server_cache
from polltrace.scenarios.load.load_file import LoadData
from polltrace.scenarios.load.load_result import LoadResult, load_result
from polltrace.scenarios.load.load_run import LoadRun
from polltrace.scenarios.load.trace_files import keep_traces, traced
from polltrace.scenarios.load.workload import Workload, consistent
from polltrace.scenarios.plan.cell import Cell
from polltrace.scenarios.plan.plan import Plan
from polltrace.scenarios.plan.scenario import ALL_PROCESSORS
from polltrace.scenarios.run.client import DriverClient
from polltrace.scenarios.run.network.choice import Network, Route
from polltrace.scenarios.run.processors import load_processors
from polltrace.scenarios.run.servers.server import DatabaseServer


class CellLoads:
    """Executes one load after the other. `traces`: the folder that keeps the SQL traces of the
    first block, a folder for each cell; None for none. `no_probe`: why latches are not watched from
    outside; empty: they are."""

    def __init__(  # noqa: PLR0913, PLR0917
        self,
        workload: Workload,
        plan: Plan,
        server: DatabaseServer,
        network: Network,
        routes: Mapping[str, Route],
        watcher: DriverClient,
        traces: Path | None,
        no_probe: str,
    ) -> None:
        self._workload, self._plan, self._server = workload, plan, server
        self._words, self._routes, self._watcher = network.words(), routes, watcher
        self._traces, self._no_probe = traces, no_probe

    def measure(self, cell: Cell, names: list[str], block: int) -> dict[str, Any]:
        """The figures of a `load` line. `names` are the keys that vary between the cells. Raises
        KeyboardInterrupt where Ctrl-C ended the load: a part of one is no figure of its cell."""
        workload = of_cell(self._workload, self._plan, cell)
        keep = self._traces if block == self._plan.first_block else None
        if keep:
            workload = traced(workload)
        loads: list[LoadData] = []

        def take(kind: str, **values: Any) -> None:
            if loads:
                loads[0].take({"kind": kind, **values})
            else:
                loads.append(LoadData.begun(values))

        route = self._routes.get(cell.path, Route()), self._words.get(cell.path, "no delay")
        of_clients = load_processors(self._server.kind, self._plan.scenario.processors)
        # The same sequence in every cell of a block.
        seed = (self._plan.seed + block) % 2**32
        latch = None
        if cell.result_cache:
            times = ServerLatchTime(workload.seconds, self._no_probe)
            latch = LatchWatch(workload, times, fill=cell.result_cache != "off")
        LoadRun(workload, seed, self._server, *route, of_clients, take, lambda _: None, latch).run(
            self._watcher
        )
        result = load_result(loads[0])
        if result.interrupted:
            raise KeyboardInterrupt
        if keep:
            name = re.sub(r"\W+", "-", cell.label(names)).strip("-")
            keep_traces(self._server, workload.trace_identifier, keep / name)
        line = load_line(result)
        if self._plan.scenario.processors == ALL_PROCESSORS:
            # Clients wait for processors that the servers use: no fault of the generator's.
            line["warnings"] = result.cautions()
        if latch:
            line |= {"latch": latch.figures(), "latch_time": latch.times()}
        return line


def of_cell(workload: Workload, plan: Plan, cell: Cell) -> Workload:
    """The workload with the values of the cell's keys that the scenario names. Raises UsageError
    where they contradict one another."""
    scenario = plan.scenario
    changes: dict[str, Any] = {
        key: getattr(cell, key)
        for key in ("break_mode", "skip", "fetch_size", "sdu", "sessions")
        if key in scenario.matrix
    }
    changes["clients"] = (cell.client,)
    if "path" in scenario.matrix:
        changes["path"] = scenario.paths[cell.path]
    if scenario.seconds is not None:
        changes["seconds"] = scenario.seconds
    if "cache" in scenario.matrix and not cell.cache:
        changes["cache"] = None
    if cell.statement:
        chosen = [
            statement for statement in workload.statements if statement.name == cell.statement
        ]
        if not chosen:
            raise UsageError(f"matrix.statement: {workload.name} has no {cell.statement!r}")
        changes["statements"] = chosen
    if cell.result_cache:
        changes["parameters"] = {**workload.parameters, **server_cache(cell.result_cache)}
    if cell.cache and not workload.cache:
        raise UsageError(f"matrix.cache: {workload.name} has no [cache]")
    return consistent(replace(workload, **changes))


def load_line(result: LoadResult) -> dict[str, Any]:
    """The `load` line of a run's file.

    `later_per_s` is the rate in its later half: by then caches are full and plans are known.
    """
    later = [line for line in result.seconds if line["at_s"] > result.elapsed_s / 2]
    later_s = sum(line["seconds"] for line in later)  # 0: all sessions were lost before it
    return {
        "transactions": result.transactions,
        "queries": sum(
            statement.transactions * of_workload.get("queries", 1)
            for statement, of_workload in zip(
                result.statements, result.header["workload"]["statements"], strict=True
            )
        ),
        "elapsed_s": result.elapsed_s,
        "later_per_s": sum(line["transactions"] for line in later) / later_s if later_s else 0.0,
        "errors": result.failed,
        "dropped": result.dropped,
        "not_begun": result.not_begun,
        "lost": len(result.lost),
        "latency_ms": result.latency_ms,
        "server_cpu_s": result.server_cpu_s,
        "client_cpu": result.client_cpu,
        "break_polls": result.break_polls,
        "cache": dict(result.cache),
        "warnings": result.warnings(),
    }
