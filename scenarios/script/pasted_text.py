# SPDX-License-Identifier: GPL-2.0-or-later
"""Text that was copied from a web page or from a session of SQL*Plus."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

_PROMPT = re.compile(r"\s*SQL>[ \u00a0]?(.*)", re.DOTALL)
_LITERAL_OR_COMMENT = r"'(?:[^']|'')*'|\"[^\"]*\"|--[^\n]*|/\*.*?\*/"
_SPACE = re.compile(f"({_LITERAL_OR_COMMENT})|[\u00a0\u2007\u202f]", re.DOTALL)
_CURLY = re.compile(f"{_LITERAL_OR_COMMENT}|([\u2018\u2019\u201a\u201c\u201d\u201e])", re.DOTALL)


def commands_of(lines: Iterable[str]) -> Iterator[str]:
    """The typed part of each line of a session that begins with `SQL>`, or all lines of a script.

    A script is a copied session where a line begins with the prompt. The lines that follow a
    prompt are typed as long as they have the numbers 2, 3 and so on; the others are output.
    """
    lines = list(lines)
    if not any(_PROMPT.match(line) for line in lines):
        yield from lines
        return
    number = 0
    for line in lines:
        if match := _PROMPT.match(line):
            number = 2
            yield match[1]
        elif number and (match := re.match(rf"\s{{0,2}}{number}(?:\s{{1,2}}(.*))?$", line)):
            number += 1
            yield match[1] or ""
        else:
            number = 0


def with_plain_spaces(sql: str) -> str:
    """The statement with a space for each non-breaking one outside of literals and comments."""
    return _SPACE.sub(lambda match: match[1] or " ", sql)


def curly_quote(sql: str) -> str | None:
    """A line about the first typographic quote outside of literals and comments."""
    for match in _CURLY.finditer(sql):
        if match[1]:
            line = sql.count("\n", 0, match.start()) + 1
            plain = "'" if match[1] in "\u2018\u2019\u201a" else '"'
            return (
                f"Line {line} has the typographic quote {match[1]} (U+{ord(match[1]):04X}), "
                f"as web pages show it: type {plain} in its place."
            )
    return None
