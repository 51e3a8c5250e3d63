# SPDX-License-Identifier: GPL-2.0-or-later
from __future__ import annotations

import argparse
import json
import sys

from polltrace.backends.ebpf import EbpfProbe, Look
from polltrace.commands.arguments import seconds
from polltrace.errors import NoSuchProcessError
from polltrace.profiles.frames import ProcessTotals
from polltrace.servers.database import Lookup, add_connect_arguments, lookup
from polltrace.servers.ps_report import Session, ps_data, ps_table
from polltrace.servers.servers import Server, check_seen, servers


class Ps:
    """List the dedicated server processes of this host: client, break mode, CPU, break polls.

    Looks from outside and counts break polls for a short while; no process is touched. The break
    mode rests on who is told of urgent data on the client's socket, on the server's handler for
    SIGURG, and on what was polled meanwhile. With --connect, a database says who each one serves.
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
        add_connect_arguments(parser)
        parser.add_argument("--json", action="store_true", help="the same as data")

    def run(self, args: argparse.Namespace) -> int:
        known = lookup(args)
        found = servers()
        if not found:
            check_seen()
        sessions = _watch(found, args.duration, known)
        if args.json:
            json.dump(ps_data(sessions), sys.stdout, indent=2)
            print()
        else:
            print(ps_table(sessions))
        return 0


def _watch(found: list[Server], duration_s: float, known: Lookup) -> list[Session]:
    if not found:
        return []
    try:
        with EbpfProbe([server.pid for server in found], Look(duration_s=duration_s)) as probe:
            profile = probe.profile()
    except NoSuchProcessError:
        # Where thousands come and go one of them has just gone.
        return _watch(servers(server.pid for server in found), duration_s, known)
    seen: dict[tuple[int, int], ProcessTotals] = {
        (totals.pid, totals.start_ticks): totals for totals in profile.totals
    }
    return [
        Session(server, seen[server.pid, server.start_ticks], profile.seconds, known.of(server))
        for server in found
        if (server.pid, server.start_ticks) in seen
    ]
