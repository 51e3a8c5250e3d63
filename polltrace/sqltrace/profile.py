# SPDX-License-Identifier: GPL-2.0-or-later
"""The response-time profile: calls by name, or by any expression, and how their durations spread.

Durations are whole microseconds and added as such, so sums are the same to the last digit however
a trace is cut into files, blocks and machines. Percentiles are exact, by the nearest rank: calls
are counted by group and duration first.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from polltrace.errors import UsageError
from polltrace.sqltrace.columns import TIMES
from polltrace.sqltrace.database import TraceDatabase
from polltrace.sqltrace.perl_expression import is_perl, quoted, to_sql
from polltrace.sqltrace.relation import is_of_alike

PERCENTILES = (0.5, 0.9, 0.99)
_CLASSES = {":all": "true", ":dbcall": "kind = 'call'", ":syscall": "kind = 'wait'"}
_COLUMNS = (
    "grouped",
    "duration",
    "duration",
    "calls",
    "mean",
    "least",
    "most",
    "p50",
    "p90",
    "p99",
)


@dataclass(frozen=True, slots=True)
class Spread:
    """How long the calls of a group took, in microseconds; None where the group has no call.

    group: its value; duration: their sum.
    """

    group: Any
    calls: int
    duration: int | None
    least: int | None
    most: int | None
    percentiles: tuple[int | None, ...] = ()


@dataclass(frozen=True, slots=True)
class ProfileQuestion:
    """name: a class or a pattern; where, group: SQL or mrskew's Perl; sort: mrskew's; top: groups
    that are listed, 0: all; all_depths: recursive calls too."""

    name: str = ""
    where: str = ""
    group: str = ""
    sort: str = "2nd"
    top: int = 10
    all_depths: bool = False


@dataclass(frozen=True, slots=True)
class Profile:
    """listed: the groups that are listed, in order; others: the rest as one, with their number in
    `hidden`; total: of all; numeric: whether groups are numbers."""

    listed: Sequence[Spread]
    others: Spread | None
    hidden: int
    total: Spread
    groups: int
    numeric: bool


def sql_of(expression: str) -> str:
    """An expression of a user as SQL."""
    return to_sql(expression) if is_perl(expression) else expression


def condition(question: ProfileQuestion) -> str:
    """SQL for the calls that are meant."""
    depth = "" if question.all_depths else "(kind <> 'call' or dep <= 0)"
    return _all(depth, _of_row(question), _of_name(question))


def _all(*terms: str) -> str:
    return " and ".join(term for term in terms if term) or "true"


def _of_row(question: ProfileQuestion) -> str:
    terms = []
    if question.where:
        terms.append(f"({sql_of(question.where)})")
    if question.name in _CLASSES:
        terms.append(_CLASSES[question.name])
    elif question.name.startswith(":"):
        raise UsageError(f"there is no class {question.name}: {', '.join(_CLASSES)}")
    return " and ".join(terms)


def _of_name(question: ProfileQuestion) -> str:
    """The part that a name alone decides."""
    if not question.name or question.name.startswith(":"):
        return ""
    return f"regexp_matches(name, {quoted(question.name)}, 'i')"


def profile(database: TraceDatabase, question: ProfileQuestion) -> Profile:
    """The answer, by one scan."""
    order = _order(question.sort)
    count_calls(database, question)
    return _profile(database, order, question.top)


def count_calls(database: TraceDatabase, question: ProfileQuestion) -> None:
    """Make the table `counted`: calls by group and duration."""
    group = sql_of(question.group) if question.group else "name"
    of_row = _of_row(question)
    if question.name != ":all" and is_of_alike(f"{group} {of_row}"):
        query = _counted(group, f"sum({TIMES.name})::bigint", _all(of_row, _of_name(question)))
        database.load("counted", query, counted=True, recursive=question.all_depths)
    else:
        # Other lines are rows too where every line is wanted, but no calls.
        calls = "count(*) filter (kind in ('call', 'wait'))"
        query = _counted(group, calls, condition(question))
        database.load("counted", query, lines=question.name == ":all")


def _counted(group: str, calls: str, where: str) -> str:
    return (
        f"select ({group}) as grouped, dur_us, {calls} as calls from calls where {where} "
        "group by all"
    )


def _order(sort: str) -> str:
    """SQL's order for `7nd` (column, numeric, descending), `1a`, or `no`."""
    if sort == "no":
        return "grouped"
    found = re.fullmatch(r"(\d+)(n?)([ad]?)", sort)
    if not found or not 1 <= int(found[1]) <= len(_COLUMNS):
        raise UsageError(
            f"--sort {sort}: a column from 1 to {len(_COLUMNS)}, then n for numeric, then a or d"
        )
    column = _COLUMNS[int(found[1]) - 1]
    if column == "grouped":
        column = "try_cast(grouped as double)" if found[2] else "grouped"
    else:
        column = f"coalesce({column}, 0)"
    return f"{column} {'desc' if found[3] == 'd' else 'asc'}, grouped"


