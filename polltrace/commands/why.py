# SPDX-License-Identifier: GPL-2.0-or-later
from __future__ import annotations

import argparse
import threading

from polltrace import interrupts
from polltrace.backends.ebpf import EbpfProbe, ProbeOptions
from polltrace.commands.arguments import duration
from polltrace.commands.output import add_json_argument, show
from polltrace.commands.targets import add_server_argument, one_server
from polltrace.errors import NoSuchProcessError
from polltrace.servers.client_servers import with_client_servers
from polltrace.servers.ps_report import ObservedServer
from polltrace.servers.servers import Server
from polltrace.servers.why_report import why_data, why_text

COUNTED_S = 0.5
SLOW_S = 5.0


class Why:
    """Explain a session's break mode, or where its time goes.

    The cause of in-band breaks is the server's DISABLE_OOB, a client that never asked (its driver
    or platform), a path that drops urgent data, so that the check at connect failed, or unknown;
    the report names the evidence that is missing. Of an engine whose checks only find a client that
    is gone (PostgreSQL): whether it checks, and how to be sure. Observes from outside, and counts
    break polls for --duration.

    With --slow: how much of the session's round trips is network, client and server. The kernel
    counts the server's processor time and the connection's round trips; samples of the server's
    waits tell those for the client from others. Nothing is attached.
    """

    group = "decide"
    examples = (
        ("-p 4711", "why this session is in-band, or does not check its client"),
        ("--slow -p 4711", "network, client or server: where its time goes"),
        ("-p 4711 -d 5s --json", "the same as data, after counting for five seconds"),
    )

    def prepare_parser(self, parser: argparse.ArgumentParser) -> None:
        add_server_argument(parser)
        parser.add_argument(
            "--slow", action="store_true", help="network, client or server: where the time goes"
        )
        parser.add_argument(
            *("-d", "--duration"),
            type=duration,
            metavar="TIME",
            help=f"how long to observe (default: {COUNTED_S:g}s, with --slow {SLOW_S:g}s)",
        )
        add_json_argument(parser)

    def run(self, args: argparse.Namespace) -> int:
        [server] = with_client_servers([one_server(args.pid, "why")])
        if args.slow:
            return _slow(args, server)
        seconds = args.duration or COUNTED_S
        with EbpfProbe([server.pid], ProbeOptions(duration_s=seconds)) as probe:
            profile = probe.profile()
        matching = [totals for totals in profile.totals if totals.start_ticks == server.start_ticks]
        if not matching:
            raise NoSuchProcessError(f"process {server.pid} ended while it was observed")
        session = ObservedServer(server, matching[0], profile.seconds)
        show(args.json, lambda: why_data(session), lambda: why_text(session))
        return 0


def _slow(args: argparse.Namespace, server: Server) -> int:
    # python-ptrace, which has the names of system calls, runs ldconfig when it is imported.
    from polltrace.latency.observe_session import observe
    from polltrace.latency.round_trip_budget import session_time
    from polltrace.latency.round_trip_report import slow_data, slow_text

    stop = threading.Event()
    with interrupts.detaching(stop.set):
        budget = session_time(observe(server, args.duration or SLOW_S, stop.is_set))
    show(args.json, lambda: slow_data(server, budget), lambda: slow_text(server, budget))
    return 0
