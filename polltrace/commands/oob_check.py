# SPDX-License-Identifier: GPL-2.0-or-later
from __future__ import annotations

import argparse
import socket

from polltrace.breaks.oob_path import answer, check_path
from polltrace.breaks.oob_report import oob_data, oob_text
from polltrace.commands.arguments import add_duration, address, tries
from polltrace.commands.output import add_json_argument, show
from polltrace.errors import HostError, UsageError


class OobCheck:
    """Test whether a TCP path lets out-of-band breaks through.

    On the database host: polltrace oob-check --listen ADDR:PORT. On the client's host: polltrace
    oob-check HOST:PORT. Sends urgent bytes both ways and reports whether they arrive as urgent
    data, as ordinary data, not at all, or end the connection. Needs no root and no Oracle; the
    client opens the only connection. Exit code 0 where breaks would get through, 1 where not.
    """

    group = "decide"
    examples = (
        ("--listen 0.0.0.0:1522", "on the database host: answer tests on port 1522"),
        ("db.example.com:1522", "on the client host: test the path to it"),
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
            "-n", "--tries", type=tries, default=10, metavar="N", help="each way (default: 10)"
        )
        add_duration(parser, "--timeout", default="5s", help="how long to wait for an answer")
        add_json_argument(parser)

    def run(self, args: argparse.Namespace) -> int:
        if (args.target is None) == (args.listen is None):
            raise UsageError("either HOST:PORT to test, or --listen [ADDR:]PORT")
        if args.listen is not None:
            return _listen(*args.listen, once=args.once, patience_s=args.timeout)
        host, port = args.target
        result = check_path(host, port, args.tries, args.timeout)
        show(args.json, lambda: oob_data(result, host, port), lambda: oob_text(result, host, port))
        return 0 if result.to_server.carried else 1


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
