# SPDX-License-Identifier: GPL-2.0-or-later
from __future__ import annotations

import argparse
import contextlib
import json
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

from rich.console import Group
from rich.live import Live

from polltrace import interrupts
from polltrace.commands.arguments import add_duration, duration, every, whole_number
from polltrace.commands.console import PrintableConsole
from polltrace.commands.output import add_json_argument
from polltrace.errors import FileError, UsageError
from polltrace.scenarios.analyse.latency import PathTotals
from polltrace.scenarios.clients import PROGRAMS
from polltrace.scenarios.commands.connect_target import add_target_arguments, connect_target
from polltrace.scenarios.plan.cell import POSTGRESQL_DRIVERS
from polltrace.scenarios.report.latency import (
    CSV_HEADER,
    PingResult,
    csv_line,
    ping_data,
    ping_lines,
    ping_table,
    ping_title,
)
from polltrace.scenarios.run.latency.latency_session import LatencySession, PingTarget
from polltrace.scenarios.run.latency.layers import LAYERS
from polltrace.scenarios.run.latency.rounds import PingMeasurement, Rounds, Schedule

DEFAULT_COUNT = 10
_REFRESH_S = 0.5
_WIDTH = 120
_sessions = whole_number(1, 64, "a number of sessions")


class Ping:
    """Measure a path's latency layer by layer, from TCP to SQL.

    A round measures a TCP connect, the kernel's round trip on its handshake, an Oracle Net connect,
    the driver's ping on a warm channel, a one-row query, and (elapsed - DB time) / round trips of
    rows fetched one by one. One round goes unrecorded first. Ctrl-C ends it with the table. The
    Oracle Net connect makes the listener start a server process each time; --layers leaves layers
    out. Exit code 1 where nothing could be measured.
    """

    group = "decide"
    examples = (
        ("scott@db.example.com:1521/sales", "ten rounds, a second apart; asks for the password"),
        ("--lab --count 20 --interval 100ms", "the lab that runs in the background"),
        ("scott@db/sales --period 1h --csv path.csv", "an hour, every sample in a file"),
        ("scott@db/sales --layers ttc-ping --interval 10ms -n 1000", "as ociping, a layer alone"),
    )

    def prepare_parser(self, parser: argparse.ArgumentParser) -> None:
        add_target_arguments(parser)
        parser.add_argument(
            *("-n", "--count"),
            type=every,
            metavar="N",
            help=f"rounds of each session (default: {DEFAULT_COUNT}, or as many as --period holds)",
        )
        add_duration(parser, "--interval", default="1s", help="from one round to the next")
        parser.add_argument(
            "--period",
            type=_period,
            metavar="TIME",
            help="how long; 0 is until Ctrl-C (default: --count decides)",
        )
        parser.add_argument(
            "--concurrency", type=_sessions, default=1, metavar="N", help="sessions at once"
        )
        parser.add_argument(
            "--layers", type=_layers, default=tuple(LAYERS), help=f"of {', '.join(LAYERS)}"
        )
        drivers = [name for name in PROGRAMS if name not in POSTGRESQL_DRIVERS]
        parser.add_argument("--client", choices=drivers, default="python-oracledb")
        add_duration(parser, "--timeout", default="5s", help="how long a connect may take")
        parser.add_argument(
            "--csv",
            metavar="FILE",
            help="every sample as a line; - is stdout, which then has nothing else",
        )
        add_json_argument(parser)

    def run(self, args: argparse.Namespace) -> int:
        if args.csv == "-" and args.json:
            raise UsageError("--json and --csv - cannot share stdout")
        end, user, password = connect_target(args)
        target = PingTarget(
            end.host.strip("[]"), end.port, end.service, user, password, timeout_s=args.timeout
        )
        with contextlib.ExitStack() as stack:
            csv = stack.enter_context(_csv(args.csv)) if args.csv else None
            sessions = [
                stack.enter_context(LatencySession(target, args.client, args.layers))
                for _ in range(args.concurrency)
            ]
            result = _measure(args, target.dsn, sessions, csv)
        if args.json:
            print(json.dumps(ping_data(result), indent=2))
        elif args.csv != "-":
            console = PrintableConsole(sys.stdout, width=_WIDTH, color_system=None)
            # Captured: where nobody reads, rich would end the program by itself.
            with console.capture() as captured:
                console.print(_shown(result), end="")
            print(captured.get(), end="")
        return 0 if any(layer.summary for layer in result.layers) else 1


def _measure(
    args: argparse.Namespace, dsn: str, sessions: list[LatencySession], csv: TextIO | None
) -> PingResult:
    totals = PathTotals()
    began = time.monotonic()

    def take(measured: PingMeasurement) -> None:
        totals.take(measured.sample)
        if csv is not None:
            print(csv_line(measured, time.time()), file=csv, flush=True)

    def result() -> PingResult:
        return PingResult(
            target=dsn,
            driver=sessions[0].driver,
            sessions=len(sessions),
            seconds=time.monotonic() - began,
            layers=totals.layers(),
            kernels=[info for session in sessions if (info := session.kernel()) is not None],
            late=rounds.late,
            no_server_time=sessions[0].no_server_time,
        )

    rounds = Rounds(sessions, _schedule(args), take)
    with interrupts.detaching(rounds.stop), _live(args) as live:
        shown_at = 0.0

        def between() -> None:
            nonlocal shown_at
            if live is not None and time.monotonic() - shown_at > _REFRESH_S:
                live.update(_shown(result()), refresh=True)
                shown_at = time.monotonic()

        rounds.run(between)
    return result()


@contextlib.contextmanager
def _live(args: argparse.Namespace) -> Iterator[Live | None]:
    """A screen that follows, where stdout is a terminal that can."""
    plain = args.json or args.csv == "-" or os.environ.get("TERM", "dumb") == "dumb"
    if plain or not sys.stdout.isatty():
        yield None
        return
    console = PrintableConsole(sys.stdout)
    with Live(console=console, auto_refresh=False, transient=True) as live:
        yield live


def _shown(result: PingResult) -> Group:
    return Group(ping_title(result), ping_table(result), *ping_lines(result))


def _schedule(args: argparse.Namespace) -> Schedule:
    count = args.count
    if count is None and args.period is None:
        count = DEFAULT_COUNT
    return Schedule(args.interval, count, args.period or None)


@contextlib.contextmanager
def _csv(name: str) -> Iterator[TextIO]:
    with contextlib.ExitStack() as stack:
        file: TextIO = sys.stdout
        if name != "-":
            try:
                file = stack.enter_context(Path(name).open("w", encoding="utf-8"))
            except OSError as error:
                raise FileError(f"cannot write {name}: {error.strerror}") from None
        print(CSV_HEADER, file=file, flush=True)
        yield file


def _period(text: str) -> float:
    return 0.0 if text == "0" else duration(text)


def _layers(text: str) -> tuple[str, ...]:
    names = tuple(dict.fromkeys(text.split(",")))
    for name in names:
        if name not in LAYERS:
            raise argparse.ArgumentTypeError(f"{name!r} is none of {', '.join(LAYERS)}")
    return names
