# SPDX-License-Identifier: GPL-2.0-or-later
from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path

from polltrace.commands.export_parquet import ExportParquet, export_parquet
from polltrace.commands.export_prometheus import ExportPrometheus
from polltrace.commands.recorded import recording_path
from polltrace.errors import UsageError
from polltrace.grammar import Form, description, summary

# The forms by the word after `export`.
_FORMS: Mapping[str, type[Form]] = {"parquet": ExportParquet, "prometheus": ExportPrometheus}


class Export:
    """Export a recording as Parquet, or serve metrics.

    `export parquet FILE OUT`, or `export --parquet FILE OUT`, writes a recording as tables;
    `export prometheus` serves metrics.
    """

    group = "keep"
    examples = (
        ("parquet night.polltrace night/", "write the tables of a recording to a folder"),
        ("prometheus --listen 127.0.0.1:9417", "serve this host's metrics"),
    )

    def prepare_parser(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument(
            "--parquet", nargs=2, metavar=("FILE", "OUT"), help="the same as 'parquet FILE OUT'"
        )
        forms = parser.add_subparsers(dest="form", metavar="FORM")
        for name, form in _FORMS.items():
            form_command = form()
            sub = forms.add_parser(
                name, help=summary(form_command), description=description(form_command)
            )
            form_command.prepare_parser(sub)
            sub.set_defaults(run_form=form_command.run)

    def run(self, args: argparse.Namespace) -> int:
        if args.parquet and args.form is None:
            file, out = args.parquet
            return export_parquet(recording_path(file), Path(out))
        if args.form is None or args.parquet:
            raise UsageError(f"choose a format: {', '.join(_FORMS)}")
        code: int = args.run_form(args)
        return code
