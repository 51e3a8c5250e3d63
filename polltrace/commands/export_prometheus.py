# SPDX-License-Identifier: GPL-2.0-or-later
from __future__ import annotations

import argparse
import contextlib
import ipaddress

from polltrace.commands.arguments import add_duration, count
from polltrace.errors import HostError, UsageError
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
            metavar="HOST:PORT",
            help="where to answer scrapes; port 0 takes a free one (default: %(default)s)",
        )
        parser.add_argument(
            "--expose",
            action="store_true",
            help="listen on an address that other hosts can reach; there is no password and no TLS",
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

        host, port = args.listen
        if not (args.expose or host.is_loopback):
            raise UsageError(
                f"{host} can be reached from other hosts, which can then read the metrics:"
                " add --expose to allow that"
            )
        with MetricsServer(str(host), port) as server:
            note(f"metrics at {server.url}")
            with contextlib.suppress(KeyboardInterrupt):
                export(server, args.delay, args.top)
        return 0


Address = tuple[ipaddress.IPv4Address | ipaddress.IPv6Address, int]


def _address(text: str) -> Address:
    """`127.0.0.1:9417` or `[::1]:9417`. Raises ArgumentTypeError; a name is no address."""
    host, _, port = text.rpartition(":")
    try:
        number = int(port)
        ip = ipaddress.ip_address("127.0.0.1" if host == "localhost" else host.strip("[]"))
    except ValueError:
        number = -1
    if not 0 <= number <= 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is not ADDRESS:PORT, such as {_DEFAULT}")
    return ip, number
