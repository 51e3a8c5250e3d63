# SPDX-License-Identifier: GPL-2.0-or-later
from __future__ import annotations

import argparse
import contextlib
import os
import random
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from polltrace.commands.arguments import duration, whole_number
from polltrace.commands.output import add_json_argument, show
from polltrace.errors import UsageError
from polltrace.scenarios.clients import LOAD_PROGRAMS, load_program
from polltrace.scenarios.commands.server_arguments import add_server_arguments, chosen_server
from polltrace.scenarios.load.live import EVERY, HEAD, live_line
from polltrace.scenarios.load.load_file import LoadWriter, read_load
from polltrace.scenarios.load.load_result import load_result
from polltrace.scenarios.load.load_run import PATH, LoadRun
from polltrace.scenarios.load.report import load_data, load_text
from polltrace.scenarios.load.sqlrun_directory import is_sqlrun_directory, load_directory
from polltrace.scenarios.load.trace_files import keep_traces, new_folder, traced
from polltrace.scenarios.load.workload import (
    BIND_ORDERS,
    CONNECT_MODES,
    ENDS,
    ORDERS,
    ThinkTime,
    Workload,
    consistent,
)
from polltrace.scenarios.load.workload_file import LEAST_RATE, MOST_SESSIONS, load_workload
from polltrace.scenarios.plan.cell import Cell
from polltrace.scenarios.run.network.choice import HOW, Network, Route, chosen_network
from polltrace.scenarios.run.processors import lab_processors, load_processors
from polltrace.scenarios.run.runner import watching


class LoadCommand:
    """Run a workload in many sessions, and measure rate and latency.

    WORKLOAD is a .toml file, or a directory of sqlrun with its sqlfile.conf. With a rate the loop
    is open, and latency counts from each transaction's intended start; without one it is closed.
    Every second is saved at once; 'polltrace report FILE' prints the report again, 'polltrace
    compare BASE NEW' compares two loads. Ctrl-C ends it with the report until then. The
    exit code is 1 where executions failed or sessions were lost.
    """

    group = "experiment"
    examples = (
        ("orders.toml", "run a workload file against a lab of its own"),
        ("orders.toml --sessions 50 --rate 1000", "an open loop of 1,000 transactions a second"),
        ("SQL/Oracle --sessions 20 --seconds 60", "run a directory of sqlrun"),
    )

    def prepare_parser(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("workload", type=Path, metavar="WORKLOAD")
        parser.add_argument(
            "--sessions", type=whole_number(1, MOST_SESSIONS), metavar="N", help="how many"
        )
        parser.add_argument("--seconds", type=duration, metavar="TIME", help="how long")
        parser.add_argument(
            "--rate", type=_rate, metavar="N", help="transactions a second in all: an open loop"
        )
        parser.add_argument(
            "--think", type=_number, metavar="S", help="think time in seconds: a closed loop"
        )
        parser.add_argument(
            "--client",
            action="append",
            choices=list(LOAD_PROGRAMS),
            help="a driver; more than one are given to the sessions in turn",
        )
        parser.add_argument(
            "--real-time",
            action="store_true",
            help="let the clients of an open loop run before all other processes (root, lab)",
        )
        parser.add_argument("--order", choices=ORDERS, help="of statements")
        parser.add_argument("--bind-order", choices=BIND_ORDERS, help="of rows of binds")
        parser.add_argument("--connect-mode", choices=CONNECT_MODES, help="how sessions connect")
        parser.add_argument("--end", choices=ENDS, help="how database transactions end")
        parser.add_argument("--seed", type=whole_number(0, 2**32 - 1), help="of what is random")
        parser.add_argument(
            "--no-cache", action="store_true", help="without the workload's client result cache"
        )
        parser.add_argument(
            "--round-trip", type=duration, metavar="TIME", help="that the network path adds"
        )
        parser.add_argument(
            "--traces",
            type=Path,
            metavar="FOLDER",
            help="keep the lab's SQL traces there; where the workload has no [trace], that of the "
            "first session",
        )
        parser.add_argument("--live", action="store_true", help="a line a second on stderr")
        parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="the load's file")
        parser.add_argument(
            "--network", choices=HOW, default="auto", help="how to make the workload's path"
        )
        add_json_argument(parser)
        add_server_arguments(parser, ("lab", "oracle"))

    def run(self, args: argparse.Namespace) -> int:
        workload = _workload(args)
        for name in dict.fromkeys(workload.clients):
            load_program(name).command()
        path = args.output or _default_output(workload)
        if path.exists():
            raise UsageError(f"{path} exists: name another with -o")
        _run(args, workload, path)
        result = load_result(read_load(path))
        show(
            args.json,
            lambda: {**load_data(result), "file": str(path)},
            lambda: f"{load_text(result)}\n\nSaved in {path}{_traced(args)}.",
        )
        return 1 if result.errors or result.lost else 0


