# SPDX-License-Identifier: GPL-2.0-or-later
"""COLUMN: how columns of a name are shown."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from polltrace.scenarios.script.number_text import number_format
from polltrace.scenarios.script.words import CommandError, abbreviates, words_of

_WIDTH = re.compile(r"[aA](\d{1,5})")


@dataclass(frozen=True, slots=True)
class ColumnFormat:
    """None or empty: as SQL*Plus does without. `form` is `A20` or a number's format; `fold` one of
    "wrap", "word", "truncate"; `new_value` the variable that takes the last row's value."""

    form: str = ""
    heading: str | None = None
    justify: str = ""
    new_value: str = ""
    null: str | None = None
    shown: bool = True
    fold: str = ""
    on: bool = True

    @property
    def width(self) -> int | None:
        """Of a form `An`; None for any other."""
        found = _WIDTH.fullmatch(self.form)
        return int(found[1]) if found else None


class ColumnFormats:
    """The columns that COLUMN has named; names do not depend on case."""

    def __init__(self) -> None:
        self._of: dict[str, ColumnFormat] = {}

    def of(self, name: str) -> ColumnFormat:
        found = self._of.get(name.upper())
        return found if found and found.on else ColumnFormat()

    def clear(self) -> None:
        self._of.clear()

    def run(self, text: str) -> list[str]:
        """Carry out COLUMN with `text`; the lines to print. Raises CommandError."""
        words = words_of(text)
        if not words:
            return [line for name in sorted(self._of) for line in self._described(name)]
        name = words.pop(0).upper()
        if not words:
            if name not in self._of:
                raise CommandError(f"SP2-0046: COLUMN '{name.lower()}' not defined")
            return self._described(name)
        found = self._of.get(name, ColumnFormat())
        while words:
            option = words.pop(0)
            if abbreviates(option, "CLEar"):
                self._of.pop(name, None)
                return []
            if abbreviates(option, "LIKE"):
                found = self._of.get(_taken(option, words).upper(), ColumnFormat())
            else:
                found = _changed(found, option, words)
        self._of[name] = found
        return []

    def _described(self, name: str) -> list[str]:
        found = self._of[name]
        lines = [f"COLUMN   {name.lower()} {'ON' if found.on else 'OFF'}"]
        if found.heading is not None:
            lines.append(f"HEADING  '{found.heading}'")
        if found.form:
            lines.append(f"FORMAT   {found.form}")
        return lines


def _taken(option: str, words: list[str]) -> str:
    if not words:
        raise CommandError(f"SP2-0281: {option} missing set option")
    return words.pop(0)


_FOLDS = {"WRApped": "wrap", "WORd_wrapped": "word", "TRUncated": "truncate"}
_JUSTIFY = {"Left": "left", "Center": "center", "Centre": "center", "Right": "right"}


def _changed(found: ColumnFormat, option: str, words: list[str]) -> ColumnFormat:  # noqa: PLR0911 - an option each
    for form, fold in _FOLDS.items():
        if abbreviates(option, form):
            return replace(found, fold=fold)
    if option.upper() in ("ON", "OFF"):
        return replace(found, on=option.upper() == "ON")
    if abbreviates(option, "NOPRInt"):
        return replace(found, shown=False)
    if abbreviates(option, "PRInt"):
        return replace(found, shown=True)
    if abbreviates(option, "FORmat"):
        return replace(found, form=_form(_taken(option, words)))
    if abbreviates(option, "HEAding"):
        return replace(found, heading=_taken(option, words))
    if abbreviates(option, "NULl"):
        return replace(found, null=_taken(option, words))
    if abbreviates(option, "NEW_Value"):
        return replace(found, new_value=_taken(option, words).upper())
    if abbreviates(option, "JUStify"):
        word = _taken(option, words)
        for form, justify in _JUSTIFY.items():
            if abbreviates(word, form):
                return replace(found, justify=justify)
    raise CommandError(f'SP2-0158: unknown COLUMN option "{option}"')


def _form(word: str) -> str:
    width = _WIDTH.fullmatch(word)
    if width is None:
        number_format(word)
    elif not 0 < int(width[1]) <= 60000:
        raise CommandError(f'SP2-0246: Illegal FORMAT string "{word}"')
    return word
