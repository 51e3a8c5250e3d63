# SPDX-License-Identifier: GPL-2.0-or-later
from __future__ import annotations

import argparse
import contextlib
import ipaddress
import sys

from polltrace.commands.arguments import count, seconds
from polltrace.errors import HostError, UsageError

_DEFAULT = "127.0.0.1:9417"


class ExportPrometheus:
    """Serve this host's break polling as metrics for Prometheus, until Ctrl-C.

    One probe counts in short windows, as for `polltrace top`. Sums are kept by engine, database
    instance and break mode and never fall, though processes end. docs/fleet.md says what each
    metric means; alert rules, a dashboard and a systemd unit are in packaging/.
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
        parser.add_argument(
            "-d",
            "--delay",
            type=seconds,
            default=5.0,
            metavar="SECONDS",
            help="between two readings of the probe (default: %(default)g)",
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
        # Only who exports needs the library; of the Debian package it is no more than recommended.
        try:
            from polltrace.exporter.export import export  # noqa: PLC0415
            from polltrace.exporter.serving import MetricsServer  # noqa: PLC0415
        except ModuleNotFoundError as error:
            raise HostError(
                f"metrics need {error.name}: apt install python3-prometheus-client, or pip install "
                "prometheus-client"
            ) from None

        host, port = args.listen
        if not (args.expose or host.is_loopback):
            raise UsageError(
                f"{host} can be reached from other hosts, and whoever reaches it reads the metrics:"
                " say --expose if that is meant"
            )
        with MetricsServer(str(host), port) as server:
            print(f"polltrace: metrics at {server.url}", file=sys.stderr, flush=True)
            with contextlib.suppress(KeyboardInterrupt):
                export(server, args.delay, args.top)
        return 0


Address = tuple[ipaddress.IPv4Address | ipaddress.IPv6Address, int]


def _address(text: str) -> Address:
    """`127.0.0.1:9417` or `[::1]:9417`. Raises ArgumentTypeError; a name is no address."""
    host, _, port = text.rpartition(":")
    try:
        number = int(port)
        found = ipaddress.ip_address("127.0.0.1" if host == "localhost" else host.strip("[]"))
    except ValueError:
        number = -1
    if not 0 <= number <= 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is not ADDRESS:PORT, such as {_DEFAULT}")
    return found, number
