# SPDX-License-Identifier: GPL-2.0-or-later
from __future__ import annotations

import argparse

from polltrace.commands.export_prometheus import ExportPrometheus

# By the word after `export`; each is built as a verb is.
_FORMS = {"prometheus": ExportPrometheus}


class Export:
    """Hand what was seen on to other programs: `export prometheus` serves metrics."""

    def prepare_parser(self, parser: argparse.ArgumentParser) -> None:
        forms = parser.add_subparsers(dest="form", metavar="FORM", required=True)
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
        code: int = args.run_form(args)
        return code
