# SPDX-License-Identifier: GPL-2.0-or-later
from __future__ import annotations

import argparse
import contextlib
import random
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from polltrace.commands.arguments import every
from polltrace.errors import UsageError
from polltrace.printable import note
from polltrace.scenarios.analyse.result import RunResult
from polltrace.scenarios.analyse.run import analysed, scenario_of
from polltrace.scenarios.analyse.run_file import RunData, RunWriter, figures_of, read_run
from polltrace.scenarios.clients import program
from polltrace.scenarios.commands.progress import progress_bar
from polltrace.scenarios.commands.run_loads import add_traces_argument, check_options, run_loads
from polltrace.scenarios.commands.run_statement import add_statement_arguments, statement_scenario
from polltrace.scenarios.commands.server_arguments import add_server_arguments, chosen_server
from polltrace.scenarios.plan.cell import MATRIX, Cell
from polltrace.scenarios.plan.plan import Plan
from polltrace.scenarios.plan.scenario import Scenario
from polltrace.scenarios.plan.scenario_file import find
from polltrace.scenarios.report.run.text import run_failed, run_text
from polltrace.scenarios.run.client import DriverClient
from polltrace.scenarios.run.concurrent_client import ConcurrentClient
from polltrace.scenarios.run.header import header
from polltrace.scenarios.run.network.choice import HOW, Network, Route, chosen_network
from polltrace.scenarios.run.processors import lab_processors, processors
from polltrace.scenarios.run.runner import ScenarioRunner, watching
from polltrace.scenarios.run.servers.server import DatabaseServer
from polltrace.scenarios.run.session import probe_works
from polltrace.scenarios.run.size_calibration import calibrated
from polltrace.scenarios.run.work import Work

QUICK_BLOCKS, QUICK_TIMED, QUICK_COUNTED = 6, 6, 1
QUICK_LOAD_S = 4.0
QUICK_BUDGET_S = 100.0
"""The time that blocks of a quick run may take: none begins that would end later."""


class Run:
    """Run a scenario or a query in break modes and skips, interleaved.

    NAME is one that 'polltrace scenarios' lists, or the path of a .toml file. Each figure is saved
    at once, and --resume continues an interrupted run. 'polltrace report FILE' prints the report
    again, 'polltrace compare BASE NEW' compares two runs.
    """

    group = "experiment"
    examples = (
        ("break-poll --quick", "a short run of a scenario that comes with polltrace"),
        ("--sql query.sql --binds binds.toml --skip 3,10,100", "your own query, on the lab"),
        ("--like before.run.jsonl -o after.run.jsonl", "repeat an earlier run, to compare with it"),
    )

    def prepare_parser(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("scenario", nargs="?", metavar="NAME|FILE")
        parser.add_argument(
            "--only",
            type=_only,
            default={},
            metavar="KEY=VALUE,…",
            help="only these cells; a key may be repeated (client=go-ora,skip=3,skip=10)",
        )
        parser.add_argument(
            "--repeats", type=every, metavar="N", help="blocks, instead of the scenario's own"
        )
        parser.add_argument(
            "--quick",
            action="store_true",
            help="the fewest repeats that give an interval, as many as two minutes allow",
        )
        parser.add_argument("--seed", type=int, help="of the random order (default: a new one)")
        parser.add_argument("--resume", type=Path, metavar="FILE", help="continue this run")
        parser.add_argument(
            "--like",
            type=Path,
            metavar="FILE",
            help="the scenario, cells and binds of an earlier run, to compare with it",
        )
        parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="the run's file")
        parser.add_argument(
            "--network",
            choices=HOW,
            help="how to make network paths: tc netem or TUN devices between network namespaces, a "
            "relay process, or auto: the first of them that this host has (default, except with "
            "--resume and --like)",
        )
        add_traces_argument(parser)
        add_statement_arguments(parser)
        add_server_arguments(parser)

    def run(self, args: argparse.Namespace) -> int:
        result, path = executed(args)
        print(run_text(result))
        print(f"\nSaved in {path}: 'polltrace report {path} --html FILE' draws it.")
        return 1 if run_failed(result) else 0


def executed(args: argparse.Namespace) -> tuple[RunResult, Path]:
    """Run a scenario by the arguments of `polltrace run`; the result, and the run's file."""
    sources = (args.scenario, args.resume, args.like, args.sql)
    if args.sql is None and (args.binds or args.skip or args.client):
        raise UsageError("--binds, --skip and --client go with --sql")
    if sum(source is not None for source in sources) != 1:
        raise UsageError("name one scenario, one file by --resume or --like, or --sql")
    old = read_run(args.resume) if args.resume else None
    model = old or (read_run(args.like) if args.like else None)
    with figures_of(*filter(None, (args.resume, args.like))):
        scenario = _scenario(args, model)
        work = Work(**model.header["work"]) if model else None
        network = _network(args, scenario, model)
    check_options(args, scenario)
    if old and old.paths and old.paths != network.words():
        raise UsageError(f"{args.resume}: {_other_paths(old.paths, network.words())}")
    with contextlib.ExitStack() as stack:
        server = chosen_server(
            args, network.address, network.links, lab_processors(scenario.processors)
        )
        stack.enter_context(network.entered())
        stack.enter_context(server)
        cells = model.cells if model else _cells(scenario, args.only, server)
        why_not = probe_works() if "polls" in scenario.record else None
        if why_not:
            note(f"polls are not counted: {why_not}")
        plan = Plan(
            scenario=scenario,
            cells=cells,
            seed=old.header["seed"] if old else _seed(args.seed),
            first_block=_next_block(old),
            finished_blocks=len(old.blocks) if old else 0,
            resumes=old is not None,
            count_polls=why_not is None,
            budget_s=QUICK_BUDGET_S if args.quick else None,
        )
        path = args.resume or args.output or _default_output(scenario)
        if scenario.workload:
            run_loads(stack, plan, server, network, path, args.traces)
        else:
            _run(stack, plan, server, network, work, path)
    return analysed(read_run(path)), path


