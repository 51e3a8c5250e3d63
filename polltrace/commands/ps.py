# SPDX-License-Identifier: GPL-2.0-or-later
from __future__ import annotations

import argparse

from polltrace.backends.ebpf import EbpfProbe, ProbeOptions
from polltrace.commands.arguments import add_duration
from polltrace.commands.output import add_json_argument, show
from polltrace.commands.targets import note_unanswered
from polltrace.errors import NoSuchProcessError
from polltrace.profiles.frames import ProcessTotals
from polltrace.servers.client_servers import with_client_servers
from polltrace.servers.database_sessions import Lookup, lookup
from polltrace.servers.login import add_connect_arguments
from polltrace.servers.other_processes import other_processes
from polltrace.servers.ps_report import ObservedServer, ps_data, ps_table
from polltrace.servers.servers import Server, check_seen, servers


class Ps:
    """List dedicated servers: client, break mode, break polls.

    Observes from outside and counts break polls for a short while; it touches no process. The break
    mode follows from three facts: whether the server owns the client's socket and so gets SIGURG
    for urgent data, whether it handles SIGURG, and whether it polled during that time. Of engines
    without out-of-band breaks it is whether it checked its client's socket. With --connect, a
    database names the session of each. A last line counts the processes that are not watched:
    shared servers, dispatchers, pooled and parallel servers and job slaves ('polltrace stat -p PID'
    counts the polls of any process).
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
        database = lookup(args)
        all_servers = servers()
        chosen = with_client_servers(all_servers, all_servers)
        if not chosen:
            check_seen()
        note_unanswered(server.pid for server in all_servers)
        sessions = _watch(chosen, args.duration, database)
        others = other_processes()
        show(args.json, lambda: ps_data(sessions, others), lambda: ps_table(sessions, others))
        return 0


def _watch(chosen: list[Server], duration_s: float, database: Lookup) -> list[ObservedServer]:
    """The sessions of these servers, without those that end before counting begins."""
    if not chosen:
        return []
    options = ProbeOptions(duration_s=duration_s, skip_ended=True)
    try:
        with EbpfProbe([server.pid for server in chosen], options) as probe:
            profile = probe.profile()
    except NoSuchProcessError:
        return []
    totals_by_identity: dict[tuple[int, int], ProcessTotals] = {
        (totals.pid, totals.start_ticks): totals for totals in profile.totals
    }
    return [
        ObservedServer(
            database.with_sid(server),
            totals_by_identity[server.identity],
            profile.seconds,
            database.of(server),
        )
        for server in chosen
        if server.identity in totals_by_identity
    ]
