# SPDX-License-Identifier: GPL-2.0-or-later
"""Trees of calls by containment, and time by stack."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from polltrace.errors import UsageError
from polltrace.sqltrace.database import TraceDatabase
from polltrace.sqltrace.profile import condition
from polltrace.sqltrace.profile_question import ProfileQuestion

# A tree is held in memory.
_MOST_CALLS = 2_000_000
# Oracle's SQL nests 50 deep (ORA-00036), so only a file that is none of its own goes further.
_DEEPEST = 200
_TEXT = 60


@dataclass(slots=True)
class CallNode:
    """A call and the calls and waits in it; times in microseconds.

    begun, ended: on the session's clock; inside: in order; sql: the begin of its text; height:
    how deep the calls inside nest, 1 where there is none.
    """

    line: int
    name: str
    sqlid: str
    sql: str
    begun: int
    ended: int
    binds: Sequence[str | None] | None
    inside: list[CallNode] = field(default_factory=list)
    height: int = 1

    @property
    def own(self) -> int:
        """Time in none of the calls and waits inside."""
        return max(
            0, self.ended - self.begun - sum(call.ended - call.begun for call in self.inside)
        )


@dataclass(frozen=True, slots=True)
class Experience:
    """The work of a session between two think times. Named by file and first line."""

    file: str
    line: int
    seconds: float
    calls: int


def experiences(database: TraceDatabase, question: ProfileQuestion) -> list[Experience]:
    """The longest ones first, without the think time at their end."""
    database.load(
        "experience",
        "select file, experience_id as line, min(tim_us - coalesce(ela_us, e_us, 0)) as begun, "
        "max(tim_us) as ended, count(*) as calls from calls "
        "where tim_us is not null and not (name = 'SQL*Net message from client' "
        f"and dur_us >= {database.think_us}) and {condition(question)} group by all",
    )
    rows = database.rows(
        "select file, line, (ended - begun) * 1e-6 as seconds, calls from experience "
        f"order by seconds desc, file, line limit {question.top or 1 << 62}"
    )
    return [Experience(**row) for row in rows]


def call_forest(
    database: TraceDatabase, where: str, *, binds: bool = False
) -> dict[tuple[Any, ...], list[CallNode]]:
    """The outermost calls by file and session; `where` is SQL.

    Raises UsageError where there are more than fit.
    """
    values = "binds" if binds else "null as binds"
    database.load(
        "traced",
        f"select file, pid, sid, serial, line, first_line, kind, name, sqlid, {values}, "
        f"substr(sql, 1, {_TEXT}) as sql, tim_us - coalesce(ela_us, e_us, 0) as begun, tim_us "
        f"from calls where kind in ('call', 'wait') and tim_us is not null and ({where})",
    )
    count = database.rows("select count(*) as n from traced")[0]["n"]
    if count > _MOST_CALLS:
        raise UsageError(f"{count:,} calls are too many for a tree: choose some by --where")
    rows = database.execute("select * from traced order by file, line")
    stacks: dict[tuple[Any, ...], list[CallNode]] = defaultdict(list)
    while batch := rows.fetchmany(10_000):
        for file, pid, sid, serial, line, first, kind, name, sqlid, bound, sql, begun, tim in batch:
            stack = stacks[file, pid, sid, serial]
            call = CallNode(line, name, sqlid, " ".join((sql or "").split()), begun, tim, bound)
            top = len(stack)
            while kind == "call" and top and stack[top - 1].line >= first:
                top -= 1
            call.inside = stack[top:]
            call.height += max((child.height for child in call.inside), default=0)
            stack[top:] = [call]
    return stacks


def check_depth(calls: Sequence[CallNode]) -> None:
    """Raises UsageError where calls nest deeper than a tree is printed."""
    deepest = max((call.height for call in calls), default=0)
    if deepest > _DEEPEST:
        raise UsageError(
            f"calls nest {deepest:,} deep, and Oracle's at most 50: choose some by --where, or "
            "make a page of them"
        )


def tree_lines(
    calls: Sequence[CallNode], depth: int = 0, start: int | None = None
) -> Iterator[str]:
    """A line for each call: when it began, its line, elapsed, name, statement and binds.

    The calls and waits in a call come before it in the file, and after it here. The calls nest no
    deeper than check_depth allows.
    """
    for call in calls:
        begin = call.begun if start is None else start
        start = begin
        lasted = (call.ended - call.begun) / 1e6
        bound = (
            f"  ({', '.join('NULL' if v is None else v for v in call.binds)})" if call.binds else ""
        )
        yield (
            f"{(call.begun - begin) / 1e6:>14,.6f} {call.line:>9} {lasted:>13,.6f}  "
            f"{'· ' * depth}{call.name}{bound}  {call.sqlid} {call.sql}"
        ).rstrip()
        yield from tree_lines(call.inside, depth + 1, begin)


def tree_data(call: CallNode) -> dict[str, Any]:
    """A call as nested data, in seconds."""
    return {
        "name": call.name,
        "line": call.line,
        "sqlid": call.sqlid,
        "elapsed_s": (call.ended - call.begun) / 1e6,
        "own_s": call.own / 1e6,
        "inside": [tree_data(child) for child in call.inside],
    }


def time_by_stack(
    forest: Mapping[tuple[Any, ...], Sequence[CallNode]],
) -> dict[tuple[str, ...], int]:
    """Microseconds by stack: statement, call, the recursive statements inside, the wait."""
    folded: dict[tuple[str, ...], int] = defaultdict(int)
    # Calls nest as deep as recursion does; a list bears any depth.
    pending: list[tuple[tuple[str, ...], CallNode]] = [
        ((), call) for calls in forest.values() for call in calls
    ]
    while pending:
        above, call = pending.pop()
        statement = f"{call.sqlid} {call.sql}".strip()
        stack = above if above and above[-2:-1] == (statement,) else (*above, statement)
        stack = (*stack, call.name)
        if call.own:
            folded[stack] += call.own
        pending += [(stack, child) for child in call.inside]
    return dict(folded)
