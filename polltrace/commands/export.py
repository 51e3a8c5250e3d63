# SPDX-License-Identifier: GPL-2.0-or-later
from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path

from polltrace.cli import Command
from polltrace.commands.export_parquet import ExportParquet, export_parquet
from polltrace.commands.export_prometheus import ExportPrometheus
from polltrace.commands.recorded import recording_path
from polltrace.errors import UsageError

# By the word after `export`; each is built as a verb is.
_FORMS: Mapping[str, type[Command]] = {"parquet": ExportParquet, "prometheus": ExportPrometheus}


class Export:
    """Hand what was seen on to other programs.

    `export parquet FILE OUT`, or `export --parquet FILE OUT`, writes a recording as tables;
    `export prometheus` serves metrics.
    """

    def prepare_parser(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument(
            "--parquet", nargs=2, metavar=("FILE", "OUT"), help="the same as 'parquet FILE OUT'"
        )
        forms = parser.add_subparsers(dest="form", metavar="FORM")
        for name, form in _FORMS.items():
            made = form()
            text = (made.__doc__ or "").strip()
            sub = forms.add_parser(
                name,
                help=text.partition("\n")[0],
                description=text,
                formatter_class=argparse.RawDescriptionHelpFormatter,
            )
            made.prepare_parser(sub)
            sub.set_defaults(run_form=made.run)

    def run(self, args: argparse.Namespace) -> int:
        if args.parquet and args.form is None:
            file, out = args.parquet
            return export_parquet(recording_path(file), Path(out))
        if args.form is None or args.parquet:
            raise UsageError(f"say in which form: {', '.join(_FORMS)}")
        code: int = args.run_form(args)
        return code
