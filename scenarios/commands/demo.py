# SPDX-License-Identifier: GPL-2.0-or-later
from __future__ import annotations

import argparse
import contextlib
import json
import os

from polltrace.backends.ebpf import EbpfProbe
from polltrace.commands.arguments import port, whole_number
from polltrace.commands.output import add_json_argument, show
from polltrace.intervals import FEWEST_VALUES
from polltrace.profiles.profile import Profile
from polltrace.scenarios.commands.progress import progress_bar
from polltrace.scenarios.demo import postgresql
from polltrace.scenarios.demo.experiment import BLOCKS, CELLS, run_demo
from polltrace.scenarios.demo.report import demo_data, demo_text
from polltrace.scenarios.run.client import DriverClient
from polltrace.scenarios.run.processors import processors
from polltrace.scenarios.run.servers.lab_server import LabServer
from polltrace.stacks import Symbolizer


class Demo:
    """Demonstrate break polling on the embedded lab, in about a minute.

    Runs the article's statement by a real driver, out-of-band and in-band at three settings of
    BREAK_POLL_SKIP, with the probe on the server process, and prints the cost of polling.
    """

    group = "experiment"
    examples = (
        ("", "what polling costs, measured here in about a minute"),
        ("--runs 20 --json", "more runs, and the result as data"),
        ("--engine postgresql", "what PostgreSQL's checks for a lost client cost, and find"),
    )

    def prepare_parser(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument(
            "--engine",
            choices=["lab", "postgresql"],
            default="lab",
            help="the lab, or this host's PostgreSQL in a cluster of its own, with the checks that "
            "find a lost client (default: %(default)s)",
        )
        parser.add_argument(
            "--port", type=port, default=0, help="loopback port of the lab (default: a free one)"
        )
        parser.add_argument(
            "--runs",
            type=whole_number(FEWEST_VALUES, 1000, "a number of runs"),
            help=f"sessions of each way to connect, interleaved (default: {BLOCKS}; PostgreSQL: "
            f"{postgresql.BLOCKS})",
        )
        add_json_argument(parser)

    def run(self, args: argparse.Namespace) -> int:
        # Without the rights for a probe, fail before the first measurement.
        with EbpfProbe([os.getpid()]) as probe:
            probe.stop()
        if args.engine == "postgresql":
            return _postgresql(args)
        with contextlib.ExitStack() as stack:
            lab = stack.enter_context(LabServer(args.port, processors={processors()[1]}))
            clients = {
                cell: stack.enter_context(DriverClient(processors={processors()[0]}))
                for cell in CELLS
            }
            progress = stack.enter_context(progress_bar())
            result = run_demo(
                lab,
                clients,
                name_stack=_commonest_stack,
                progress=progress,
                blocks=args.runs or BLOCKS,
            )
        print(json.dumps(demo_data(result), indent=2) if args.json else demo_text(result))
        return 0 if result.counts_agree and result.cancels_work else 1


def _postgresql(args: argparse.Namespace) -> int:
    with progress_bar() as progress:
        demo = postgresql.run_postgresql_demo(progress, args.runs or postgresql.BLOCKS)
    show(
        args.json,
        lambda: postgresql.postgresql_demo_data(demo),
        lambda: postgresql.postgresql_demo_text(demo),
    )
    return 1 if demo.run.counts_agree is False else 0


def _commonest_stack(pid: int, profile: Profile) -> list[str]:
    """Names, outermost first, of the user stack seen most often at a break poll."""
    stacks = profile.only().stacks
    if not stacks:
        return []
    addresses = max(stacks, key=lambda stack: stack.count).addresses
    return [frame.name for frame in reversed(Symbolizer().user(pid, addresses))]
