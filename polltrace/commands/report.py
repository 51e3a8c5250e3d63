# SPDX-License-Identifier: GPL-2.0-or-later
from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from polltrace.commands.recorded import HELP, recording_path
from polltrace.errors import UsageError
from polltrace.file_reports import file_report


class Report:
    """Say what a recording shows: verdict first, then every session, the forecast, the stacks.

    Needs no root, no Linux and nothing but the file: a recording, or what a scenario's run wrote.
    With --html one page with everything, that needs no network and no server.
    """

    def prepare_parser(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("file", type=recording_path, metavar="FILE", help=HELP)
        parser.add_argument("--json", action="store_true", help="the same as data")
        parser.add_argument("--html", type=Path, metavar="OUT", help="write a page there")

    def run(self, args: argparse.Namespace) -> int:
        report = file_report(args.file)
        if args.html:
            write_page(args.html, report.html())
        if args.json:
            json.dump(report.data(), sys.stdout, indent=2)
            print()
        elif not args.html:
            print(report.text())
        return 0


def write_page(path: Path, page: str) -> None:
    """Write UTF-8; half a surrogate pair, which has no bytes, becomes an escape."""
    try:
        path.write_text(page, encoding="utf-8", errors="backslashreplace")
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}") from None
