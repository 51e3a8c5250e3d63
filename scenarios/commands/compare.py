# SPDX-License-Identifier: GPL-2.0-or-later
from __future__ import annotations

import argparse
import json
from pathlib import Path

from polltrace.errors import UsageError
from scenarios.comparison import compare
from scenarios.comparison_report import (
    comparison_data,
    comparison_junit,
    comparison_markdown,
    comparison_text,
)
from scenarios.run_file import read_run

DEFAULT_MARGIN_PCT = 5.0


class Compare:
    """Hold a run against an earlier one; exit code 1 where something regressed.

    For a CI job: run a scenario before and after a database upgrade, a driver upgrade or a change
    of sqlnet.ora, on one host, the second by 'polltrace run --like BASE'.
    """

    def prepare_parser(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("base", type=Path, metavar="BASE")
        parser.add_argument("new", type=Path, metavar="NEW")
        parser.add_argument(
            "--margin",
            type=_per_cent,
            default=DEFAULT_MARGIN_PCT,
            metavar="PERCENT",
            help="growth that is no regression yet (default: %(default)s)",
        )
        parser.add_argument("--junit", type=Path, metavar="FILE", help="JUnit XML as well")
        parser.add_argument("--markdown", type=Path, metavar="FILE", help="Markdown as well")
        parser.add_argument("--json", action="store_true", help="the same as data")

    def run(self, args: argparse.Namespace) -> int:
        comparison = compare(read_run(args.base), read_run(args.new), args.margin / 100)
        for path, render in (
            (args.junit, comparison_junit),
            (args.markdown, comparison_markdown),
        ):
            if path is not None:
                try:
                    path.write_text(render(comparison))
                except OSError as error:
                    raise UsageError(f"cannot write {path}: {error.strerror}") from None
        if args.json:
            print(json.dumps(comparison_data(comparison), indent=2))
        else:
            print(comparison_text(comparison))
        return 1 if comparison.regressed else 0


def _per_cent(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1000:
        raise argparse.ArgumentTypeError(f"{text!r} is not a percentage from 0 to 1000")
    return value
