# SPDX-License-Identifier: GPL-2.0-or-later
from __future__ import annotations

import argparse
import json
import sys

from polltrace.commands.arguments import pid_list, seconds, span
from polltrace.commands.recorded import HELP, recording_path
from polltrace.commands.targets import one_server
from polltrace.errors import NoSuchProcessError, UsageError
from polltrace.overhead.advice import Advice
from polltrace.overhead.advice_data import advice_data
from polltrace.overhead.advice_report import advice_text
from polltrace.overhead.looks import SAMPLED_SECONDS, Durations, advise_session
from polltrace.recording.fold import read
from polltrace.recording.summary import summary
from polltrace.servers.database import add_connect_arguments, lookup


class Advise:
    """Say what break polling costs a session, and what each BREAK_POLL_SKIP would.

    Counts a dedicated server's break polls for two seconds, samples it on CPU for --duration,
    counts its checks for a moment (so that the skip in force is measured, not believed), and times
    the gaps between polls for a second. The share of CPU is counted polls times the price of one
    on this host, measured with nothing attached, and that of the samples; where they agree, their
    mean by how unsure each is. Then: what keeps the session in-band, and which skip saves most
    while a cancel stays within --max-cancel. With a FILE instead, of the session in a recording
    that loses most, or of that with --pid.
    """

    def prepare_parser(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument(
            "-p", "--pid", type=pid_list, action="extend", help="the dedicated server process"
        )
        parser.add_argument(
            "file", nargs="?", type=recording_path, metavar="FILE", help=f"instead: {HELP}"
        )
        parser.add_argument(
            "-d",
            "--duration",
            type=seconds,
            default=SAMPLED_SECONDS,
            metavar="SECONDS",
            help="how long to sample (default: %(default)g); longer, prices are measured for "
            "longer as well",
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
        if args.file is not None:
            given, known = _recorded(args), None
        else:
            server = one_server(args.pid or [], "advise")
            sessions = lookup(args)
            given = advise_session(server, Durations(sampled=args.duration))
            known = sessions.of(server)
        if args.json:
            json.dump(advice_data(given, args.max_cancel, known), sys.stdout, indent=2)
            print()
        else:
            print(advice_text(given, args.max_cancel, known))
        return 0


def _recorded(args: argparse.Namespace) -> Advice:
    """The same from a recording. Raises NoSuchProcessError for a session that is not in it."""
    if args.pid and len(args.pid) != 1:
        raise UsageError("advise takes one process: -p PID")
    sessions = summary(read(args.file)).sessions
    given = [each.advice for each in sessions if not args.pid or each.identity[0] == args.pid[0]]
    found = next(filter(None, given), None)
    if found is None:
        which = f"process {args.pid[0]}" if args.pid else "a dedicated server"
        raise NoSuchProcessError(f"{which} is not in {args.file} ('polltrace report' lists them)")
    return found
