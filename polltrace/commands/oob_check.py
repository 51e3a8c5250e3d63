# SPDX-License-Identifier: GPL-2.0-or-later
from __future__ import annotations

import argparse
import socket
from importlib.metadata import entry_points

from polltrace.breaks.cancels import CancelCheck, CancelRequest, cancels_data, cancels_text
from polltrace.breaks.oob_path import answer, check_path
from polltrace.breaks.oob_report import oob_data, oob_text
from polltrace.commands.arguments import add_duration, address, tries
from polltrace.commands.output import add_json_argument, show
from polltrace.errors import HostError, UsageError
from polltrace.servers.login import login_of


class OobCheck:
    """Test whether a TCP path lets out-of-band breaks through.

    On the database host: polltrace oob-check --listen ADDR:PORT. On the client's host: polltrace
    oob-check HOST:PORT. Sends urgent bytes both ways and reports whether they arrive as urgent
    data, as ordinary data, not at all, or end the connection. Needs no root and no Oracle; the
    client opens the only connection. Exit code 0 where breaks would get through, 1 where not.

    With --cancel DSN it cancels real statements by the means of a driver, in each break mode that
    the driver has, and reports the time until they returned and how many cancels were lost. The
    statements need no table and end by themselves within seconds. Exit code 0 where every cancel
    came within --max-cancel, 1 where not.
    """

    group = "decide"
    examples = (
        ("--listen 0.0.0.0:1522", "on the database host: answer tests on port 1522"),
        ("db.example.com:1522", "on the client host: test the path to it"),
        (
            "--cancel scott@db.example.com:1521/ORCL --driver go-ora",
            "on the client host: cancel statements, and time it",
        ),
    )

    def prepare_parser(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument(
            "target", nargs="?", type=address, metavar="HOST:PORT", help="where the server half is"
        )
        parser.add_argument(
            "--listen",
            type=address,
            metavar="[ADDR:]PORT",
            help="be the server half, until Ctrl-C (ADDR: 127.0.0.1; 0.0.0.0 for all)",
        )
        parser.add_argument(
            "--once", action="store_true", help="with --listen: end after one client"
        )
        parser.add_argument(
            "--cancel",
            metavar="[USER@]DSN",
            help="cancel statements of this database (as --connect of 'polltrace ps')",
        )
        parser.add_argument(
            "--driver",
            default="",
            metavar="NAME",
            help="with --cancel: python-oracledb (default), go-ora, ojdbc11 or node-oracledb; "
            "PostgreSQL: psycopg (default) or pg8000",
        )
        parser.add_argument(
            "--statement",
            default="",
            metavar="SQL",
            help="with --cancel: a statement that takes some seconds, in the place of the usual",
        )
        add_duration(
            parser, "--max-cancel", default="1s", help="with --cancel: a later one is late"
        )
        parser.add_argument(
            "--password-fd", type=int, metavar="FD", help="read the password from this descriptor"
        )
        parser.add_argument(
            "-n",
            "--tries",
            type=tries,
            default=10,
            metavar="N",
            help="each way; with --cancel in each break mode (default: 10)",
        )
        add_duration(parser, "--timeout", default="5s", help="how long to wait for an answer")
        add_json_argument(parser)

    def run(self, args: argparse.Namespace) -> int:
        if [args.target, args.listen, args.cancel].count(None) != 2:
            raise UsageError("one of HOST:PORT to test, --listen [ADDR:]PORT, or --cancel DSN")
        if args.cancel is not None:
            return _cancel(args)
        if args.listen is not None:
            return _listen(*args.listen, once=args.once, patience_s=args.timeout)
        host, port = args.target
        result = check_path(host, port, args.tries, args.timeout)
        show(args.json, lambda: oob_data(result, host, port), lambda: oob_text(result, host, port))
        return 0 if result.to_server.carried else 1


def _cancel(args: argparse.Namespace) -> int:
    login = login_of(args.cancel, args.password_fd)
    if login is None:
        raise UsageError("--cancel: a DSN is expected, [USER@]HOST:PORT/SERVICE")
    is_postgresql = login.views == "postgresql"
    request = CancelRequest(
        dsn=login.dsn,
        user=login.user,
        password=login.password,
        is_postgresql=is_postgresql,
        driver=args.driver,
        tries=args.tries,
        patience_s=args.timeout,
        statement=args.statement,
    )
    outcomes = list(_cancel_check()(request))
    limit_s = args.max_cancel
    driver = args.driver or ("psycopg" if is_postgresql else "python-oracledb")
    show(
        args.json,
        lambda: cancels_data(driver, outcomes, limit_s),
        lambda: cancels_text(driver, outcomes, limit_s),
    )
    return 0 if all(outcome.verdict(limit_s) == "fine" for outcome in outcomes) else 1


def _cancel_check() -> CancelCheck:
    """The part that starts drivers. Raises HostError where it is not installed."""
    for entry in entry_points(group="polltrace.cancel_check"):
        check: CancelCheck = entry.load()
        return check
    raise HostError("this installation has no driver programs: install polltrace from its wheel")


def _why(error: OSError) -> str:
    """The error's reason, without the text that Python's create_server adds to it."""
    return str(error.strerror or error).partition(" (while")[0]


def _listen(host: str, port: int, *, once: bool, patience_s: float) -> int:
    try:
        listener = socket.create_server((host, port))
    except OSError as error:
        raise HostError(f"cannot listen on {host}:{port}: {_why(error)}") from None
    with listener:
        host, port = listener.getsockname()[:2]
        print(f"listening on {host}:{port}", flush=True)
        while True:
            connection, peer = listener.accept()
            with connection:
                try:
                    result = answer(connection, patience_s)
                    fates = ", ".join(fate.value for fate in dict.fromkeys(result.to_server.fates))
                    print(f"{peer[0]}: urgent bytes came {fates or 'not at all'}", flush=True)
                except OSError as error:
                    print(f"{peer[0]}: {error}", flush=True)
            if once:
                return 0
