# SPDX-License-Identifier: GPL-2.0-or-later
"""TKPROF's table of each statement, with percentiles: exclusive times, waits, the plan's rows."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from polltrace.sqltrace.database import TraceDatabase
from polltrace.sqltrace.profile import condition
from polltrace.sqltrace.profile_question import ProfileQuestion
from polltrace.sqltrace.query import rows_text

_CALLS = ("PARSE", "EXEC", "FETCH", "CLOSE")
_NUMBER = r"(\d{1,18})"
# "r=" and "w=": 9i.
_PLAN = re.compile(
    rf"id={_NUMBER} cnt={_NUMBER} pid={_NUMBER} .*?op='(.*?) "
    rf"\(cr={_NUMBER} p?r={_NUMBER} p?w={_NUMBER} (?:str=\d+ )?time={_NUMBER} us"
)


def statements(
    database: TraceDatabase, question: ProfileQuestion, *, force_match: bool
) -> list[dict[str, Any]]:
    """A dict for each statement, those of the longest elapsed time first; times in seconds.

    A statement has one SQL id; with `force_match`, one text without its literals.
    """
    key = "force_match" if force_match else "sqlid"
    database.load(
        "by_statement",
        f"select {key} as statement, kind, name, coalesce(e_us, ela_us, c_us) as lasted, "
        "case when kind = 'plan' then text end as row_source, count(*) as calls, "
        "sum(xc_us) as cpu, sum(xe_us) as elapsed, sum(p) as disk, sum(cr) as query, "
        "sum(cu) as current, sum(r) as rows, sum(mis) as misses, any_value(sqlid) as sqlid, "
        "any_value(nullif(plh, 0)) as plan, any_value(uid) as uid, max(dep) as depth, "
        f"any_value(sql) as sql from calls where {condition(question)} group by all",
        plans=True,
    )
    listed = database.rows(
        "select statement, any_value(sqlid) as sqlid, any_value(sql) as sql, max(plan) as plan, "
        "max(uid) as uid, max(depth) as depth, coalesce(sum(elapsed), 0)::bigint as elapsed, "
        "coalesce(sum(misses), 0)::bigint as misses "
        "from by_statement group by statement order by elapsed desc, statement "
        f"limit {question.top or 1 << 62}"
    )
    return [_statement(database, statement) for statement in listed]


def _statement(database: TraceDatabase, about: Mapping[str, Any]) -> dict[str, Any]:
    database.connection.execute(
        "create or replace temp table of_one as select *, "
        "sum(calls) over (partition by kind, name order by lasted) as reached, "
        "sum(calls) over (partition by kind, name) as everything "
        "from by_statement where statement is not distinct from $1",
        [about["statement"]],
    )
    return {
        "sqlid": about["sqlid"],
        "plan_hash": about["plan"],
        "uid": about["uid"],
        "depth": about["depth"],
        "misses": int(about["misses"]),
        "sql": about["sql"],
        "elapsed_s": about["elapsed"] / 1e6,
        "calls": _calls(database),
        "waits": _waits(database),
        "plan": _plan(database),
    }


_PERCENTILES = ", ".join(
    f"min(lasted) filter (reached >= ceil({part} * everything)) * 1e-6 as p{part * 100:.0f}_s"
    for part in (0.5, 0.9, 0.99)
)


def _calls(database: TraceDatabase) -> list[dict[str, Any]]:
    calls = database.rows(
        'select name as call, sum(calls)::bigint as "count", '
        "coalesce(sum(cpu), 0) * 1e-6 as cpu_s, coalesce(sum(elapsed), 0) * 1e-6 as elapsed_s, "
        "coalesce(sum(disk), 0)::bigint as disk, coalesce(sum(query), 0)::bigint as query, "
        "coalesce(sum(current), 0)::bigint as current, coalesce(sum(rows), 0)::bigint as rows, "
        f"{_PERCENTILES} from of_one where kind = 'call' group by name"
    )
    order = {name: i for i, name in enumerate(_CALLS)}
    return sorted(calls, key=lambda call: (order.get(call["call"], 9), call["call"]))


def _waits(database: TraceDatabase) -> list[dict[str, Any]]:
    return database.rows(
        'select name as event, sum(calls)::bigint as "count", '
        "sum(lasted * calls) * 1e-6 as total_s, "
        f"max(lasted) * 1e-6 as max_s, {_PERCENTILES} from of_one where kind = 'wait' "
        "group by name order by total_s desc, name"
    )


def _plan(database: TraceDatabase) -> list[dict[str, Any]]:
    """The row sources of the statement, each with the totals of its executions."""
    sums: dict[tuple[int, str], dict[str, Any]] = {}
    lines = database.rows("select row_source, calls from of_one where kind = 'plan'")
    for line in lines:
        match = _PLAN.search(line["row_source"] or "")
        if not match:
            continue
        number, count, parent, name, cr, pr, pw, time = match.groups()
        row = sums.setdefault(
            (int(number), name),
            {"id": int(number), "parent": int(parent), "operation": name, "executions": 0,
             "rows": 0, "cr": 0, "pr": 0, "pw": 0, "time_us": 0},
        )  # fmt: skip
        for key, value in (("rows", count), ("cr", cr), ("pr", pr), ("pw", pw)):
            row[key] += int(value) * line["calls"]
        row["executions"] += line["calls"]
        row["time_us"] += int(time) * line["calls"]
    rows = [sums[key] for key in sorted(sums)]
    for row in rows:
        row["time_s"] = row.pop("time_us") / 1e6
    return rows


def statements_text(rows: Sequence[Mapping[str, Any]]) -> str:
    """Each statement as TKPROF has it."""
    return "\n\n".join(_text(row) for row in rows) or "(no statements)"


def _text(statement: Mapping[str, Any]) -> str:
    about = (
        f"SQL ID: {statement['sqlid']}  plan hash: {statement['plan_hash'] or '-'}  "
        f"user: {statement['uid'] if statement['uid'] is not None else '-'}  "
        f"depth: {statement['depth'] or 0}  misses: {statement['misses']}"
    )
    parts = [about, (statement["sql"] or "").strip(), "", rows_text(statement["calls"])]
    if statement["waits"]:
        parts += ["", rows_text(statement["waits"])]
    if statement["plan"]:
        parts += ["", rows_text(_indented(statement["plan"]))]
    return "\n".join(parts)


def _indented(plan: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    depth: dict[int, int] = {0: -1}
    rows = []
    for source in plan:
        depth[source["id"]] = depth.get(source["parent"], -1) + 1
        row = {key: value for key, value in source.items() if key not in ("id", "parent")}
        row["operation"] = "  " * min(depth[source["id"]], 20) + row["operation"]
        rows.append(row)
    return rows
