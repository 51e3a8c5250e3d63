# SPDX-License-Identifier: GPL-2.0-or-later
"""Common parts of the subcommands of `polltrace trace`: files, query, output formats."""

from __future__ import annotations

import argparse
import contextlib
import os
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from polltrace.printable import note
from polltrace.sqltrace.accounting import CLOCKS

if TYPE_CHECKING:
    from polltrace.sqltrace.database import TraceDatabase
    from polltrace.sqltrace.profile_question import ProfileQuestion


@contextlib.contextmanager
def open_traces(args: argparse.Namespace, files: Sequence[str] = ()) -> Iterator[TraceDatabase]:
    """The traces that are meant."""
    # Arrow loads NumPy, whose threads for matrices spin for a while on every processor.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # DuckDB and Arrow take a while to load, and help does not need them.
    from polltrace.sqltrace.database import TraceDatabase

    think_us, clock = round(args.think * 1e6), CLOCKS[args.clock]
    with TraceDatabase(files or args.file, think_us=think_us, clock=clock) as database:
        yield database


def tell(code: int, database: TraceDatabase) -> int:
    """Print remarks on the files on stderr; return the exit code."""
    from polltrace.sqltrace.accounting import remarks

    for remark in remarks(database.summaries):
        note(remark)
    return code


def question_of(args: argparse.Namespace) -> ProfileQuestion:
    from polltrace.sqltrace.profile_question import ProfileQuestion

    top = args.top if args.top is not None else 0 if args.json or args.csv else 10
    return ProfileQuestion(args.name, args.where, args.group, args.sort, top, args.alldepths)


def show(args: argparse.Namespace, data: Callable[[], Any], text: Callable[[], str]) -> None:
    from polltrace.sqltrace.profile_report import profile_csv

    if args.json:
        import json

        print(json.dumps(data(), indent=2, default=str))
    else:
        print(profile_csv(data()) if args.csv else text())