def _run(  # noqa: PLR0913, PLR0917
    stack: contextlib.ExitStack,
    plan: Plan,
    server: DatabaseServer,
    network: Network,
    work: Work | None,
    path: Path,
) -> None:
    end = server.endpoint(Cell())
    routes = stack.enter_context(network.routes((end.host, end.port)))
    clients = {}
    for cell in plan.cells:
        start = routes.get(cell.path, Route()).start
        clients[cell] = stack.enter_context(_client(cell, start))
    watcher = stack.enter_context(watching(server))
    work = work or calibrated(server, plan.scenario, clients, watcher)
    head = None if plan.resumes else header(plan, work, server, clients, network)
    writer = stack.enter_context(contextlib.closing(RunWriter(path, head)))
    progress = stack.enter_context(progress_bar())
    ScenarioRunner(plan, work, server, clients, watcher, routes, writer.write, progress).run()


def _client(cell: Cell, start: Sequence[str]) -> DriverClient:
    of_clients = {processors()[0]}
    if cell.sessions == 1:
        return DriverClient(cell.client, processors=of_clients, start=start)
    return ConcurrentClient(cell.client, cell.sessions - 1, processors=of_clients, start=start)


def _scenario(args: argparse.Namespace, old: RunData | None) -> Scenario:
    statement = statement_scenario(args)
    scenario = statement or (scenario_of(old) if old else find(args.scenario))
    if args.quick:
        scenario = replace(
            scenario,
            blocks=min(scenario.blocks, QUICK_BLOCKS),
            timed=min(scenario.timed, QUICK_TIMED),
            counted=min(scenario.counted, QUICK_COUNTED),
        )
        if scenario.workload and scenario.seconds:
            scenario = replace(scenario, seconds=min(scenario.seconds, QUICK_LOAD_S))
    if args.server == "oracle" and args.set_sqlnet is None:
        # The server's own skip, whatever that is: one in-band cell of each kind.
        matrix = {key: values for key, values in scenario.matrix.items() if key != "skip"}
        scenario = replace(scenario, matrix=matrix)
    if args.repeats:
        scenario = replace(scenario, blocks=args.repeats)
    return scenario


def _network(args: argparse.Namespace, scenario: Scenario, model: RunData | None) -> Network:
    cells = model.cells if model else scenario.cells(args.only)
    how = args.network or (model.how_network if model else "auto")
    used = {cell.path for cell in cells}
    network = chosen_network(how, scenario.paths, used, ours=args.server == "lab")
    links = {cell.link_path for cell in cells} - {""}
    return replace(network, links={name: scenario.paths[name] for name in sorted(links)})


def _other_paths(old: Mapping[str, str], new: Mapping[str, str]) -> str:
    name = next(name for name in old if old[name] != new.get(name))
    return f"path {name} was {old[name]}; here it would be {new.get(name, 'none')}"


def _cells(
    scenario: Scenario, only: Mapping[str, Sequence[str]], server: DatabaseServer
) -> Sequence[Cell]:
    """The cells that this host and this server can run; the reasons for others go to stderr."""
    reasons: dict[str, None] = {}
    possible = set()
    for cell in scenario.cells(only):
        reason = program(cell.client).missing() or server.why_not(cell)
        if reason:
            reasons.setdefault(reason)
        else:
            possible.add(replace(cell, twin=False))
    for reason in reasons:
        note(f"skipped: {reason}")
    if not possible:
        raise UsageError("nothing is left to run: no cell is chosen by --only, or all are skipped")
    return scenario.cells(only, lambda cell: cell in possible)


def _next_block(old: RunData | None) -> int:
    """After every block of the old run, the unfinished one included."""
    return 1 + max((line["block"] for line in old.lines), default=-1) if old else 0


def _seed(seed: int | None) -> int:
    return random.SystemRandom().randrange(2**32) if seed is None else seed


def _default_output(scenario: Scenario) -> Path:
    return Path(f"{scenario.name}-{time.strftime('%Y%m%d-%H%M%S')}.run.jsonl")


def _only(text: str) -> dict[str, list[str]]:
    chosen: dict[str, list[str]] = {}
    for item in text.split(","):
        key, equals, value = item.partition("=")
        if not equals or key not in MATRIX:
            raise argparse.ArgumentTypeError(
                f"{item!r} is not KEY=VALUE with a key of {', '.join(MATRIX)}"
            )
        chosen.setdefault(key, []).append(value)
    return chosen
