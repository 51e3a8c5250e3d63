# SPDX-License-Identifier: GPL-2.0-or-later
from __future__ import annotations

import argparse
import contextlib
import socket

from polltrace.commands.arguments import add_duration, count
from polltrace.errors import HostError, UsageError
from polltrace.exporter.listening import Address, parsed_address
from polltrace.printable import note

_DEFAULT = "127.0.0.1:9417"


class ExportPrometheus:
    """Serve this host's break polling as metrics for Prometheus, until Ctrl-C.

    One probe counts in short windows, as for `polltrace top`. Sums are kept by engine, database
    instance and break mode and never fall when processes end. docs/tasks/fleet.md explains each
    metric; alert rules, a dashboard and a systemd unit are in packaging/.
    """

    def prepare_parser(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument(
            "--listen",
            type=_address,
            default=_DEFAULT,
            metavar="ADDRESS",
            help="where to answer scrapes: HOST:PORT, where port 0 is a free one, or unix:PATH, a "
            "socket for its owner and group (default: %(default)s)",
        )
        parser.add_argument(
            "--expose",
            action="store_true",
            help="listen on an address that other hosts can reach; there is no password and no TLS",
        )
        parser.add_argument(
            "--host-name",
            action="append",
            default=[],
            metavar="NAME",
            help="a name of this host that scrapers use; requests by any other name than this "
            "host's own, localhost and addresses are refused; may be repeated",
        )
        add_duration(
            parser, "-d", "--delay", default="5s", help="between two readings of the probe"
        )
        parser.add_argument(
            "--top",
            type=count,
            default=0,
            metavar="N",
            help="also the N processes that lose most, each with its PID as a label: "
            "every new process makes new time series (default: none)",
        )

    def run(self, args: argparse.Namespace) -> int:
        # The Debian package only recommends the library.
        try:
            from polltrace.exporter.export import export
            from polltrace.exporter.serving import MetricsServer
        except ModuleNotFoundError as error:
            raise HostError(
                f"metrics need {error.name}: apt install python3-prometheus-client, or pip install "
                "prometheus-client"
            ) from None

        address: Address = args.listen
        if not (args.expose or address.ip is None or address.ip.is_loopback):
            raise UsageError(
                f"{address.ip} can be reached from other hosts, which can then read the metrics:"
                " add --expose to allow that"
            )
        names = [socket.gethostname(), *args.host_name]
        with MetricsServer(address, host_names=names) as server:
            note(f"metrics at {server.url}")
            with contextlib.suppress(KeyboardInterrupt):
                export(server, args.delay, args.top)
        return 0


def _address(text: str) -> Address:
    """The address to listen on. Raises ArgumentTypeError; a name is no address."""
    try:
        return parsed_address(text)
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not ADDRESS:PORT, such as {_DEFAULT}, nor unix:PATH"
        ) from None
