# SPDX-License-Identifier: GPL-2.0-or-later
"""Waits for the client: the parts of the network and of its user."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from polltrace.sqltrace.database import TraceDatabase
from polltrace.sqltrace.profile import condition
from polltrace.sqltrace.profile_question import ProfileQuestion

FROM_CLIENT = "SQL*Net message from client"
# Fewer than these are no ground for a suggestion.
_FEWEST = 20
_SHORTEST_US, _LONGEST_US = 10_000, 60_000_000


def suggested_threshold(counts: Mapping[int, int]) -> float | None:
    """The shortest think time in seconds: the middle of the widest valley of the waits.

    `counts` are calls by the tenth of a power of ten, of microseconds. A valley is a run of tenths
    that hold fewer than a thousandth of the calls, from 10 ms to 60 s, with calls above. None
    where there is none.
    """
    calls = sum(counts.values())
    if calls < _FEWEST:
        return None
    low, high = _tenth(_SHORTEST_US), _tenth(_LONGEST_US)
    best: tuple[int, int] | None = None
    begin = low
    for tenth in range(low, high + 1):
        if counts.get(tenth, 0) * 1000 >= calls:
            begin = tenth + 1
        elif any(count_tenth > tenth for count_tenth in counts) and (
            not best or tenth - begin > best[1] - best[0]
        ):
            best = (begin, tenth)
    return float(10 ** ((best[0] + best[1] + 1) / 20 - 6)) if best else None


def _tenth(us: int) -> int:
    return int(math.log10(us) * 10)


def client_waits(
    database: TraceDatabase, question: ProfileQuestion, think_s: float
) -> dict[str, Any]:
    """Round trips by client, and waits shorter and longer than `think_s`; in seconds."""
    database.load(
        "of_clients",
        "select coalesce(nullif(client_id, ''), nullif(module, ''), service, '') as client, "
        f"dur_us, count(*) as calls from calls where name = '{FROM_CLIENT}' "
        f"and {condition(question)} group by all",
    )
    limit = round(think_s * 1e6)
    rows = database.rows(
        f"with split as (select *, dur_us < {limit} as quick, sum(calls) over "
        f"(partition by client, dur_us < {limit} order by dur_us) as reached, sum(calls) over "
        f"(partition by client, dur_us < {limit}) as everything from of_clients) "
        "select client, coalesce(sum(calls) filter (quick), 0)::bigint as round_trips, "
        "coalesce(sum(dur_us * calls) filter (quick), 0) * 1e-6 as network_s, "
        "min(dur_us) filter (quick and reached >= ceil(0.5 * everything)) * 1e-6 as p50_s, "
        "min(dur_us) filter (quick and reached >= ceil(0.99 * everything)) * 1e-6 as p99_s, "
        "coalesce(sum(calls) filter (not quick), 0)::bigint as thinks, "
        "coalesce(sum(dur_us * calls) filter (not quick), 0) * 1e-6 as think_s "
        "from split group by client order by network_s desc, client "
        f"limit {question.top or 1 << 62}"
    )
    tenths = database.rows(
        "select floor(log10(greatest(dur_us, 1)) * 10)::bigint as tenth, sum(calls)::bigint as n "
        "from of_clients group by 1"
    )
    suggestion = suggested_threshold({row["tenth"]: row["n"] for row in tenths})
    return {"rows": rows, "threshold_s": think_s, "suggested_threshold_s": suggestion}


def fetch_sizes(
    database: TraceDatabase, question: ProfileQuestion, array_size: int, think_s: float
) -> list[dict[str, Any]]:
    """Fetches and rows by statement, and the round trips that another array size would save.

    A result of n rows takes n // size + 1 fetches, one at least; the time that a round trip takes
    is the statement's own mean wait for the client below `think_s`.
    """
    database.load(
        "fetched",
        "select sqlid, any_value(substr(sql, 1, 60)) as sql, file, exec_id, "
        "count(*) filter (name = 'FETCH') as fetches, "
        "coalesce(sum(r) filter (name = 'FETCH'), 0) as rows, "
        f"count(*) filter (name = '{FROM_CLIENT}' and dur < {think_s!r}) as trips, "
        f"coalesce(sum(dur_us) filter (name = '{FROM_CLIENT}' and dur < {think_s!r}), 0) as waited "
        f"from calls where {condition(question)} group by sqlid, file, exec_id",
    )
    return database.rows(
        "select sqlid, any_value(sql) as sql, count(*) as executions, "
        "sum(fetches)::bigint as fetches, sum(rows)::bigint as rows, "
        "sum(rows) / sum(fetches) as rows_per_fetch, "
        f"sum(greatest(fetches - (rows // {array_size} + 1), 0))::bigint as saved_trips, "
        "sum(waited) / nullif(sum(trips), 0) * 1e-6 as trip_s, "
        f"sum(greatest(fetches - (rows // {array_size} + 1), 0)) * "
        "coalesce(sum(waited) / nullif(sum(trips), 0), 0) * 1e-6 as saved_s "
        "from fetched where fetches > 0 group by sqlid order by saved_s desc, sqlid "
        f"limit {question.top or 1 << 62}"
    )


def gaps(database: TraceDatabase, question: ProfileQuestion) -> list[dict[str, Any]]:
    """Intervals that no record covers: file, next line, session, seconds."""
    database.load(
        "spans",
        "select file, line, sid, serial, pid, name, tim_us, "
        "tim_us - coalesce(case when kind = 'wait' then ela_us else e_us end, 0) as begun "
        f"from calls where kind in ('call', 'wait') and tim_us is not null "
        f"and {condition(question)}",
    )
    return database.rows(
        "with reached as (select *, max(tim_us) over (partition by file, pid, sid, serial "
        "order by begun, line rows between unbounded preceding and 1 preceding) as before "
        "from spans) select file, line, sid, name as next_call, "
        "(begun - before) * 1e-6 as gap_s from reached "
        f"where begun > before order by gap_s desc, file, line limit {question.top or 1 << 62}"
    )


def saved_text(rows: Sequence[Mapping[str, Any]], array_size: int) -> str:
    """The sum below the table."""
    saved = sum(row["saved_s"] for row in rows)
    return f"An array size of {array_size} would save {saved:,.6f} s of waits in these statements."
