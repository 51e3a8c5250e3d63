# SPDX-License-Identifier: GPL-2.0-or-later
from __future__ import annotations

import argparse
import json

from polltrace.commands.arguments import add_duration, address, byte_size, duration, whole_number
from polltrace.commands.output import add_json_argument
from polltrace.errors import UsageError
from polltrace.latency.net_test.plan import (
    DIRECTIONS,
    LONGEST_MESSAGE,
    LONGEST_S,
    MODES,
    NetTestPlan,
)
from polltrace.latency.net_test.report import (
    interval_line,
    request_lines,
    result_data,
    result_lines,
)
from polltrace.latency.net_test.run import NetTestInterval, run_test
from polltrace.latency.net_test.server import listen

DEFAULT_PORT = 5555
_length = whole_number(1, LONGEST_MESSAGE, "a length in bytes")
_streams = whole_number(1, 64, "a number of streams")


class NetTest:
    """Measure throughput and latency of a TCP path, without Oracle.

    On the database host: polltrace net-test --listen ADDR:PORT. On the client's host: polltrace
    net-test HOST[:PORT]. With --mode sync each message waits for its answer, as a row-by-row client
    or a commit does; with async the sender never waits, and a short message on a connection of its
    own measures the latency. It measures the same as oratcptest and needs neither Java nor root.
    Exit code 1 where the other end closed the connection before the time was over.
    """

    group = "decide"
    examples = (
        ("--listen 0.0.0.0:5555", "on the database host: answer tests on port 5555"),
        ("db.example.com:5555 --length 100", "round trips of 100 bytes, from the client's host"),
        ("db.example.com:5555 --mode async --streams 4 --length 1000000", "the bandwidth"),
    )

    def prepare_parser(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument(
            "target",
            nargs="?",
            type=_host,
            metavar="HOST[:PORT]",
            help=f"where the server half is (port: {DEFAULT_PORT})",
        )
        parser.add_argument(
            "--listen",
            nargs="?",
            type=address,
            const=("127.0.0.1", DEFAULT_PORT),
            metavar="[ADDR:]PORT",
            help="be the server half, until Ctrl-C (ADDR: 127.0.0.1; 0.0.0.0 for all; port: "
            f"{DEFAULT_PORT})",
        )
        parser.add_argument("--once", action="store_true", help="with --listen: end after one test")
        parser.add_argument("--mode", choices=MODES, default="sync")
        parser.add_argument("--direction", choices=DIRECTIONS, default="to-server")
        parser.add_argument(
            "--length",
            type=_length,
            default=8192,
            metavar="BYTES",
            help="of a message (default: %(default)s)",
        )
        parser.add_argument(
            "--streams", type=_streams, default=1, metavar="N", help="connections at once"
        )
        add_duration(parser, "-d", "--duration", default="10s", help="how long to measure")
        add_duration(parser, "--interval", default="2s", help="from one line to the next")
        parser.add_argument(
            "--warm-up",
            type=_warm_up,
            default="1s",
            metavar="TIME",
            help="not counted, before the rest; 0 is none (default: %(default)s)",
        )
        parser.add_argument(
            "--buffer",
            type=byte_size,
            default=0,
            metavar="SIZE",
            help="of the sockets, at both ends (default: the system's own)",
        )
        add_duration(parser, "--timeout", default="5s", help="how long to wait for the other end")
        add_json_argument(parser)

    def run(self, args: argparse.Namespace) -> int:
        if (args.target is None) == (args.listen is None):
            raise UsageError("either HOST[:PORT] to test, or --listen [[ADDR:]PORT]")
        if args.listen is not None:
            host, port = args.listen
            listen(host, port, lambda text: print(text, flush=True), once=args.once)
            return 0
        plan = NetTestPlan(
            mode=args.mode,
            direction=args.direction,
            length=args.length,
            seconds=min(args.duration, LONGEST_S),
            warm_up_s=args.warm_up,
            buffer=args.buffer,
        )
        return _test(args, plan)


def _test(args: argparse.Namespace, plan: NetTestPlan) -> int:
    where = f"{args.target[0]}:{args.target[1]}"
    if not args.json:
        print("\n".join(request_lines(where, plan, args.streams)), flush=True)

    def show(interval: NetTestInterval) -> None:
        if not args.json:
            print(interval_line(interval), flush=True)

    result = run_test(
        args.target,
        plan,
        args.streams,
        interval_s=args.interval,
        timeout_s=args.timeout,
        show=show,
    )
    if args.json:
        print(json.dumps(result_data(where, result), indent=2))
    else:
        print("\n".join(result_lines(result)))
    return 1 if result.ended_early else 0


def _host(text: str) -> tuple[str, int]:
    """HOST:PORT, or HOST alone. Raises ArgumentTypeError."""
    return (text, DEFAULT_PORT) if ":" not in text and not text.isdecimal() else address(text)


def _warm_up(text: str) -> float:
    return 0.0 if text == "0" else duration(text)
