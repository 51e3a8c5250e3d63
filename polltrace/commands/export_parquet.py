# SPDX-License-Identifier: GPL-2.0-or-later
from __future__ import annotations

import argparse
from pathlib import Path

from polltrace.commands.recorded import HELP, recording_path
from polltrace.printable import note
from polltrace.recording.fold import read
from polltrace.recording.parquet import write_parquet
from polltrace.recording.summary import summary


class ExportParquet:
    """Write a recording as tidy tables in Parquet, for DuckDB, Spark and the like.

    OUT is a folder: processes, intervals (each process over time), stacks, gaps. Columns are
    documented in docs/reference/parquet.md and, with their units, in the files. Needs pyarrow
    (pip install 'polltrace[parquet]').
    """

    def prepare_parser(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("file", type=recording_path, metavar="FILE", help=HELP)
        parser.add_argument("out", type=Path, metavar="OUT", help="a folder, created if necessary")

    def run(self, args: argparse.Namespace) -> int:
        return export_parquet(args.file, args.out)


def export_parquet(file: Path, out: Path) -> int:
    """Write the tables, and name their files on stderr; return the exit code."""
    for path in write_parquet(summary(read(file)), out):
        note(str(path))
    return 0
