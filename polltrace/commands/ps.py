# SPDX-License-Identifier: GPL-2.0-or-later
from __future__ import annotations

import argparse
import json
import sys

from polltrace.commands.arguments import seconds
from polltrace.ebpf import EbpfProbe, Look
from polltrace.frames import ProcessTotals
from polltrace.ps_report import Session, ps_data, ps_table
from polltrace.servers import Server, servers


class Ps:
    """List the dedicated server processes of this host: client, break mode, CPU, break polls.

    Looks from outside and counts break polls for a short while; no process is touched. The break
    mode rests on who is told of urgent data on the client's socket, on the server's handler for
    SIGURG, and on what was polled meanwhile.
    """

    def prepare_parser(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument(
            "-d",
            "--duration",
            type=seconds,
            default=0.3,
            metavar="SECONDS",
            help="how long to count (default: %(default)s)",
        )
        parser.add_argument("--json", action="store_true", help="the same as data")

    def run(self, args: argparse.Namespace) -> int:
        sessions = _watch(servers(), args.duration)
        if args.json:
            json.dump(ps_data(sessions), sys.stdout, indent=2)
            print()
        else:
            print(ps_table(sessions))
        return 0


def _watch(found: list[Server], duration_s: float) -> list[Session]:
    if not found:
        return []
    with EbpfProbe([server.pid for server in found], Look(duration_s=duration_s)) as probe:
        profile = probe.profile()
    seen: dict[tuple[int, int], ProcessTotals] = {
        (totals.pid, totals.start_ticks): totals for totals in profile.totals
    }
    return [
        Session(server, seen[server.pid, server.start_ticks], profile.seconds)
        for server in found
        if (server.pid, server.start_ticks) in seen
    ]
