# SPDX-License-Identifier: GPL-2.0-or-later
"""`polltrace run` of a scenario with a workload: each cell is a load."""

from __future__ import annotations

import argparse
import contextlib
from pathlib import Path

from polltrace.errors import UsageError
from polltrace.printable import note
from polltrace.scenarios.analyse.run_file import RunWriter
from polltrace.scenarios.commands.progress import progress_bar
from polltrace.scenarios.load.cells import CellLoads, of_cell
from polltrace.scenarios.load.load_run import workload_data
from polltrace.scenarios.load.trace_files import new_folder
from polltrace.scenarios.load.workload_file import load_workload
from polltrace.scenarios.plan.cell import Cell
from polltrace.scenarios.plan.plan import Plan
from polltrace.scenarios.plan.scenario import Scenario
from polltrace.scenarios.plan.scenario_file import workload_file
from polltrace.scenarios.run.client import DriverClient
from polltrace.scenarios.run.header import header
from polltrace.scenarios.run.network.choice import Network
from polltrace.scenarios.run.runner import ScenarioRunner, watching
from polltrace.scenarios.run.servers.server import DatabaseServer
from polltrace.scenarios.run.session import probe_works
from polltrace.scenarios.run.work import Work

NO_WORK = Work("", {})


def add_traces_argument(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--traces",
        type=Path,
        metavar="FOLDER",
        help="of a scenario with a workload: keep SQL traces of the first block's loads there, a "
        "folder for each cell, for 'polltrace trace' (lab)",
    )


def check_options(args: argparse.Namespace, scenario: Scenario) -> None:
    """Raises UsageError for options that do not fit the scenario."""
    if args.traces and not scenario.workload:
        raise UsageError("--traces goes with a scenario that has a workload")
    if scenario.workload and args.server not in ("lab", "oracle"):
        raise UsageError("a load runs against the lab or an Oracle database")
    if "result_cache" in scenario.matrix and args.server != "lab":
        raise UsageError("the mode of the result cache's latch is the lab's own")


def run_loads(  # noqa: PLR0913, PLR0917
    stack: contextlib.ExitStack,
    plan: Plan,
    server: DatabaseServer,
    network: Network,
    path: Path,
    traces: Path | None,
) -> None:
    """The whole run, into its file. Raises UsageError, before anything runs, where the workload
    cannot have the settings of a cell."""
    workload = load_workload(workload_file(plan.scenario.workload))
    for cell in plan.cells:
        of_cell(workload, plan, cell)
    if traces:
        new_folder(traces, server)
    end = server.endpoint(Cell())
    routes = stack.enter_context(network.routes((end.host, end.port)))
    # They report the drivers' versions: a load has clients of its own.
    drivers = {
        name: stack.enter_context(DriverClient(name))
        for name in dict.fromkeys(cell.client for cell in plan.cells)
    }
    clients = {cell: drivers[cell.client] for cell in plan.cells}
    watcher = stack.enter_context(watching(server))
    head = None
    if not plan.resumes:
        head = header(plan, NO_WORK, server, clients, network)
        head["workload"] = workload_data(workload)
    writer = stack.enter_context(contextlib.closing(RunWriter(path, head)))
    progress = stack.enter_context(progress_bar())
    no_probe = (probe_works() or "") if any(cell.result_cache for cell in plan.cells) else ""
    if no_probe:
        note(f"what servers spin and sleep for the latch is not measured: {no_probe}")
    loads = CellLoads(workload, plan, server, network, routes, watcher, traces, no_probe)
    arguments = plan, NO_WORK, server, clients, watcher, routes
    ScenarioRunner(*arguments, writer.write, progress, loads.measure).run()
