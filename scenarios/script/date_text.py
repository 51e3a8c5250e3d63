# SPDX-License-Identifier: GPL-2.0-or-later
"""Dates as text by NLS_DATE_FORMAT.

The client converts them, as SQL*Plus does, so that a fetch is the same as with other types.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable

DEFAULT = "DD-MON-RR"
_MONTHS = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"]
_DAYS = ["MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN"]
_ELEMENTS: dict[str, Callable[[datetime.datetime], str]] = {
    "YYYY": lambda moment: f"{moment.year:04}",
    "RRRR": lambda moment: f"{moment.year:04}",
    "YY": lambda moment: f"{moment.year % 100:02}",
    "RR": lambda moment: f"{moment.year % 100:02}",
    "MON": lambda moment: _MONTHS[moment.month - 1],
    "MM": lambda moment: f"{moment.month:02}",
    "DDD": lambda moment: f"{moment.timetuple().tm_yday:03}",
    "DD": lambda moment: f"{moment.day:02}",
    "DY": lambda moment: _DAYS[moment.weekday()],
    "HH24": lambda moment: f"{moment.hour:02}",
    "HH12": lambda moment: f"{(moment.hour - 1) % 12 + 1:02}",
    "HH": lambda moment: f"{(moment.hour - 1) % 12 + 1:02}",
    "MI": lambda moment: f"{moment.minute:02}",
    "SS": lambda moment: f"{moment.second:02}",
    "AM": lambda moment: "AM" if moment.hour < 12 else "PM",
    "PM": lambda moment: "AM" if moment.hour < 12 else "PM",
}
_TOKEN = re.compile("|".join(_ELEMENTS) + r'|"[^"]*"|[^A-Za-z0-9"]', re.IGNORECASE)
_CHANGE = re.compile(
    r"\s*alter\s+session\s+set\b.*?\bnls_date_format\s*=\s*'((?:[^']|'')*)'", re.I | re.S
)


def changed_format(sql: str) -> str | None:
    """The NLS_DATE_FORMAT that a statement sets; None for any other statement."""
    match = _CHANGE.match(sql)
    return match[1].replace("''", "'") if match else None


def is_supported(form: str) -> bool:
    """Return True if date_text supports the format."""
    return len(form) <= 100 and re.fullmatch(f"(?:{_TOKEN.pattern})+", form, re.I) is not None


def date_text(form: str, moment: datetime.datetime) -> str:
    """The date in a supported format: 23-NOV-26."""

    def element(token: re.Match[str]) -> str:
        word = token[0]
        convert = _ELEMENTS.get(word.upper())
        return convert(moment) if convert else word.strip('"')

    return _TOKEN.sub(element, form)


def timestamp_text(moment: datetime.datetime) -> str:
    """A timestamp in Oracle's default format: 23-NOV-26 12.49.37.734021 PM."""
    return (
        date_text("DD-MON-RR HH.MI.SS", moment)
        + f".{moment.microsecond:06} {_ELEMENTS['AM'](moment)}"
    )
