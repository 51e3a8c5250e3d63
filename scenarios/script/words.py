# SPDX-License-Identifier: GPL-2.0-or-later
"""Words of a SQL*Plus command, and their abbreviations."""

from __future__ import annotations

import re

_WORD = re.compile(r"""'(?:[^']|'')*'|"[^"]*"|[^\s'"]+""")


class CommandError(Exception):
    """An error of a command, in one line of SQL*Plus's form; the script continues."""


def words_of(text: str) -> list[str]:
    """Words of a command; a quoted word is its content."""
    return [unquoted(word) for word in _WORD.findall(text)]


def unquoted(word: str) -> str:
    if len(word) >= 2 and word[0] == word[-1] and word[0] in "'\"":
        return word[1:-1].replace("''", "'") if word[0] == "'" else word[1:-1]
    return word


def abbreviates(word: str, form: str) -> bool:
    """Return True if `word` abbreviates `form`: FEEDback may be FEED or longer."""
    shortest = "".join(c for c in form if c.isupper() or not c.isalpha())
    word, full = word.upper(), form.upper()
    return full.startswith(word) and len(word) >= len(shortest)
