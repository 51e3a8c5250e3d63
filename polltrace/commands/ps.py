# SPDX-License-Identifier: GPL-2.0-or-later
from __future__ import annotations

import argparse

from polltrace.backends.ebpf import EbpfProbe, ProbeOptions
from polltrace.commands.arguments import add_duration
from polltrace.commands.output import add_json_argument, show
from polltrace.errors import NoSuchProcessError
from polltrace.profiles.frames import ProcessTotals
from polltrace.servers.client_servers import with_client_servers
from polltrace.servers.database import Lookup, lookup
from polltrace.servers.login import add_connect_arguments
from polltrace.servers.ps_report import Session, ps_data, ps_table
from polltrace.servers.servers import Server, check_seen, servers


class Ps:
    """List dedicated servers: client, break mode, break polls.

    Observes from outside and counts break polls for a short while; it touches no process. The break
    mode follows from three facts: whether the server owns the client's socket and so gets SIGURG
    for urgent data, whether it handles SIGURG, and what it polled meanwhile. Of PostgreSQL it
    is whether it checked for a lost client. With --connect, a database names the session of each.
    """

    group = "observe"
    examples = (
        ("", "every dedicated server, its break mode and its break polls a second"),
        (
            "-d 5s --connect system@db:1521/ORCL",
            "count for five seconds, and name the sessions by the database",
        ),
    )

    def prepare_parser(self, parser: argparse.ArgumentParser) -> None:
        add_duration(parser, "-d", "--duration", default="300ms", help="how long to count")
        add_connect_arguments(parser)
        add_json_argument(parser)

    def run(self, args: argparse.Namespace) -> int:
        known = lookup(args)
        here = servers()
        found = with_client_servers(here, here)
        if not found:
            check_seen()
        sessions = _watch(found, args.duration, known)
        show(args.json, lambda: ps_data(sessions), lambda: ps_table(sessions))
        return 0


def _watch(found: list[Server], duration_s: float, known: Lookup) -> list[Session]:
    """The sessions of these servers, without those that end before counting begins."""
    if not found:
        return []
    options = ProbeOptions(duration_s=duration_s, skip_ended=True)
    try:
        with EbpfProbe([server.pid for server in found], options) as probe:
            profile = probe.profile()
    except NoSuchProcessError:
        return []
    seen: dict[tuple[int, int], ProcessTotals] = {
        (totals.pid, totals.start_ticks): totals for totals in profile.totals
    }
    return [
        Session(known.with_sid(server), seen[server.identity], profile.seconds, known.of(server))
        for server in found
        if server.identity in seen
    ]
