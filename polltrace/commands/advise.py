# SPDX-License-Identifier: GPL-2.0-or-later
from __future__ import annotations

import argparse
import json
import sys

from polltrace.advice import Advice, advice
from polltrace.advice_report import advice_data, advice_text
from polltrace.commands.arguments import pid_list, seconds
from polltrace.ebpf import EbpfProbe, Look
from polltrace.errors import NoSuchProcessError, UsageError
from polltrace.overhead import counted_session
from polltrace.price import price_s
from polltrace.profile import Profile
from polltrace.sampled import ON_CPU, introduced, named_stacks
from polltrace.servers import Server, servers
from stacks import Symbolizer

# Fast enough for a per cent of a few seconds, slow enough not to be felt (some 7 ns a poll).
SAMPLE_HZ = 499.0
# Timing costs as much as the polls: long enough for the tail of the gaps, and no longer.
TIMED_SECONDS = 1.0
# Counting every poll gives a rate per CPU second that a busy host does not disturb.
COUNTED_SECONDS = 2.0


class Advise:
    """Say what break polling costs a session, and what each BREAK_POLL_SKIP would.

    Samples a dedicated server on CPU for --duration, then counts its break polls for two seconds
    and times the gaps between them for one. The share of CPU is counted polls times the price of
    one on this host, measured with nothing attached; the samples check it.
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
            help="how long to sample (default: %(default)g)",
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
    look = Look(duration_s=duration_s, sample_hz=SAMPLE_HZ)
    with EbpfProbe([server.pid], look) as probe:
        for _ in introduced(probe.records(), names):
            pass
        sampled = probe.profile()
    counted = _looked(server, Look(duration_s=COUNTED_SECONDS))
    timed = _looked(server, Look(duration_s=TIMED_SECONDS, latency=True))
    session = counted_session(counted.only(), counted.seconds, sampled.only().probe_s_per_poll)
    return advice(
        server,
        session,
        price_s=price_s(session.pace_s),
        stacks=named_stacks(sampled, names, ON_CPU),
        timed=timed.only(),
    )


def _looked(server: Server, look: Look) -> Profile:
    with EbpfProbe([server.pid], look) as probe:
        return probe.profile()
