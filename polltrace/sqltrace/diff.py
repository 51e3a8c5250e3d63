# SPDX-License-Identifier: GPL-2.0-or-later
"""Two traces side by side, by name or by any expression."""

from __future__ import annotations

from typing import Any

from polltrace.sqltrace.database import TraceDatabase
from polltrace.sqltrace.profile import count_calls
from polltrace.sqltrace.profile_question import ProfileQuestion


def difference(
    first: TraceDatabase, second: TraceDatabase, question: ProfileQuestion
) -> list[dict[str, Any]]:
    """Calls, seconds and means of both by group, and how many seconds more the second took;
    the largest differences first. A group of one alone has no call in the other."""
    sides = [_by_group(database, question) for database in (first, second)]
    rows: list[dict[str, Any]] = []
    for group in {**sides[0], **sides[1]}:
        (calls_a, us_a), (calls_b, us_b) = (side.get(group, (0, 0)) for side in sides)
        rows.append(
            {
                "group": "" if group is None else group,
                "calls_a": calls_a,
                "calls_b": calls_b,
                "duration_a_s": us_a / 1e6,
                "duration_b_s": us_b / 1e6,
                "difference_s": (us_b - us_a) / 1e6,
                "mean_a_s": us_a / calls_a / 1e6 if calls_a else None,
                "mean_b_s": us_b / calls_b / 1e6 if calls_b else None,
            }
        )
    rows.sort(key=lambda row: (-abs(row["difference_s"]), str(row["group"])))
    return rows[: question.top or None]


def _by_group(database: TraceDatabase, question: ProfileQuestion) -> dict[Any, tuple[int, int]]:
    count_calls(database, question)
    rows = database.rows(
        "select grouped, sum(calls)::bigint as calls, "
        "coalesce(sum(dur_us * calls), 0)::bigint as us from counted group by grouped"
    )
    return {row["grouped"]: (row["calls"], row["us"]) for row in rows}
