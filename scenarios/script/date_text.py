# SPDX-License-Identifier: GPL-2.0-or-later
"""Dates by NLS_DATE_FORMAT. The client converts them, as SQL*Plus does, so that a fetch is no
other than with another type."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable

DEFAULT = "DD-MON-RR"
_MONTHS = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"]
_DAYS = ["MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN"]
_ELEMENTS: dict[str, Callable[[datetime.datetime], str]] = {
    "YYYY": lambda at: f"{at.year:04}",
    "RRRR": lambda at: f"{at.year:04}",
    "YY": lambda at: f"{at.year % 100:02}",
    "RR": lambda at: f"{at.year % 100:02}",
    "MON": lambda at: _MONTHS[at.month - 1],
    "MM": lambda at: f"{at.month:02}",
    "DDD": lambda at: f"{at.timetuple().tm_yday:03}",
    "DD": lambda at: f"{at.day:02}",
    "DY": lambda at: _DAYS[at.weekday()],
    "HH24": lambda at: f"{at.hour:02}",
    "HH12": lambda at: f"{(at.hour - 1) % 12 + 1:02}",
    "HH": lambda at: f"{(at.hour - 1) % 12 + 1:02}",
    "MI": lambda at: f"{at.minute:02}",
    "SS": lambda at: f"{at.second:02}",
    "AM": lambda at: "AM" if at.hour < 12 else "PM",
    "PM": lambda at: "AM" if at.hour < 12 else "PM",
}
_TOKEN = re.compile("|".join(_ELEMENTS) + r'|"[^"]*"|[^A-Za-z0-9"]', re.IGNORECASE)
_CHANGE = re.compile(
    r"\s*alter\s+session\s+set\b.*?\bnls_date_format\s*=\s*'((?:[^']|'')*)'", re.I | re.S
)


def changed_format(sql: str) -> str | None:
    """The NLS_DATE_FORMAT that a statement sets; None for any other statement."""
    found = _CHANGE.match(sql)
    return found[1].replace("''", "'") if found else None


def is_known(form: str) -> bool:
    """Whether date_text can follow it."""
    return len(form) <= 100 and re.fullmatch(f"(?:{_TOKEN.pattern})+", form, re.I) is not None


def date_text(form: str, at: datetime.datetime) -> str:
    """`at` by a known format: 23-NOV-26."""

    def element(token: re.Match[str]) -> str:
        word = token[0]
        known = _ELEMENTS.get(word.upper())
        return known(at) if known else word.strip('"')

    return _TOKEN.sub(element, form)


def timestamp_text(at: datetime.datetime) -> str:
    """By Oracle's default: 23-NOV-26 12.49.37.734021 PM."""
    return date_text("DD-MON-RR HH.MI.SS", at) + f".{at.microsecond:06} {_ELEMENTS['AM'](at)}"
