# SPDX-License-Identifier: GPL-2.0-or-later
"""The response-time profile: calls by name, or by any expression, and how their durations spread.

Durations are whole microseconds and added as such, so sums are the same to the last digit however
a trace is cut into files, blocks and machines. Percentiles are exact, by the nearest rank: calls
are counted by group and duration first.
"""

from __future__ import annotations

import re
from typing import Any

from polltrace.errors import UsageError
from polltrace.sqltrace.columns import TIMES
from polltrace.sqltrace.counted_calls import CountedCalls
from polltrace.sqltrace.database import TraceDatabase
from polltrace.sqltrace.perl_expression import is_perl, quoted, to_sql
from polltrace.sqltrace.plain_profile import accepted_by, plain_profile
from polltrace.sqltrace.profile_question import CLASSES, Order, ProfileQuestion, order_of
from polltrace.sqltrace.relation import is_of_alike
from polltrace.sqltrace.spread import PERCENTILES, Spread, TraceProfile


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
    if question.name in CLASSES:
        terms.append(CLASSES[question.name])
    elif question.name.startswith(":"):
        raise UsageError(f"there is no class {question.name}: {', '.join(CLASSES)}")
    return " and ".join(terms)


def _of_name(question: ProfileQuestion) -> str:
    """The part that a name alone decides."""
    if not question.name or question.name.startswith(":"):
        return ""
    return f"regexp_matches(name, {quoted(question.name)}, 'i')"


def profile(database: TraceDatabase, question: ProfileQuestion) -> TraceProfile:
    """The answer, by one scan."""
    order = order_of(question.sort)
    counted = None
    where = sql_of(question.where) if question.where else ""
    if accepts := accepted_by(question, where, order):
        # A question without SQL takes no database, which takes longer to start than many a trace
        # to scan.
        counted = database.counted(recursive=question.all_depths)
        if result := plain_profile(counted, accepts, order, question.top):
            return result
    count_calls(database, question, counted)
    return _profile(database, _order_sql(order), question.top)


def count_calls(
    database: TraceDatabase, question: ProfileQuestion, counted: CountedCalls | None = None
) -> None:
    """Make the table `counted`: calls by group and duration, of `counted` where a scan has found
    them already."""
    group = sql_of(question.group) if question.group else "name"
    of_row = _of_row(question)
    if question.name != ":all" and is_of_alike(f"{group} {of_row}"):
        query = _counted(group, f"sum({TIMES.name})::bigint", _all(of_row, _of_name(question)))
        database.load_counted("counted", query, counted, recursive=question.all_depths)
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


def _order_sql(order: Order) -> str:
    column = order.column
    if column == "grouped":
        column = "try_cast(grouped as double)" if order.numeric else column
    else:
        column = f"coalesce({column}, 0)"
    return f"{column} {'desc' if order.descending else 'asc'}, grouped"


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


def _profile(database: TraceDatabase, order: str, top: int) -> TraceProfile:
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
    return TraceProfile(
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
