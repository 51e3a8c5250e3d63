# SPDX-License-Identifier: GPL-2.0-or-later
"""Facts about a statement's text, without executing it: its bind placeholders, its kind."""

from __future__ import annotations

import re

# A placeholder, or text in which a colon or a question mark is none: literals (also q'[...]'),
# quoted names, comments. `:=` has no word after its colon, and `::` is a cast.
TOKEN = re.compile(
    r"""[nN]?[qQ]'(?:\[.*?\]|\{.*?\}|\(.*?\)|<.*?>|(?P<quote>[^\s\[({<]).*?(?P=quote))'
      | '(?:[^']|'')*'
      | "[^"]*"
      | --[^\n]*
      | /\*.*?\*/
      | (?<![\w:]):(?P<name>\w+)
      | (?P<mark>\?)""",
    re.DOTALL | re.VERBOSE,
)
_BLANK = re.compile(r"(?:\s+|--[^\n]*(?:\n|$)|/\*.*?\*/|\()*", re.DOTALL)


def placeholders(sql: str) -> list[str]:
    """The names of the bind placeholders, one for each occurrence, in order."""
    return [token["name"] for token in TOKEN.finditer(sql) if token["name"]]


def begun(sql: str) -> str:
    """The text from its first word on, behind comments and parentheses."""
    blank = _BLANK.match(sql)
    return sql[blank.end() if blank else 0 :]


def is_query(sql: str) -> bool:
    """True if it begins as a query does."""
    return re.match(r"(select|with)\b", begun(sql), re.IGNORECASE) is not None
