# SPDX-License-Identifier: GPL-2.0-or-later
from __future__ import annotations

import argparse
import json
import sys

from polltrace.advice import Advice, advice
from polltrace.advice_report import advice_data, advice_text
from polltrace.commands.arguments import pid_list, seconds
from polltrace.ebpf import EbpfProbe, Look
from polltrace.errors import HostError, NoSuchProcessError, UsageError
from polltrace.overhead import Session
from polltrace.price import price_s
from polltrace.sampled import ON_CPU, introduced, named_stacks
from polltrace.servers import Server, servers
from stacks import Symbolizer

# Fast enough for a per cent of a few seconds, slow enough not to be felt (some 7 ns a poll).
SAMPLE_HZ = 499.0
# Timing costs as much as the polls: long enough for the tail of the gaps, and no longer.
TIMED_SECONDS = 1.0


class Advise:
    """Say what break polling costs a session, and what each BREAK_POLL_SKIP would.

    Watches a dedicated server for --duration (on-CPU samples, and counts in short windows), then
    times the gaps between its break polls for a second. The share of CPU is counted polls times
    the price of one on this host, measured with nothing attached; the samples check it.
    """

    def prepare_parser(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument(
            "-p", "--pid", type=pid_list, required=True, help="the dedicated server process"
        )
        parser.add_argument(
            "-d",
            "--duration",
            type=seconds,
            default=8.0,
            metavar="SECONDS",
            help="how long to watch (default: %(default)g)",
        )
        parser.add_argument(
            "--max-cancel",
            type=seconds,
            default=30.0,
            metavar="SECONDS",
            help="the longest that a cancel may take (default: %(default)g)",
        )
        parser.add_argument("--json", action="store_true", help="the same as data")

    def run(self, args: argparse.Namespace) -> int:
        if len(args.pid) != 1:
            raise UsageError("advise takes one process: -p PID")
        given = _advice(_server(args.pid[0]), args.duration)
        if args.json:
            json.dump(advice_data(given, args.max_cancel), sys.stdout, indent=2)
            print()
        else:
            print(advice_text(given, args.max_cancel))
        return 0


def _server(pid: int) -> Server:
    found = servers([pid])
    if not found:
        raise NoSuchProcessError(
            f"process {pid} is no dedicated server ('polltrace ps' lists them)"
        )
    return found[0]


def _advice(server: Server, duration_s: float) -> Advice:
    names = Symbolizer()
    with EbpfProbe([server.pid], Look(duration_s=duration_s, sample_hz=SAMPLE_HZ)) as probe:
        for _ in introduced(probe.records(), names):
            pass
        watched = probe.profile()
    totals = watched.only()
    if totals.rate is None:
        raise HostError("too few windows to tell a rate from: watch longer (--duration)")
    session = Session(busy=totals.cpu_s / watched.seconds, rate=totals.rate)
    with EbpfProbe([server.pid], Look(duration_s=TIMED_SECONDS, latency=True)) as probe:
        timed = probe.profile().only()
    return advice(
        server,
        session,
        price_s=price_s(session.pace_s),
        stacks=named_stacks(watched, names, ON_CPU),
        timed=timed,
    )
