# SPDX-License-Identifier: GPL-2.0-or-later
from __future__ import annotations

import argparse
from pathlib import Path

from polltrace.commands.output import add_json_argument, show
from polltrace.errors import FileError
from polltrace.file_reports import file_format
from polltrace.scenarios.analyse.comparison import Comparison, compare
from polltrace.scenarios.analyse.run_file import figures_of, read_run
from polltrace.scenarios.load import load_file
from polltrace.scenarios.load.load_comparison import compare_loads
from polltrace.scenarios.load.load_result import load_result
from polltrace.scenarios.report.comparison_report import (
    comparison_data,
    comparison_junit,
    comparison_markdown,
    comparison_text,
)

DEFAULT_MARGIN_PCT = 5.0


class Compare:
    """Compare a run or a load with an earlier one; code 1 on regression.

    For a CI job: run a scenario before and after a database upgrade, a driver upgrade or a change
    of sqlnet.ora, on one host, the second by 'polltrace run --like BASE'.
    """

    group = "experiment"
    examples = (
        ("before.run.jsonl after.run.jsonl", "exit code 1 where something became slower"),
        (
            "before.run.jsonl after.run.jsonl --margin 10 --junit out.xml",
            "for a CI job that tolerates 10 %",
        ),
    )

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
        add_json_argument(parser)

    def run(self, args: argparse.Namespace) -> int:
        with figures_of(args.base, args.new):
            comparison = _compared(args.base, args.new, args.margin / 100)
            _write(args, comparison)
        return 1 if comparison.regressed else 0


def _write(args: argparse.Namespace, comparison: Comparison) -> None:
    for path, render in (
        (args.junit, comparison_junit),
        (args.markdown, comparison_markdown),
    ):
        if path is not None:
            try:
                path.write_text(render(comparison), encoding="utf-8")
            except OSError as error:
                raise FileError(f"cannot write {path}: {error.strerror}") from None
    show(args.json, lambda: comparison_data(comparison), lambda: comparison_text(comparison))


def _compared(base: Path, new: Path, margin: float) -> Comparison:
    if file_format(base) == file_format(new) == load_file.FORMAT:
        base_load, new_load = (load_result(load_file.read_load(path)) for path in (base, new))
        return compare_loads(base_load, new_load, margin)
    return compare(read_run(base), read_run(new), margin)


def _per_cent(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1000:
        raise argparse.ArgumentTypeError(f"{text!r} is not a percentage from 0 to 1000")
    return value
