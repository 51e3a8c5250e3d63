# SPDX-License-Identifier: GPL-2.0-or-later
from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from polltrace.commands.recorded import HELP, recording_path
from polltrace.commands.report import write_page
from polltrace.recording.difference import difference
from polltrace.recording.fold import read
from polltrace.recording.summary import summary


class Diff:
    """Say what changed from one recording to another: rates, cost, break modes, stacks.

    Differences come with their 95 % intervals; what cannot be told from noise is said to be. With
    --html one page with a differential flame graph.
    """

    def prepare_parser(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("before", type=recording_path, metavar="BEFORE", help=HELP)
        parser.add_argument("after", type=recording_path, metavar="AFTER")
        parser.add_argument("--json", action="store_true", help="the same as data")
        parser.add_argument("--html", type=Path, metavar="OUT", help="write a page there")

    def run(self, args: argparse.Namespace) -> int:
        from polltrace.recording_report.diff import (  # noqa: PLC0415 - drawing takes a while to load
            diff_data,
            diff_page,
            diff_text,
        )

        found = difference(summary(read(args.before)), summary(read(args.after)))
        if args.html:
            write_page(args.html, diff_page(found))
        if args.json:
            json.dump(diff_data(found), sys.stdout, indent=2)
            print()
        elif not args.html:
            print(diff_text(found))
        return 0
