# SPDX-License-Identifier: GPL-2.0-or-later
from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from polltrace.commands.output import add_json_argument, show
from polltrace.commands.recorded import HELP, recording_path
from polltrace.errors import FileError
from polltrace.file_reports import FileReport, file_report


class Report:
    """Report on a recording or on a scenario run.

    The conclusion comes first, then every session, the forecast and the stacks. Recordings of
    several hosts, made at the same time, are reported together: first the sessions over database
    links, with the cost of all their ends. Needs no root, no Linux and only the files. With
    --html it writes one page that needs no network.
    """

    group = "keep"
    examples = (
        ("demo", "report on the recording that comes with polltrace"),
        ("night.polltrace --html night.html", "write the report as one page"),
        ("sales.polltrace hr.polltrace", "both ends of the database links between two hosts"),
    )

    def prepare_parser(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("file", type=recording_path, nargs="+", metavar="FILE", help=HELP)
        add_json_argument(parser)
        parser.add_argument("--html", type=Path, metavar="OUT", help="write a page there")

    def run(self, args: argparse.Namespace) -> int:
        report = _report(args.file)
        if args.html:
            write_page(args.html, report.html())
        if args.json or not args.html:
            show(args.json, report.data, report.text)
        return 0


def _report(paths: Sequence[Path]) -> FileReport:
    if len(paths) == 1:
        return file_report(paths[0])
    from polltrace.recording_report.distributed import distributed_report

    return distributed_report(paths)


def write_page(path: Path, page: str) -> None:
    """Write UTF-8; half of a surrogate pair, which has no bytes, becomes an escape."""
    try:
        path.write_text(page, encoding="utf-8", errors="backslashreplace")
    except OSError as error:
        raise FileError(f"cannot write {path}: {error.strerror}") from None
