# SPDX-License-Identifier: GPL-2.0-or-later
"""The options of `polltrace run` that name its server."""

from __future__ import annotations

import argparse
import getpass
import os
import sys
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from polltrace.commands.arguments import skip
from polltrace.errors import UsageError
from polltrace.printable import note
from polltrace.scenarios.plan.network_path import NetworkPath
from polltrace.scenarios.run.processors import processors
from polltrace.scenarios.run.servers.lab_server import LabServer
from polltrace.scenarios.run.servers.linked_labs import LinkedLabServers
from polltrace.scenarios.run.servers.oracle_server import OracleServer
from polltrace.scenarios.run.servers.postgresql_server import PostgresqlServer
from polltrace.scenarios.run.servers.server import DatabaseServer, Endpoint
from polltrace.scenarios.run.servers.sqlnet_edit import SqlnetEdit, restore_left_behind

PASSWORD = "POLLTRACE_PASSWORD"


def add_server_arguments(
    parser: argparse.ArgumentParser, servers: Sequence[str] = ("lab", "oracle", "postgresql")
) -> None:
    group = parser.add_argument_group("server")
    group.add_argument("--server", choices=servers, default="lab")
    cluster = (
        ", or postgresql (there without it: a cluster of its own of this host's PostgreSQL, which "
        "ends with the run)"
    )
    group.add_argument(
        "--connect",
        metavar="HOST:PORT/SERVICE",
        help=f"with --server oracle{cluster if 'postgresql' in servers else ''}",
    )
    group.add_argument(
        "--user",
        help=f"with --connect; the password comes from {PASSWORD} or a prompt",
    )
    group.add_argument(
        "--set-sqlnet",
        type=Path,
        metavar="PATH",
        help="the server's sqlnet.ora, to set BREAK_POLL_SKIP in during the run; it is restored at "
        "the end, or after a kill -9 by the next run or by 'polltrace restore'",
    )
    group.add_argument(
        "--force-skip",
        type=skip,
        metavar="N",
        help="with --server lab: use this skip in every cell, to plant a regression",
    )


def chosen_server(
    args: argparse.Namespace,
    address: str,
    links: Mapping[str, NetworkPath],
    of_lab: Collection[int],
) -> DatabaseServer:
    """The server of a run; `address` is the one that the lab listens on, `links` the paths of its
    sessions' database links, by name, `of_lab` the lab's processors where it has none.

    Raises UsageError for options that contradict one another.
    """
    for path in restore_left_behind():
        note(f"put back {path}, which a run that was killed had changed")
    if args.server == "lab":
        if args.connect or args.user or args.set_sqlnet:
            raise UsageError(
                "--connect, --user and --set-sqlnet go with --server oracle; the first two "
                "with postgresql as well"
            )
        if links:
            skip = args.force_skip
            return LinkedLabServers(links, address, processors=processors(), force_skip=skip)
        return LabServer(address=address, processors=of_lab, force_skip=args.force_skip)
    if links:
        raise UsageError("a scenario with a database link makes the labs at both its ends itself")
    if args.server == "postgresql":
        return _postgresql(args)
    if not args.connect or not args.user:
        raise UsageError("--server oracle needs --connect HOST:PORT/SERVICE and --user NAME")
    if args.force_skip:
        raise UsageError("--force-skip goes with --server lab")
    endpoint = _endpoint(args.connect)
    edit = SqlnetEdit(args.set_sqlnet) if args.set_sqlnet else None
    if edit is not None:
        note(f"BREAK_POLL_SKIP is set in {edit.path} during the run, and restored at its end")
    return OracleServer(endpoint, args.user, _password(args.user), edit)


def _postgresql(args: argparse.Namespace) -> PostgresqlServer:
    if args.set_sqlnet or args.force_skip:
        raise UsageError("--set-sqlnet and --force-skip are Oracle's")
    if not args.connect:
        return PostgresqlServer()
    if not args.user:
        raise UsageError("--connect needs --user NAME")
    return PostgresqlServer(_endpoint(args.connect), args.user, _password(args.user))


def _endpoint(text: str) -> Endpoint:
    address, slash, service = text.partition("/")
    host, colon, port = address.rpartition(":")
    if not (slash and colon and host and service and port.isdecimal() and int(port) < 65536):
        raise UsageError(f"--connect takes HOST:PORT/SERVICE, not {text!r}")
    return Endpoint(host, int(port), service)


def _password(user: str) -> str:
    if password := os.environ.get(PASSWORD):
        return password
    if not sys.stdin.isatty():
        raise UsageError(f"no password: set {PASSWORD}, or run in a terminal to enter it")
    return getpass.getpass(f"Password of {user}: ")
