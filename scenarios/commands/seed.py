# SPDX-License-Identifier: GPL-2.0-or-later
from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

from polltrace.commands.output import add_json_argument, show
from polltrace.scenarios.commands.run import Run, executed
from polltrace.scenarios.report.run.text import run_failed
from polltrace.scenarios.seeds.documents import DOCUMENTS, Document
from polltrace.scenarios.seeds.figures import FigureRow, rows_of


class Seed:
    """Repeat the experiment of a published document on the lab.

    Prints the author's figures next to ours, with the reason for each difference. Exit code 1: the
    run contradicts the expectations of its scenario.
    """

    group = "experiment"
    examples = (
        ("002 --quick", "the break polling experiment, in under a minute"),
        ("004 -o links.run.jsonl", "rows over a database link, with the run kept"),
    )

    def prepare_parser(self, parser: argparse.ArgumentParser) -> None:
        listed = "; ".join(f"{number}: {document.title}" for number, document in DOCUMENTS.items())
        parser.add_argument(
            "document", choices=list(DOCUMENTS), metavar="DOCUMENT", help=listed.replace("%", "%%")
        )
        parser.add_argument("--quick", action="store_true", help="one block, in under a minute")
        parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="the run's file")
        add_json_argument(parser)

    def run(self, args: argparse.Namespace) -> int:
        document = DOCUMENTS[args.document]
        result, path = executed(_run_arguments(document, args.quick, args.output))
        rows = rows_of(document.figures, result)
        show(
            args.json,
            lambda: {
                "title": document.title,
                "figures": [asdict(row) for row in rows],
                "not_repeated": document.not_repeated,
                "file": str(path),
            },
            lambda: "\n".join(_text(document, rows, path)),
        )
        return 1 if run_failed(result) else 0


def _run_arguments(document: Document, quick: bool, output: Path | None) -> argparse.Namespace:
    only = (quick and document.quick_only) or document.only
    words = [document.scenario, "--only", only]
    words += ["--quick", "--repeats", "1"] if quick else []
    words += ["-o", str(output)] if output else []
    parser = argparse.ArgumentParser()
    Run().prepare_parser(parser)
    return parser.parse_args(words)


def _text(document: Document, rows: Sequence[FigureRow], path: Path) -> Iterator[str]:
    yield document.title
    yield ""
    for row in rows:
        yield row.quantity
        yield f"  author {row.author}; here {row.here}"
        if row.reason:
            yield f"  Reason for a difference: {row.reason}."
    yield ""
    if document.not_repeated:
        yield f"Not repeated: {document.not_repeated}."
    yield f"Saved in {path}: 'polltrace report {path}' has the whole run."
