# SPDX-License-Identifier: GPL-2.0-or-later
"""COLUMN: formats of columns, by their names."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from polltrace.scenarios.script.number_text import number_format
from polltrace.scenarios.script.words import CommandError, abbreviates, words_of

_WIDTH = re.compile(r"[aA](\d{1,5})")


@dataclass(frozen=True, slots=True)
class ColumnFormat:
    """Format of one column; None or empty stands for the default of SQL*Plus.

    `form` is `A20` or a number's format; `fold` is "wrap", "word" or "truncate"; `new_value` is the
    variable that takes the last row's value.
    """

    form: str = ""
    heading: str | None = None
    justify: str = ""
    new_value: str = ""
    null: str | None = None
    visible: bool = True
    fold: str = ""
    on: bool = True

    @property
    def width(self) -> int | None:
        """Width of a form `An`; None for any other form."""
        match = _WIDTH.fullmatch(self.form)
        return int(match[1]) if match else None


class ColumnFormats:
    """Formats that COLUMN has set; names do not depend on case."""

    def __init__(self) -> None:
        self._of: dict[str, ColumnFormat] = {}

    def of(self, name: str) -> ColumnFormat:
        column_format = self._of.get(name.upper())
        return column_format if column_format and column_format.on else ColumnFormat()

    def clear(self) -> None:
        self._of.clear()

    def run(self, text: str) -> list[str]:
        """Carry out COLUMN with `text` and return the lines to print. Raises CommandError."""
        words = words_of(text)
        if not words:
            return [line for name in sorted(self._of) for line in self._described(name)]
        name = words.pop(0).upper()
        if not words:
            if name not in self._of:
                raise CommandError(f"SP2-0046: COLUMN '{name.lower()}' not defined")
            return self._described(name)
        column_format = self._of.get(name, ColumnFormat())
        while words:
            option = words.pop(0)
            if abbreviates(option, "CLEar"):
                self._of.pop(name, None)
                return []
            if abbreviates(option, "LIKE"):
                column_format = self._of.get(_operand(option, words).upper(), ColumnFormat())
            else:
                column_format = _changed(column_format, option, words)
        self._of[name] = column_format
        return []

    def _described(self, name: str) -> list[str]:
        column_format = self._of[name]
        lines = [f"COLUMN   {name.lower()} {'ON' if column_format.on else 'OFF'}"]
        if column_format.heading is not None:
            lines.append(f"HEADING  '{column_format.heading}'")
        if column_format.form:
            lines.append(f"FORMAT   {column_format.form}")
        return lines


def _operand(option: str, words: list[str]) -> str:
    if not words:
        raise CommandError(f"SP2-0281: {option} missing set option")
    return words.pop(0)


_FOLDS = {"WRApped": "wrap", "WORd_wrapped": "word", "TRUncated": "truncate"}
_JUSTIFY = {"Left": "left", "Center": "center", "Centre": "center", "Right": "right"}


def _changed(column_format: ColumnFormat, option: str, words: list[str]) -> ColumnFormat:  # noqa: PLR0911 - an option each
    for form, fold in _FOLDS.items():
        if abbreviates(option, form):
            return replace(column_format, fold=fold)
    if option.upper() in ("ON", "OFF"):
        return replace(column_format, on=option.upper() == "ON")
    if abbreviates(option, "NOPRInt"):
        return replace(column_format, visible=False)
    if abbreviates(option, "PRInt"):
        return replace(column_format, visible=True)
    if abbreviates(option, "FORmat"):
        return replace(column_format, form=_form(_operand(option, words)))
    if abbreviates(option, "HEAding"):
        return replace(column_format, heading=_operand(option, words))
    if abbreviates(option, "NULl"):
        return replace(column_format, null=_operand(option, words))
    if abbreviates(option, "NEW_Value"):
        return replace(column_format, new_value=_operand(option, words).upper())
    if abbreviates(option, "JUStify"):
        word = _operand(option, words)
        for form, justify in _JUSTIFY.items():
            if abbreviates(word, form):
                return replace(column_format, justify=justify)
    raise CommandError(f'SP2-0158: unknown COLUMN option "{option}"')


def _form(word: str) -> str:
    width = _WIDTH.fullmatch(word)
    if width is None:
        number_format(word)
    elif not 0 < int(width[1]) <= 60000:
        raise CommandError(f'SP2-0246: Illegal FORMAT string "{word}"')
    return word
