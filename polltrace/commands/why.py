# SPDX-License-Identifier: GPL-2.0-or-later
from __future__ import annotations

import argparse

from polltrace.backends.ebpf import EbpfProbe, ProbeOptions
from polltrace.commands.arguments import add_duration, pid_list
from polltrace.commands.output import add_json_argument, show
from polltrace.commands.targets import one_server
from polltrace.errors import NoSuchProcessError
from polltrace.servers.ps_report import Session
from polltrace.servers.why_report import why_data, why_text


class Why:
    """Explain why a session is in-band, with the evidence.

    The cause is the server's DISABLE_OOB, a client that never asked (its driver or platform), a
    path that drops urgent data, so that the check at connect failed, or unknown; the report names
    what would settle it. Observes from outside, and counts break polls for --duration.
    """

    group = "decide"
    examples = (
        ("-p 4711", "why this session is in-band"),
        ("-p 4711 -d 5s --json", "the same as data, after counting for five seconds"),
    )

    def prepare_parser(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument(
            *("-p", "--pid"),
            type=pid_list,
            action="extend",
            required=True,
            help="the dedicated server process",
        )
        add_duration(parser, "-d", "--duration", default="500ms", help="how long to count")
        add_json_argument(parser)

    def run(self, args: argparse.Namespace) -> int:
        server = one_server(args.pid, "why")
        with EbpfProbe([server.pid], ProbeOptions(duration_s=args.duration)) as probe:
            profile = probe.profile()
        seen = [each for each in profile.totals if each.start_ticks == server.start_ticks]
        if not seen:
            raise NoSuchProcessError(f"process {server.pid} ended while it was observed")
        session = Session(server, seen[0], profile.seconds)
        show(args.json, lambda: why_data(session), lambda: why_text(session))
        return 0
