# SPDX-License-Identifier: GPL-2.0-or-later
from __future__ import annotations

import argparse
import json
import sys

from polltrace.advice_report import advice_data, advice_text
from polltrace.commands.arguments import pid_list, seconds, span
from polltrace.commands.targets import one_server
from polltrace.database import add_connect_arguments, lookup
from polltrace.looks import Durations, advise_session


class Advise:
    """Say what break polling costs a session, and what each BREAK_POLL_SKIP would.

    Counts a dedicated server's break polls for two seconds, samples it on CPU for --duration,
    counts its checks for a moment (so that the skip in force is measured, not believed), and times
    the gaps between polls for a second. The share of CPU is counted polls times the price of one
    on this host, measured with nothing attached; the samples check it. Then: what keeps the
    session in-band, and which skip saves most while a cancel stays within --max-cancel.
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
            type=span,
            default=1.0,
            metavar="TIME",
            help="the longest that a cancel may take while the session is on CPU, as 1s or 200ms "
            "(default: %(default)gs)",
        )
        add_connect_arguments(parser)
        parser.add_argument("--json", action="store_true", help="the same as data")

    def run(self, args: argparse.Namespace) -> int:
        server = one_server(args.pid, "advise")
        sessions = lookup(args)
        given = advise_session(server, Durations(sampled=args.duration))
        known = sessions.of(server)
        if args.json:
            json.dump(advice_data(given, args.max_cancel, known), sys.stdout, indent=2)
            print()
        else:
            print(advice_text(given, args.max_cancel, known))
        return 0
