# SPDX-License-Identifier: GPL-2.0-or-later
from __future__ import annotations

import argparse

from polltrace.commands.arguments import add_duration
from polltrace.commands.output import add_json_argument, show
from polltrace.commands.targets import add_server_argument, one_server
from polltrace.servers.login import add_connect_arguments, login_of


class Dump:
    """Show the state of a session on one screen.

    Its break mode and why, how often it polls, how its time divides into on CPU, waiting for a CPU,
    for its client and for other things, and its stacks on CPU. Polls are counted for half of
    --duration, and it is sampled for the other half; it is never stopped. With --connect the
    database adds the session, its statement, its wait event, and the waits and statistics that
    changed in that time.
    """

    group = "observe"
    examples = (
        ("-p 4711", "the state of this session now"),
        ("-p 4711 -d 10s --connect perf@db1:1521/ORCL", "the same with its SQL and its waits"),
    )

    def prepare_parser(self, parser: argparse.ArgumentParser) -> None:
        add_server_argument(parser)
        add_duration(parser, "-d", "--duration", default="1s", help="how long to observe")
        add_connect_arguments(parser)
        add_json_argument(parser)

    def run(self, args: argparse.Namespace) -> int:
        # Naming stacks takes numpy, and system calls python-ptrace, which runs ldconfig.
        from polltrace.dump.report import dump_data, dump_text
        from polltrace.dump.session_state import session_state

        server = one_server(args.pid, "dump")
        login = login_of(args.connect, args.password_fd)
        state = session_state(server, args.duration, login)
        show(args.json, lambda: dump_data(state), lambda: dump_text(state))
        return 0