def _traced(args: argparse.Namespace) -> str:
    return f"; SQL traces in {args.traces}: 'polltrace trace {args.traces}'" if args.traces else ""


def _workload(args: argparse.Namespace) -> Workload:
    source = args.workload
    workload = load_directory(source) if is_sqlrun_directory(source) else load_workload(source)
    if args.rate is not None and args.think is not None:
        raise UsageError("--rate is of an open loop and --think of a closed one: give one of them")
    options = {
        "sessions": args.sessions,
        "seconds": args.seconds,
        "rate": args.rate,
        "clients": tuple(args.client) if args.client else None,
        "order": args.order,
        "bind_order": args.bind_order,
        "connect": args.connect_mode,
        "end": args.end,
        "real_time": args.real_time or None,
    }
    if args.think is not None:
        workload = replace(workload, rate=None, think=ThinkTime(values={"mean": args.think}))
    if args.no_cache:
        workload = replace(workload, cache=None)
    if args.round_trip is not None:
        path = replace(workload.path, round_trip_s=args.round_trip)
        workload = replace(workload, path=path)
    workload = replace(
        workload, **{name: value for name, value in options.items() if value is not None}
    )
    return consistent(traced(workload) if args.traces else workload)


def _run(args: argparse.Namespace, workload: Workload, path: Path) -> None:
    network = _network(args, workload)
    with contextlib.ExitStack() as stack:
        server = chosen_server(args, network.address, {}, lab_processors())
        stack.enter_context(network.entered())
        stack.enter_context(server)
        cell = Cell(break_mode=workload.break_mode, skip=workload.skip, path=PATH)
        if reason := server.why_not(cell):
            raise UsageError(reason)
        if args.traces:
            new_folder(args.traces, server)
        seed = random.SystemRandom().randrange(2**32) if args.seed is None else args.seed
        lines = _Lines(path)
        stack.callback(lines.close)
        show_live = _live() if args.live or sys.stderr.isatty() else _nothing
        end = server.endpoint(cell)
        routes = stack.enter_context(network.routes((end.host, end.port)))
        watcher = stack.enter_context(watching(server))
        route = routes.get(PATH, Route()), network.words().get(PATH, "no delay")
        clients = load_processors(server.kind)
        if workload.real_time and clients == os.sched_getaffinity(0):
            raise UsageError("--real-time takes the lab, and a processor that is the lab's alone")
        LoadRun(workload, seed, server, *route, clients, lines.write, show_live).run(watcher)
        if args.traces:
            keep_traces(server, workload.trace_identifier, args.traces)


def _network(args: argparse.Namespace, workload: Workload) -> Network:
    used = {PATH} if workload.path.delays else set()
    return chosen_network(args.network, {PATH: workload.path}, used, ours=args.server == "lab")


class _Lines:
    """The load's file, which begins with its header."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._writer: LoadWriter | None = None

    def write(self, kind: str, **values: Any) -> None:
        if self._writer is None:
            self._writer = LoadWriter(self._path, values)
        else:
            self._writer.write(kind, **values)

    def close(self) -> None:
        if self._writer is not None:
            self._writer.close()


def _live() -> Callable[[Mapping[str, Any]], None]:
    lines_shown = 0

    def show_line(line: Mapping[str, Any]) -> None:
        nonlocal lines_shown
        if lines_shown % EVERY == 0:
            print(HEAD, file=sys.stderr)
        print(live_line(line), file=sys.stderr, flush=True)
        lines_shown += 1

    return show_line


def _nothing(_: Mapping[str, Any]) -> None:
    pass


def _default_output(workload: Workload) -> Path:
    return Path(f"{workload.name}-{time.strftime('%Y%m%d-%H%M%S')}.load.jsonl")


def _rate(text: str) -> float:
    value = _number(text)
    if value < LEAST_RATE:
        raise argparse.ArgumentTypeError(f"{text!r} is not a rate from {LEAST_RATE:g} a second")
    return value


def _number(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1e6:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0 to 1000000")
    return value
