# SPDX-License-Identifier: GPL-2.0-or-later
from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import TYPE_CHECKING

from polltrace.commands.arguments import duration, whole_number
from polltrace.commands.mrskew_options import without_mrskew_forms
from polltrace.commands.trace_words import WORDS
from polltrace.commands.traced import open_traces, question_of, show, tell
from polltrace.errors import UsageError
from polltrace.grammar import Parser, path
from polltrace.printable import note
from polltrace.sqltrace.accounting import CLOCKS

if TYPE_CHECKING:
    from polltrace.sqltrace.database import TraceDatabase


class Trace:
    """Profile Oracle's extended SQL traces by response time.

    FILE is a trace file (also .gz, .zst), a folder of them, a pattern, or - for stdin. Without
    other options, calls are listed by name, and add up to the elapsed time. A first word can ask
    for more: statements (TKPROF's table), experiences, calls (one experience as a tree), client
    (network and think time), fetches (the saving of another array size), gaps, binds (executions
    as SQL), diff A B, crop (a part of a file), page (timeline and flame graph as HTML); files lists
    the facts about each file. A file of such a name is ./NAME.

    EXPR is SQL over the
    columns that docs/tasks/trace.md lists (name, dur, af, e, c, ela, dep, sqlid, sql, rows, line,
    …), or an expression of mrskew's with its $variables.
    """

    group = "decide"
    ends_at_once = True
    examples = (
        ("trace/", "where the time of all sessions went, by call name"),
        ("--where 'dur < 0.7' --group sqlid trace/*.trc", "by statement, think time left out"),
        ("--name 'message from client' --histogram app.trc", "how long round trips took"),
        (
            "statements app.trc --top 5",
            "the five statements that took longest, with waits and plans",
        ),
        ("client trace/*.trc", "is it the network, or do users think?"),
        ("page app.trc -o app.html", "timeline and flame graph in one file"),
        ("diff before.trc after.trc", "what takes longer now"),
        ("--sql 'select service, sum(dur) from calls group by 1' app.trc.gz", "ask in SQL"),
    )

    def prepare_parser(self, parser: argparse.ArgumentParser) -> None:
        if isinstance(parser, Parser):
            parser.intermixed = "file"
            parser.rewrite = lambda words: without_mrskew_forms(words, _long_options(parser))
        parser.add_argument(
            "file", nargs="*", metavar="[WORD] FILE", help="trace files, folders, or -"
        )
        parser.add_argument(
            "--name",
            default="",
            metavar="PATTERN",
            help="calls of these names only: a regular expression, :dbcall, :syscall, or :all for "
            "every line",
        )
        parser.add_argument("--where", default="", metavar="EXPR", help="calls that it is true of")
        parser.add_argument("--group", default="", metavar="EXPR", help="instead of by name")
        parser.add_argument("--group-label", "--gl", default="", metavar="TEXT", help="its title")
        parser.add_argument(
            "--sort", default="2nd", metavar="KEY", help="column, n(umeric), a or d (default: 2nd)"
        )
        parser.add_argument(
            "--top",
            type=whole_number(0, 1 << 31),
            metavar="N",
            help="groups that are listed, 0: all (default: 10; all with --json and --csv)",
        )
        parser.add_argument(
            "--alldepths", action="store_true", help="recursive calls too; their time is twice then"
        )
        parser.add_argument(
            "--histogram",
            action="store_const",
            const="p10",
            help="by duration, in powers of ten",
        )
        parser.add_argument(
            "--log-linear",
            action="store_const",
            const="log-linear",
            dest="histogram",
            help="by duration, in tenths of powers of ten",
        )
        parser.add_argument("--sql", metavar="QUERY", help="the answer to SQL over calls, files")
        parser.add_argument("--parquet", type=path, metavar="OUT", help="write the calls to a file")
        parser.add_argument("--json", action="store_true", help="the same as data")
        parser.add_argument("--csv", action="store_true", help="the same as CSV")
        parser.add_argument(
            "--think",
            type=duration,
            default=1.0,
            metavar="TIME",
            help="a wait for the client from here on is its user's (default: 1s)",
        )
        parser.add_argument("-o", "--output", type=path, metavar="OUT", help="file (crop, page)")
        parser.add_argument(
            "--force-match", action="store_true", help="texts without literals are one (statements)"
        )
        parser.add_argument(
            "--array-size",
            type=whole_number(1, 1_000_000),
            default=100,
            metavar="N",
            help="rows a fetch could bring (fetches; default: 100)",
        )
        parser.add_argument(
            "--experience",
            type=whole_number(1, 1 << 60),
            metavar="LINE",
            help="the line where it begins (calls; default: the longest one)",
        )
        parser.add_argument(
            "--clock",
            choices=list(CLOCKS),
            default="auto",
            help="microseconds per unit of tim: 10000 for 8i (default: as the file shows)",
        )

    def run(self, args: argparse.Namespace) -> int:
        word = WORDS.get(args.file[0]) if args.file else None
        if word:
            args.file = args.file[1:]
        if not args.file:
            raise UsageError("trace: name a trace file, a folder, or - for stdin")
        if word and (args.sql or args.parquet or args.histogram):
            raise UsageError(
                "--sql, --parquet and --histogram ask of all calls: leave out the word"
            )
        if word:
            return word(args)
        with open_traces(args) as database:
            return tell(_form(args)(database, args), database)


