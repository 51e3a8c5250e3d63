# SPDX-License-Identifier: GPL-2.0-or-later
"""Display of a query's column: its width, its heading, and the text of its values."""

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
    """A column as a report shows it.

    `heading` has its lines; `text` converts the driver's text of a value to the displayed one;
    `fold` says how text longer than `width` is broken: "wrap", "word" or "truncate".
    """

    name: str
    heading: tuple[str, ...]
    width: int
    right: bool
    justify: str
    fold: str
    null: str
    visible: bool
    new_value: str
    text: Callable[[str], str]

    def of(self, value: str | None) -> str:
        return self.null if value is None else self.text(value)


def display_column(
    column: Described, form: ColumnFormat, settings: Settings, date_format: str
) -> DisplayColumn:
    """The display of `column` by COLUMN, SET and the session's NLS_DATE_FORMAT."""
    right = column.type in _NUMBERS
    heading = _heading(column.name, form, settings)
    if right:
        width, text = _number_column(heading, form, settings)
    else:
        width, text = _text_column(column, settings, date_format)
        width = form.width or min(width, settings.linesize)
    return DisplayColumn(
        name=column.name,
        heading=heading,
        width=min(width, settings.linesize),
        right=right,
        justify=form.justify or ("right" if right else "left"),
        fold=form.fold or ("wrap" if settings.wrap else "truncate"),
        null=settings.null if form.null is None else form.null,
        visible=form.visible,
        new_value=form.new_value,
        text=text,
    )


def _heading(name: str, form: ColumnFormat, settings: Settings) -> tuple[str, ...]:
    text = name if form.heading is None else form.heading
    if form.heading is not None and settings.headsep:
        return tuple(text.split(settings.headsep))
    return (text,)


def _number_column(
    heading: tuple[str, ...], form: ColumnFormat, settings: Settings
) -> tuple[int, Callable[[str], str]]:
    model = "" if form.width else form.form or settings.numformat
    longest = max(map(len, heading))
    if model:
        width, formatted = number_format(model)
    else:
        width = form.width or settings.numwidth

        def formatted(number: Decimal) -> str:
            return general(number, width)

    def text(value: str) -> str:
        try:
            number = Decimal(value)
            return formatted(number) if number.is_finite() else value.capitalize()
        except InvalidOperation:
            return value

    return max(width, longest), text


def _text_column(
    column: Described, settings: Settings, date_format: str
) -> tuple[int, Callable[[str], str]]:
    parsed = datetime.datetime.fromisoformat
    if column.type == "DATE":
        width = len(date_text(date_format, datetime.datetime(2000, 12, 31)))
        return width, lambda value: date_text(date_format, parsed(value))
    if column.type.startswith("TIMESTAMP"):
        return _TIMESTAMP_WIDTH, lambda value: timestamp_text(parsed(value))
    if column.type.startswith("INTERVAL"):
        return _TIMESTAMP_WIDTH, str
    if column.type in _LONG:
        return settings.long, lambda value: value[: settings.long]
    if column.type in ("ROWID", "UROWID"):
        return _ROWID_WIDTH, str
    size = 2 * column.size if column.type == "RAW" else column.size
    return max(size, 1), str
