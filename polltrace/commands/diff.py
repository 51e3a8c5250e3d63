# SPDX-License-Identifier: GPL-2.0-or-later
from __future__ import annotations

import argparse
from pathlib import Path

from polltrace.commands.output import add_json_argument, show
from polltrace.commands.recorded import HELP, recording_path
from polltrace.commands.report import write_page
from polltrace.recording.difference import difference
from polltrace.recording.fold import read
from polltrace.recording.summary import summary


class Diff:
    """Show the changes between two recordings.

    Compares rates, cost, break modes and stacks, with 95 % intervals; a difference that cannot be
    told from noise is marked. With --html it writes one page with a differential flame graph.
    """

    group = "keep"
    examples = (
        ("before.polltrace after.polltrace", "the changes, with intervals"),
        (
            "before.polltrace after.polltrace --html change.html",
            "a page with a differential flame graph",
        ),
    )

    def prepare_parser(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("before", type=recording_path, metavar="BEFORE", help=HELP)
        parser.add_argument("after", type=recording_path, metavar="AFTER")
        add_json_argument(parser)
        parser.add_argument("--html", type=Path, metavar="OUT", help="write a page there")

    def run(self, args: argparse.Namespace) -> int:
        from polltrace.recording_report.diff import diff_data, diff_text
        from polltrace.recording_report.diff_page import diff_page

        changes = difference(summary(read(args.before)), summary(read(args.after)))
        if args.html:
            write_page(args.html, diff_page(changes))
        if args.json or not args.html:
            show(args.json, lambda: diff_data(changes), lambda: diff_text(changes))
        return 0
