# SPDX-License-Identifier: GPL-2.0-or-later
from __future__ import annotations

import argparse
import json
import sys

from polltrace.backends.ebpf import EbpfProbe, Look
from polltrace.commands.arguments import pid_list, seconds
from polltrace.commands.targets import one_server
from polltrace.errors import NoSuchProcessError
from polltrace.servers.ps_report import Session
from polltrace.servers.why_report import why_data, why_text


class Why:
    """Say why a session is in-band, on what evidence, and what would settle it.

    The server's DISABLE_OOB; a client that never asked, by its driver or platform; a path that eats
    urgent data, so that the check at connect failed; or unknown. Looks from outside, and counts the
    process's break polls for --duration.
    """

    def prepare_parser(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument(
            *("-p", "--pid"),
            type=pid_list,
            action="extend",
            required=True,
            help="the dedicated server process",
        )
        parser.add_argument(
            "-d",
            "--duration",
            type=seconds,
            default=0.5,
            metavar="SECONDS",
            help="how long to count (default: %(default)s)",
        )
        parser.add_argument("--json", action="store_true", help="the same as data")

    def run(self, args: argparse.Namespace) -> int:
        server = one_server(args.pid, "why")
        with EbpfProbe([server.pid], Look(duration_s=args.duration)) as probe:
            profile = probe.profile()
        seen = [each for each in profile.totals if each.start_ticks == server.start_ticks]
        if not seen:
            raise NoSuchProcessError(f"process {server.pid} ended while it was looked at")
        session = Session(server, seen[0], profile.seconds)
        if args.json:
            json.dump(why_data(session), sys.stdout, indent=2)
            print()
        else:
            print(why_text(session))
        return 0
