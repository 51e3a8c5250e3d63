# SPDX-License-Identifier: GPL-2.0-or-later
"""A table of a TOML file, read with checks; an error is one line, FILE: KEY: PROBLEM."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

from polltrace.errors import FileError
from polltrace.grammar import near_miss


class CheckedTable:
    """The `data` of the table `where` in a file; every method raises FileError for a misfit."""

    def __init__(self, path: Path, where: str, data: Any, known_keys: Collection[str]) -> None:
        self.path, self.where = path, where
        if not isinstance(data, dict):
            self.wrong("", "is not a table")
        self.data: Mapping[str, Any] = data
        for key in data:
            if key not in known_keys:
                near = near_miss(key, known_keys) or f"; there are {', '.join(sorted(known_keys))}"
                self.wrong(key, f"no such key{near}")

    def wrong(self, key: str, problem: str) -> NoReturn:
        name = ".".join(filter(None, [self.where, key])) or "the file"
        raise FileError(f"{self.path}: {name}: {problem}")

    def has(self, key: str) -> bool:
        return key in self.data

    def text(self, key: str, default: str | None = None) -> str:
        value = self.data.get(key, default)
        if value is None:
            self.wrong(key, "is missing")
        if not isinstance(value, str):
            self.wrong(key, "is not a string")
        return value

    def texts(self, key: str) -> Sequence[str]:
        """A string, or an array of strings."""
        value = self.data.get(key, [])
        values = [value] if isinstance(value, str) else value
        if not isinstance(values, list) or not all(isinstance(text, str) for text in values):
            self.wrong(key, "is neither a string nor an array of strings")
        return tuple(values)

    def one_of(self, key: str, choices: Sequence[str]) -> str:
        """The value, which is among `choices`; by default the first of them."""
        value = self.data.get(key, choices[0])
        if value not in choices:
            self.wrong(key, f"{value!r} is none of {', '.join(choices)}")
        return str(value)

    def number(self, key: str, low: float, high: float, default: float | None = None) -> float:
        value = self.data.get(key, default)
        if value is None:
            self.wrong(key, "is missing")
        if isinstance(value, bool) or not isinstance(value, int | float) or math.isnan(value):
            self.wrong(key, "is not a number")
        if not low <= value <= high:
            self.wrong(key, f"{value:g} is not from {low:g} to {high:g}")
        return float(value)

    def whole(self, key: str, low: int, high: int, default: int) -> int:
        value = self.data.get(key, default)
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            self.wrong(key, f"is not a whole number from {low} to {high}")
        return value
