# SPDX-License-Identifier: GPL-2.0-or-later
"""Executions as SQL that can be run: the values that were bound in the places of the binds."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from polltrace.printable import one_line
from polltrace.sqltrace.database import TraceDatabase
from polltrace.sqltrace.perl_expression import quoted
from polltrace.sqltrace.profile import condition
from polltrace.sqltrace.profile_question import ProfileQuestion

_NUMBERS = {2, 3, 4, 6, 21, 22, 100, 101}
_DATES = {12}
# Texts, quoted names and comments, in which a colon is no bind; then a bind.
_PLACES = re.compile(
    r"'(?:[^']|'')*'|\"[^\"]*\"|--[^\n]*|/\*.*?\*/|:\s*(\w+|\"[^\"]+\")", re.DOTALL
)
_CONTROL = re.compile("([\x00-\x08\x0b-\x1f\x7f])")
_AT_ONCE = 1000


def executions(database: TraceDatabase, question: ProfileQuestion) -> Iterator[str]:
    """Each execution with binds, as `-- file:line sqlid` and its SQL with their values."""
    database.load(
        "bound",
        "select file, line, sqlid, sql, binds, bind_types from calls "
        f"where name = 'EXEC' and binds is not null and {condition(question)}",
    )
    rows = database.execute("select * from bound order by file, line")
    while batch := rows.fetchmany(_AT_ONCE):
        for file, line, sqlid, sql, binds, types in batch:
            yield f"-- {one_line(f'{file}:{line} {sqlid}')}\n{with_values(sql, binds, types)};"


def with_values(sql: str, binds: Sequence[str | None], types: Sequence[int]) -> str:
    """The statement with the values; a name that comes again has the value that it had.

    Binds are in the order of their places. Where there are fewer values than places, the rest
    stay as they are.
    """
    values: dict[str, str] = {}
    left = iter(zip(binds, types, strict=True))

    def value(found: re.Match[str]) -> str:
        if not found[1]:
            return found[0]
        given = next(left, None)
        if given is None:
            return values.get(found[1], found[0])
        if given[1] != -1:
            values[found[1]] = literal(*given)
        return values.get(found[1], found[0])

    return _PLACES.sub(value, sql)


def literal(value: str | None, kind: int) -> str:
    """A value of Oracle's type number `kind` as SQL. Where it has control characters, which may
    not be printed as they are, it is put together: `'a'||chr(27)||'b'`."""
    if value is None:
        return "NULL"
    if kind in _NUMBERS and re.fullmatch(r"-?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?", value):
        return value
    if kind in _DATES:
        return f"to_date({quoted(value)}, 'MM/DD/YYYY HH24:MI:SS')"
    parts = (
        f"chr({ord(part)})" if _CONTROL.fullmatch(part) else quoted(part)
        for part in _CONTROL.split(value)
        if part
    )
    return "||".join(parts) or quoted("")
