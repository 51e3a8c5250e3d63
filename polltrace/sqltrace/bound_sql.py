# SPDX-License-Identifier: GPL-2.0-or-later
"""Executions as a script of SQL, with the bound values in the places of the binds."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from polltrace.printable import one_line
from polltrace.sqltrace.database import TraceDatabase
from polltrace.sqltrace.profile import condition
from polltrace.sqltrace.profile_question import ProfileQuestion
from polltrace.sqltrace.script_text import comment_lines, literal_sql, statement_script
from polltrace.sqltrace.sql_text import SqlPart, sql_parts

_NUMBER_TYPES = {2, 3, 4, 6, 21, 22, 100, 101}
_DATE_TYPES = {12}
_NUMBER = re.compile(r"-?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")
_REPEATED = -1  # the type of a placeholder whose name came before
_ROWS_PER_BATCH = 1000
_NOT_RUNNABLE = "-- SQL*Plus would not read this statement as one. Its text and values:"


def executions(database: TraceDatabase, question: ProfileQuestion) -> Iterator[str]:
    """Each execution with binds, as `-- file:line sqlid` and its SQL with their values."""
    database.load(
        "bound",
        "select file, line, sqlid, sql, binds, bind_types from calls "
        f"where name = 'EXEC' and binds is not null and {condition(question)}",
    )
    result = database.execute("select * from bound order by file, line")
    while rows := result.fetchmany(_ROWS_PER_BATCH):
        for file, line, sqlid, sql, binds, types in rows:
            title = comment_lines(one_line(f"{file}:{line} {sqlid}"))
            yield f"{title}\n{bound_script(sql, binds, types)}"


def bound_script(sql: str, binds: Sequence[str | None], types: Sequence[int]) -> str:
    """The statement with its values and the line that runs it; comments where it cannot be run.

    Values are in the order of the placeholders. Placeholders beyond them stay as they are.
    """
    script = statement_script(_with_values(sql, binds, types))
    if script is not None:
        return script
    values = ", ".join(literal(*bind) for bind in zip(binds, types, strict=True))
    return "\n".join([_NOT_RUNNABLE, comment_lines(sql), comment_lines(f"values: {values}")])


def _with_values(sql: str, binds: Sequence[str | None], types: Sequence[int]) -> list[SqlPart]:
    values: dict[str, str] = {}
    unused = iter(zip(binds, types, strict=True))
    parts = []
    for part in sql_parts(sql):
        if part.kind == "bind":
            name = part.text[1:].strip()
            bind = next(unused, None)
            if bind is not None and bind[1] != _REPEATED:
                values[name] = literal(*bind)
            if name in values:
                parts.append(SqlPart("value", values[name]))
                continue
        parts.append(part)
    return parts


def literal(value: str | None, kind: int) -> str:
    """A value of Oracle's type number `kind` as SQL."""
    if value is None:
        return "NULL"
    if kind in _NUMBER_TYPES and _NUMBER.fullmatch(value):
        return f"({value})" if value.startswith("-") else value
    if kind in _DATE_TYPES:
        return f"to_date({literal_sql(value)}, 'MM/DD/YYYY HH24:MI:SS')"
    return literal_sql(value)
