# SPDX-License-Identifier: GPL-2.0-or-later
from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from polltrace.file_reports import file_report


class Report:
    """Say what a recording shows: verdict first, then every session, the forecast, the stacks.

    Needs no root, no Linux and nothing but the file: a recording, or what a scenario's run wrote.
    """

    def prepare_parser(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE")
        parser.add_argument("--json", action="store_true", help="the same as data")

    def run(self, args: argparse.Namespace) -> int:
        report = file_report(args.file)
        if args.json:
            json.dump(report.data(), sys.stdout, indent=2)
            print()
        else:
            print(report.text())
        return 0