def _long_options(parser: argparse.ArgumentParser) -> set[str]:
    return {name for name in parser._option_string_actions if name.startswith("--")}


def _form(args: argparse.Namespace) -> Callable[[TraceDatabase, argparse.Namespace], int]:
    chosen = [
        form
        for option, form in (
            (args.sql, _sql),
            (args.parquet, _parquet),
            (args.histogram, _histogram),
        )
        if option
    ]
    if len(chosen) > 1 or (args.json and args.csv):
        raise UsageError("choose one of --sql, --parquet, --histogram, and one of --json, --csv")
    return chosen[0] if chosen else _profile


def _profile(database: TraceDatabase, args: argparse.Namespace) -> int:
    from polltrace.sqltrace.accounting import accounting, not_understood
    from polltrace.sqltrace.profile import profile
    from polltrace.sqltrace.profile_report import (
        DEFAULT_LABEL,
        profile_data,
        profile_text,
    )

    question = question_of(args)
    result = profile(database, question)
    is_complete = not (args.name or args.where or args.alldepths)
    account = accounting(result.total.duration or 0, database.summaries) if is_complete else None
    label = args.group_label or args.group or DEFAULT_LABEL
    show(
        args,
        lambda: profile_data(
            result, account, not_understood(database.summaries), "group" if args.group else "name"
        ),
        lambda: profile_text(result, label, account),
    )
    return _matched(result.groups)


def _matched(groups: int) -> int:
    if not groups:
        note("no calls match")
    return 0 if groups else 1


def _histogram(database: TraceDatabase, args: argparse.Namespace) -> int:
    from polltrace.sqltrace.accounting import not_understood
    from polltrace.sqltrace.histogram import histogram
    from polltrace.sqltrace.profile_report import histogram_text, profile_data

    if args.group:
        raise UsageError("--histogram groups by duration: leave out --group")
    ranges, result = histogram(database, question_of(args), args.histogram)
    show(
        args,
        lambda: profile_data(result, None, not_understood(database.summaries), "group", ranges),
        lambda: histogram_text(ranges, result),
    )
    return _matched(result.total.calls)


def _sql(database: TraceDatabase, args: argparse.Namespace) -> int:
    from polltrace.sqltrace.accounting import not_understood
    from polltrace.sqltrace.query import answer, rows_text

    rows = answer(database, args.sql)
    show(
        args,
        lambda: {"rows": rows, "not_understood": not_understood(database.summaries)},
        lambda: rows_text(rows),
    )
    return 0


def _parquet(database: TraceDatabase, args: argparse.Namespace) -> int:
    from polltrace.sqltrace.query import write_parquet

    count = write_parquet(database, question_of(args), args.parquet)
    note(f"{args.parquet}: {count:,} calls")
    return 0
