# SPDX-License-Identifier: GPL-2.0-or-later
"""Words of a SQL*Plus command, and their abbreviations."""

from __future__ import annotations

import re

_WORD = re.compile(r"""'(?:[^']|'')*'|"[^"]*"|[^\s'"]+""")


class CommandError(Exception):
    """What is wrong with a command, as SQL*Plus says it in one line; the script goes on."""


def words_of(text: str) -> list[str]:
    """The words of a command; of a quoted one its content."""
    return [unquoted(word) for word in _WORD.findall(text)]


def unquoted(word: str) -> str:
    if len(word) >= 2 and word[0] == word[-1] and word[0] in "'\"":
        return word[1:-1].replace("''", "'") if word[0] == "'" else word[1:-1]
    return word


def abbreviates(word: str, form: str) -> bool:
    """Whether `word` is `form` or an abbreviation of it: FEEDback may be FEED or longer."""
    shortest = "".join(c for c in form if c.isupper() or not c.isalpha())
    word, full = word.upper(), form.upper()
    return full.startswith(word) and len(word) >= len(shortest)
