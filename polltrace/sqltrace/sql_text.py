# SPDX-License-Identifier: GPL-2.0-or-later
"""SQL text in parts: literals, quoted names, comments, hints, binds and the code between them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

_PART = re.compile(
    r"""
    (?P<alternative>n?q'(?:\[.*?\]|\(.*?\)|\{.*?\}|<.*?>|(?P<mark>[^\s\[({<]).*?(?P=mark))')
  | (?P<literal>n?'(?:[^']|'')*')
  | (?P<name>"[^"]*")
  | (?P<hint>/\*\+.*?\*/|--\+[^\n]*)
  | (?P<comment>--[^\n]*|/\*.*?\*/)
  | (?P<bind>:\s*(?:[\w$\#]+|"[^"\s]+"))
  | (?P<broken>'|"|/\*)
  | (?P<word>[\w$\#]+)
  | (?P<code>.)
    """,
    re.DOTALL | re.IGNORECASE | re.VERBOSE,
)


class SqlPart(NamedTuple):
    """`kind` is literal, name, hint, comment, bind, broken (a quote or comment that does not end),
    word, code (one character) or value (SQL in the place of a bind). The `text` of a literal is its
    value, and its `prefix` is `n` for national characters."""

    kind: str
    text: str
    prefix: str = ""


def sql_parts(sql: str) -> Iterator[SqlPart]:
    """The parts of a statement in order; nothing but the quotes of literals is left out."""
    for match in _PART.finditer(sql):
        kind, text = match.lastgroup or "", match[0]
        if match["alternative"]:
            prefix, _, quoted = text.partition("'")
            yield SqlPart("literal", quoted[1:-2], prefix[:-1].lower())
        elif kind == "literal":
            prefix, _, quoted = text.partition("'")
            yield SqlPart(kind, quoted[:-1].replace("''", "'"), prefix.lower())
        else:
            yield SqlPart(kind, text)
