# SPDX-License-Identifier: GPL-2.0-or-later
"""A column of a query as it is shown: its width, its heading, and its values' text."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

from polltrace.scenarios.script.column_format import ColumnFormat
from polltrace.scenarios.script.date_text import date_text, timestamp_text
from polltrace.scenarios.script.number_text import general, number_format
from polltrace.scenarios.script.settings import Settings

_NUMBERS = ("NUMBER", "BINARY_DOUBLE", "BINARY_FLOAT", "BINARY_INTEGER")
_LONG = ("LONG", "CLOB", "NCLOB", "LONG_RAW", "BLOB")
_TIMESTAMP_WIDTH, _ROWID_WIDTH = 75, 18


@dataclass(frozen=True, slots=True)
class Described:
    """A column as the driver describes it: the type without DB_TYPE_; `size` in characters, 0
    where the type has none."""

    name: str
    type: str
    size: int


@dataclass(frozen=True, slots=True)
class DisplayColumn:
    """`heading`: its lines; `text`: a function from the driver's text of a value to what is
    shown; `fold`: what becomes of text that is longer than `width`: "wrap", "word", "truncate"."""

    name: str
    heading: tuple[str, ...]
    width: int
    right: bool
    justify: str
    fold: str
    null: str
    shown: bool
    new_value: str
    text: Callable[[str], str]

    def of(self, value: str | None) -> str:
        return self.null if value is None else self.text(value)


def display_column(
    column: Described, form: ColumnFormat, settings: Settings, date_format: str
) -> DisplayColumn:
    """How `column` is shown by COLUMN, SET and the session's NLS_DATE_FORMAT."""
    right = column.type in _NUMBERS
    heading = _heading(column.name, form, settings)
    if right:
        width, text = _number(heading, form, settings)
    else:
        width, text = _other(column, settings, date_format)
        width = form.width or min(width, settings.linesize)
    return DisplayColumn(
        name=column.name,
        heading=heading,
        width=min(width, settings.linesize),
        right=right,
        justify=form.justify or ("right" if right else "left"),
        fold=form.fold or ("wrap" if settings.wrap else "truncate"),
        null=settings.null if form.null is None else form.null,
        shown=form.shown,
        new_value=form.new_value,
        text=text,
    )


def _heading(name: str, form: ColumnFormat, settings: Settings) -> tuple[str, ...]:
    text = name if form.heading is None else form.heading
    if form.heading is not None and settings.headsep:
        return tuple(text.split(settings.headsep))
    return (text,)


def _number(
    heading: tuple[str, ...], form: ColumnFormat, settings: Settings
) -> tuple[int, Callable[[str], str]]:
    model = "" if form.width else form.form or settings.numformat
    longest = max(map(len, heading))
    if model:
        width, shown = number_format(model)
    else:
        width = form.width or settings.numwidth

        def shown(number: Decimal) -> str:
            return general(number, width)

    def text(value: str) -> str:
        try:
            number = Decimal(value)
            return shown(number) if number.is_finite() else value.capitalize()
        except InvalidOperation:
            return value

    return max(width, longest), text


def _other(
    column: Described, settings: Settings, date_format: str
) -> tuple[int, Callable[[str], str]]:
    at = datetime.datetime.fromisoformat
    if column.type == "DATE":
        width = len(date_text(date_format, datetime.datetime(2000, 12, 31)))
        return width, lambda value: date_text(date_format, at(value))
    if column.type.startswith("TIMESTAMP"):
        return _TIMESTAMP_WIDTH, lambda value: timestamp_text(at(value))
    if column.type.startswith("INTERVAL"):
        return _TIMESTAMP_WIDTH, str
    if column.type in _LONG:
        return settings.long, lambda value: value[: settings.long]
    if column.type in ("ROWID", "UROWID"):
        return _ROWID_WIDTH, str
    size = 2 * column.size if column.type == "RAW" else column.size
    return max(size, 1), str
