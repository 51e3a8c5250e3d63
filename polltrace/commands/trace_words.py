# SPDX-License-Identifier: GPL-2.0-or-later
"""The words that `polltrace trace` takes before its files, each a function from its arguments."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping

from polltrace.commands.traced import open_traces, question_of, show, tell
from polltrace.errors import FileError, UsageError
from polltrace.printable import note


def _statements(args: argparse.Namespace) -> int:
    from polltrace.sqltrace.statements import statements, statements_text

    args.alldepths = True  # their times are exclusive, so nothing is counted twice
    with open_traces(args) as database:
        rows = statements(database, question_of(args), force_match=args.force_match)
        show(args, lambda: {"rows": rows}, lambda: statements_text(rows))
        return tell(0 if rows else 1, database)


def _client(args: argparse.Namespace) -> int:
    from polltrace.sqltrace.query import rows_text
    from polltrace.sqltrace.round_trips import client_waits

    with open_traces(args) as database:
        waits = client_waits(database, question_of(args), args.think)
        suggested = waits["suggested_threshold_s"]
        hint = (
            "The histogram shows no think time."
            if suggested is None
            else f"By the histogram, think time begins at about {suggested:.2g} s."
        )
        about = f"Waits from {args.think:g} s on are think time (--think). {hint}"
        show(args, lambda: waits, lambda: f"{rows_text(waits['rows'])}\n\n{about}")
        return tell(0 if waits["rows"] else 1, database)


def _fetches(args: argparse.Namespace) -> int:
    from polltrace.sqltrace.query import rows_text
    from polltrace.sqltrace.round_trips import fetch_sizes, saved_text

    with open_traces(args) as database:
        rows = fetch_sizes(database, question_of(args), args.array_size, args.think)
        show(
            args,
            lambda: {"rows": rows, "array_size": args.array_size},
            lambda: f"{rows_text(rows)}\n\n{saved_text(rows, args.array_size)}",
        )
        return tell(0 if rows else 1, database)


def _gaps(args: argparse.Namespace) -> int:
    from polltrace.sqltrace.query import rows_text
    from polltrace.sqltrace.round_trips import gaps

    with open_traces(args) as database:
        rows = gaps(database, question_of(args))
        show(args, lambda: {"rows": rows}, lambda: rows_text(rows))
        return tell(0 if rows else 1, database)


def _binds(args: argparse.Namespace) -> int:
    from polltrace.sqltrace.bound_sql import executions

    if args.json or args.csv:
        raise UsageError("trace binds prints SQL")
    count = 0
    args.alldepths = True
    with open_traces(args) as database:
        for count, script in enumerate(executions(database, question_of(args)), 1):  # noqa: B007
            print(script)
        return tell(0 if count else 1, database)


def _experiences(args: argparse.Namespace) -> int:
    from dataclasses import asdict

    from polltrace.sqltrace.call_tree import experiences
    from polltrace.sqltrace.query import rows_text

    args.alldepths = True
    with open_traces(args) as database:
        rows = [asdict(experience) for experience in experiences(database, question_of(args))]
        show(args, lambda: {"rows": rows}, lambda: rows_text(rows))
        return tell(0 if rows else 1, database)


def _calls(args: argparse.Namespace) -> int:
    from polltrace.sqltrace.call_tree import (
        call_forest,
        check_depth,
        experiences,
        tree_data,
        tree_lines,
    )
    from polltrace.sqltrace.perl_expression import quoted

    if "-" in args.file:
        raise UsageError("trace calls reads its file twice: it cannot be stdin")
    args.alldepths = True
    with open_traces(args) as database:
        longest = [] if args.experience else experiences(database, question_of(args))
        if not args.experience and not longest:
            note("no calls match")
            return 1
        line = args.experience or longest[0].line
        where = f"experience_id = {line}"
        if longest:
            where += f" and file = {quoted(longest[0].file)}"
        forest = call_forest(database, where, binds=True)
        calls = [call for session_calls in forest.values() for call in session_calls]
        check_depth(calls)
        title = f"{'BEGAN':>14} {'LINE':>9} {'ELAPSED':>13}  CALL"
        show(
            args,
            lambda: {"rows": [tree_data(call) for call in calls]},
            lambda: "\n".join([title, *tree_lines(calls)]),
        )
        return tell(0 if calls else 1, database)


def _diff(args: argparse.Namespace) -> int:
    from polltrace.sqltrace.diff import difference
    from polltrace.sqltrace.query import rows_text

    if len(args.file) != 2:
        raise UsageError("trace diff takes two: files, folders or patterns")
    with open_traces(args, args.file[:1]) as first, open_traces(args, args.file[1:]) as second:
        rows = difference(first, second, question_of(args))
        show(args, lambda: {"rows": rows}, lambda: rows_text(rows))
        tell(0, first)
        return tell(0 if rows else 1, second)


def _crop(args: argparse.Namespace) -> int:
    from polltrace.sqltrace.crop import crop

    if len(args.file) != 1 or args.file[0] == "-" or not args.output:
        raise UsageError("trace crop takes one FILE and -o OUT")
    args.alldepths = True
    count = crop(args.file[0], question_of(args), args.output)
    note(f"{args.output}: {count:,} calls")
    return 0 if count else 1


def _page(args: argparse.Namespace) -> int:
    from polltrace.sqltrace.page import trace_page

    if "-" in args.file or not args.output:
        raise UsageError("trace page takes -o OUT, and files that it can read again")
    with open_traces(args) as database:
        title = f"SQL trace: {', '.join(args.file[:3])}{' …' if len(args.file) > 3 else ''}"
        page = trace_page(database, question_of(args), title)
        try:
            args.output.write_text(page, "utf-8")
        except OSError as error:
            raise FileError(f"cannot write {args.output}: {error.strerror}") from None
        note(str(args.output))
        return tell(0, database)


def _files(args: argparse.Namespace) -> int:
    from polltrace.sqltrace.query import file_rows, rows_text

    with open_traces(args) as database:
        rows = file_rows(database)
        show(args, lambda: {"rows": rows}, lambda: rows_text(rows))
        return tell(0 if rows else 1, database)


WORDS: Mapping[str, Callable[[argparse.Namespace], int]] = {
    "statements": _statements,
    "experiences": _experiences,
    "calls": _calls,
    "client": _client,
    "fetches": _fetches,
    "gaps": _gaps,
    "binds": _binds,
    "diff": _diff,
    "crop": _crop,
    "page": _page,
    "files": _files,
}