def _percentiles(total: str) -> str:
    return ", ".join(
        f"min(dur_us) filter (reached >= ceil({part} * {total})) as p{round(100 * part)}"
        for part in PERCENTILES
    )


_SUMS = (
    "sum(dur_us * calls)::bigint as duration, sum(calls)::bigint as calls, "
    "sum(dur_us * calls) / nullif(sum(calls), 0) as mean, "
    "min(dur_us) as least, max(dur_us) as most"
)


def _profile(database: TraceDatabase, order: str, top: int) -> Profile:
    database.execute(
        "create or replace temp table spread as with reached as (select *, "
        "sum(calls) over (partition by grouped order by dur_us) as reached, "
        "sum(calls) over (partition by grouped) as everything from counted) "
        f"select grouped, {_SUMS}, {_percentiles('everything')} from reached group by grouped"
    )
    database.execute(
        "create or replace temp table ranked as "
        f"select *, row_number() over (order by {order}) as place from spread"
    )
    groups = database.rows("select count(*) as n, any_value(typeof(grouped)) as kind from spread")[
        0
    ]
    listed = database.rows(f"select * from ranked where place <= {top or 1 << 62} order by place")
    hidden = groups["n"] - len(listed)
    return Profile(
        [_spread(row) for row in listed],
        _others(database, top) if hidden else None,
        hidden,
        _total(database),
        groups["n"],
        bool(
            re.match(
                r"(U?(TINY|SMALL|BIG|HUGE)?INT|INTEGER|DOUBLE|FLOAT|DECIMAL)", str(groups["kind"])
            )
        ),
    )


def _others(database: TraceDatabase, top: int) -> Spread:
    row = database.rows(
        "select null as grouped, sum(duration)::bigint as duration, sum(calls)::bigint as calls, "
        "min(least) as least, max(most) as most, null as p50, null as p90, null as p99 "
        f"from ranked where place > {top}"
    )[0]
    return _spread(row)


def _total(database: TraceDatabase) -> Spread:
    row = database.rows(
        "with by_duration as (select dur_us, sum(calls) as calls from counted group by dur_us), "
        "reached as (select *, sum(calls) over (order by dur_us) as reached, "
        "sum(calls) over () as everything from by_duration) "
        f"select null as grouped, {_SUMS}, {_percentiles('everything')} from reached"
    )[0]
    return _spread(row)


def _spread(row: dict[str, Any]) -> Spread:
    calls = int(row["calls"] or 0)
    return Spread(
        row["grouped"],
        calls,
        int(row["duration"] or 0) if calls else None,
        row["least"] if calls else None,
        row["most"] if calls else None,
        tuple(row[f"p{round(100 * part)}"] if calls else None for part in PERCENTILES),
    )
