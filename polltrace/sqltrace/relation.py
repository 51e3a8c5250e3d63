# SPDX-License-Identifier: GPL-2.0-or-later
"""The relation `calls` that questions are asked of: the scanner's columns, and times in seconds."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from polltrace.sqltrace.columns import BY_NAME, COUNTED


class DerivedColumn(NamedTuple):
    """A column of SQL made of the scanner's. sql: its definition; of: the columns in it."""

    name: str
    sql: str
    of: tuple[str, ...]
    note: str


def _seconds(name: str, of: str, note: str) -> DerivedColumn:
    return DerivedColumn(name, f"{of} * 1e-6", (of,), f"{note}, in seconds")


DERIVED = (
    _seconds("dur", "dur_us", "the duration in a profile: c of a call, ela of a wait"),
    _seconds("af", "dur_us", "the same: the time that is accounted for"),
    _seconds("c", "c_us", "CPU of a call"),
    _seconds("e", "e_us", "elapsed time of a call"),
    _seconds("ela", "ela_us", "elapsed time of a wait"),
    _seconds("tim", "tim_us", "the session's clock"),
    _seconds("xc", "xc_us", "CPU of a call without the calls inside"),
    _seconds("xe", "xe_us", "elapsed time of a call without the calls inside"),
    _seconds("wait", "wait_us", "waits inside a call"),
    _seconds("uaf", "uaf_us", "unaccounted for in a call"),
    DerivedColumn("rows", "r", ("r",), "rows of a call"),
    DerivedColumn("nam", "name", ("name",), "the same as name"),
    DerivedColumn(
        "basename", "regexp_replace(file, '^.*/', '')", ("file",), "the file without its folder"
    ),
    DerivedColumn("depmin", "0", (), "the depth of the client's calls"),
    DerivedColumn(
        "force_match",
        "regexp_replace(regexp_replace(regexp_replace(upper(sql), "
        "'''(?:[^'']|'''')*''', ':S', 'g'), '\\b\\d+(?:\\.\\d+)?\\b', ':N', 'g'), "
        "'\\s+', ' ', 'g')",
        ("sql",),
        "the statement without its literals",
    ),
)
NAMES = (*BY_NAME, *(each.name for each in DERIVED))
_DERIVED = {each.name: each for each in DERIVED}
ALIKE = (*COUNTED, *(each.name for each in DERIVED if set(each.of) <= set(COUNTED)))
# Words of SQL whose value depends on nothing but the text next to them.
_PURE = """
    and or not in is null like ilike between case when then else end true false as cast
    bigint integer double varchar abs ceil coalesce concat contains floor greatest instr least
    length ln log10 lower nullif pow printf regexp_matches replace round sqrt starts_with substr
    trunc upper
"""
_OF_ALIKE = {*ALIKE, *_PURE.split()}


def needed(sql: Iterable[str]) -> tuple[str, ...]:
    """The names out of NAMES that the expressions may refer to: all for a star."""
    text = " ".join(sql)
    if re.search(r"(select|distinct|[,.])\s*\*|columns\s*\(", text, re.IGNORECASE):
        return NAMES
    words = _words(text)
    return tuple(name for name in NAMES if name in words)


def _words(sql: str) -> set[str]:
    return {word.lower() for word in re.findall(r"\b[A-Za-z_]\w*", sql)}


def is_of_alike(expression: str) -> bool:
    """True if the expression is the same for all calls that are alike in COUNTED: nothing else is
    in it, and no function that is not known to be one of its arguments alone."""
    return _words(re.sub(r"'(?:[^']|'')*'", "''", expression)) <= _OF_ALIKE


def scanned(names: Iterable[str]) -> tuple[str, ...]:
    """The scanner's columns that the named ones are made of."""
    columns = {
        column for name in names for column in (_DERIVED[name].of if name in _DERIVED else (name,))
    }
    return tuple(name for name in BY_NAME if name in columns)


def relation_sql(names: Iterable[str], source: str) -> str:
    """`select` of the named columns from the scanner's."""
    columns = [
        f"{_DERIVED[name].sql} as {name}" if name in _DERIVED else f'"{name}"' for name in names
    ]
    return f"select {', '.join(columns) or '1'} from {source}"
