# SPDX-License-Identifier: GPL-2.0-or-later
from __future__ import annotations

import argparse
import contextlib
import json
import os
import sys

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from polltrace.backends.ebpf import EbpfProbe
from polltrace.commands.arguments import port, runs
from polltrace.profiles.profile import Profile
from scenarios.client import DriverClient
from scenarios.demo import BLOCKS, CELLS, run_demo
from scenarios.demo_report import demo_data, print_demo
from scenarios.processors import processors
from scenarios.server import Lab
from stacks import Symbolizer

# What the table needs.
TABLE_WIDTH = 128


class Demo:
    """The whole story on the embedded lab, in about a minute.

    Runs the article's statement by a real driver, out-of-band and in-band at three settings of
    BREAK_POLL_SKIP, with the probe on the server process, and says what the polling costs.
    """

    def prepare_parser(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument(
            "--port", type=port, default=0, help="loopback port of the lab (default: a free one)"
        )
        parser.add_argument(
            "--runs",
            type=runs,
            default=BLOCKS,
            help="sessions of each way to connect, interleaved (default: %(default)s)",
        )
        parser.add_argument("--json", action="store_true", help="the same as data")

    def run(self, args: argparse.Namespace) -> int:
        # What would fail in the middle had better fail at once.
        with EbpfProbe([os.getpid()]) as probe:
            probe.stop()
        with contextlib.ExitStack() as stack:
            lab = stack.enter_context(Lab(port=args.port))
            clients = {
                cell: stack.enter_context(DriverClient(processors={processors()[0]}))
                for cell in CELLS
            }
            bar = stack.enter_context(_progress_bar())
            task = bar.add_task("starting")

            def progress(what: str, done: int, total: int) -> None:
                bar.update(task, description=what, completed=done, total=total)

            experiment = run_demo(
                lab, clients, name_stack=_commonest_stack, progress=progress, blocks=args.runs
            )
        if args.json:
            json.dump(demo_data(experiment), sys.stdout, indent=2)
            print()
        else:
            # Rather wrapped by a narrow terminal than cut. No markup: a frame without a name,
            # [libc.so.6+0x2724a], is not a style.
            width = max(TABLE_WIDTH, Console().width if sys.stdout.isatty() else 0)
            console = Console(width=width, markup=False, highlight=False)
            print_demo(experiment, console)
        return 0 if experiment.counts_agree and experiment.cancels_work else 1


def _progress_bar() -> Progress:
    return Progress(
        TextColumn("{task.description:<26}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
        disable=not sys.stderr.isatty(),
    )


def _commonest_stack(pid: int, profile: Profile) -> list[str]:
    """Names, outermost first, of the user stack seen most often at a break poll."""
    stacks = profile.only().stacks
    if not stacks:
        return []
    addresses = max(stacks, key=lambda stack: stack.count).addresses
    return [frame.name for frame in reversed(Symbolizer().user(pid, addresses))]
