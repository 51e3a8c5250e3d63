# SPDX-License-Identifier: GPL-2.0-or-later
"""The bind placeholders of a statement."""

from __future__ import annotations

import re

# Quoted text, quoted names and comments hold no binds, whatever colons are in them; `::` is a cast.
_TOKEN = re.compile(
    r"""
      q'\[.*?\]' | q'\{.*?\}' | q'<.*?>' | q'\(.*?\)' | q'([^\s\[{<(])(?:.*?)\1'
    | '(?:[^']|'')*' | "[^"]*" | --[^\n]* | /\*.*?\*/
    | (?<![\w:]):([A-Za-z]\w*)
    """,
    re.VERBOSE | re.DOTALL | re.IGNORECASE,
)
_BLANK = re.compile(r"(?:\s+|--[^\n]*(?:\n|$)|/\*.*?\*/|\()*", re.DOTALL)


def placeholders(sql: str) -> list[str]:
    """The names of the binds, in the order of their places, as often as they occur."""
    return [found[2] for found in _TOKEN.finditer(sql) if found[2]]


def is_query(sql: str) -> bool:
    """Whether it begins as a query does."""
    blank = _BLANK.match(sql)
    assert blank is not None
    return re.match(r"(select|with)\b", sql[blank.end() :], re.IGNORECASE) is not None
