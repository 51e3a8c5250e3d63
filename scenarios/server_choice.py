# SPDX-License-Identifier: GPL-2.0-or-later
"""Which server a run is on, as the user says it."""

from __future__ import annotations

import argparse
import getpass
import os
import sys
from pathlib import Path

from polltrace.commands.arguments import skip
from polltrace.errors import UsageError
from scenarios.oracle_server import Oracle
from scenarios.server import Lab, Server, parse_connect
from scenarios.sqlnet_edit import restore_left_behind

PASSWORD = "POLLTRACE_PASSWORD"


def add_server_arguments(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("server")
    group.add_argument("--server", choices=["lab", "oracle"], default="lab")
    group.add_argument("--connect", metavar="HOST:PORT/SERVICE", help="with --server oracle")
    group.add_argument(
        "--user", help=f"with --server oracle; the password is in {PASSWORD}, or asked for"
    )
    group.add_argument(
        "--set-sqlnet",
        type=Path,
        metavar="PATH",
        help="the server's sqlnet.ora, to set BREAK_POLL_SKIP in during the run; it is put back, "
        "after a kill -9 by the next run or by 'polltrace restore'",
    )
    group.add_argument(
        "--force-skip",
        type=skip,
        metavar="N",
        help="with --server lab: this skip whatever a cell says, as a regression to find",
    )


def chosen_server(args: argparse.Namespace, address: str) -> Server:
    """`address` is where the lab shall listen. Raises UsageError for options that do not go
    together."""
    for path in restore_left_behind():
        print(
            f"polltrace: put back {path}, which a run that was killed had changed", file=sys.stderr
        )
    if args.server == "lab":
        if args.connect or args.user or args.set_sqlnet:
            raise UsageError("--connect, --user and --set-sqlnet go with --server oracle")
        return Lab(args.force_skip, address=address)
    if not args.connect or not args.user:
        raise UsageError("--server oracle needs --connect HOST:PORT/SERVICE and --user NAME")
    if args.force_skip:
        raise UsageError("--force-skip goes with --server lab")
    endpoint = parse_connect(args.connect)
    return Oracle(endpoint, args.user, _password(args.user), args.set_sqlnet)


def _password(user: str) -> str:
    if password := os.environ.get(PASSWORD):
        return password
    if not sys.stdin.isatty():
        raise UsageError(f"no password: set {PASSWORD}, or run in a terminal to be asked for it")
    return getpass.getpass(f"Password of {user}: ")
