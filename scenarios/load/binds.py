# SPDX-License-Identifier: GPL-2.0-or-later
"""Bind values of a statement: from the workload file, or from a file of their own."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePath

from polltrace.bounded_file import UnreadableError, read_bounded
from polltrace.errors import FileError
from polltrace.scenarios.load import sql_text
from polltrace.scenarios.load.workload import BindValue

MOST_BYTES = 256 << 20
"""The largest bind file that is read: each client process holds its values in memory."""

# A number that reads back as it is written: 007 and 1e3 are text.
_WHOLE = re.compile(r"-?(0|[1-9]\d{0,17})")
_DECIMAL = re.compile(r"-?(0|[1-9]\d*)\.\d+")

Row = Sequence[BindValue]


def read_text(path: Path, max_bytes: int = MOST_BYTES) -> str:
    """A file's text, UTF-8. Raises FileError."""
    try:
        content = read_bounded("/", PurePath(path.absolute()), max_bytes)
    except UnreadableError as error:
        raise FileError(f"cannot read {path}: {error}") from None
    if content is None:
        raise FileError(f"cannot read {path}: there is no such file")
    try:
        return content.content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise FileError(f"cannot read {path}: not UTF-8 text") from None


def rows_of(path: Path, names: Sequence[str]) -> list[Row]:
    """The rows of a CSV file whose first line names the binds, in the order of `names`.

    A field that is written as a number is one, an empty field without quotes is a null, anything
    else is text. Raises FileError with the line.
    """
    lines = _fields(path, read_text(path), ",")
    if not lines:
        raise FileError(f"{path}: is empty; its first line must name {_listed(names)}")
    header = [name.strip().lstrip(":").upper() for name in lines[0][1]]
    missing = [name for name in dict.fromkeys(names) if name not in header]
    if missing or len(set(header)) < len(header):
        raise FileError(f"{path}: line 1: its first line must name {_listed(names)}, each once")
    chosen = [header.index(name) for name in names]
    rows: list[Row] = []
    for number, fields in lines[1:]:
        if len(fields) != len(header):
            raise FileError(
                f"{path}: line {number}: {len(fields)} values where line 1 names {len(header)}"
            )
        rows.append([_value(fields[n]) for n in chosen])
    if not rows:
        raise FileError(f"{path}: names binds but has no row of values")
    return rows


def by_position(path: Path, delimiter: str, names: Sequence[str]) -> list[Row]:
    """The rows of a file without a header, as sqlrun has them: text, split at each delimiter.

    A value belongs to a distinct name, in the order of their first occurrence.
    """
    distinct = list(dict.fromkeys(names))
    rows: list[Row] = []
    for number, line in enumerate(read_text(path).splitlines(), 1):
        if not line.strip():
            continue
        fields = line.split(delimiter)
        if len(fields) != len(distinct):
            raise FileError(
                f"{path}: line {number}: {len(fields)} values where the statement has "
                f"{len(distinct)} binds ({_listed(names)})"
            )
        values = dict(zip(distinct, fields, strict=True))
        rows.append([values[name] for name in names])
    if not rows:
        raise FileError(f"{path}: has no row of values")
    return rows


def inline_row(values: Mapping[str, BindValue] | Sequence[BindValue], names: Sequence[str]) -> Row:
    """A row from a table by name, or from an array with a value for each distinct name.

    Raises ValueError that says which names do not agree.
    """
    distinct = list(dict.fromkeys(names))
    if isinstance(values, Mapping):
        values = {name.upper(): value for name, value in values.items()}
        if set(values) != set(distinct):
            odd = ", ".join(sorted(name.lower() for name in set(values) ^ set(distinct)))
            raise ValueError(f"the statement and the binds do not agree about {odd}")
    else:
        if len(values) != len(distinct):
            raise ValueError(f"{len(values)} values where the statement has {len(distinct)} binds")
        values = dict(zip(distinct, values, strict=True))
    return [values[name] for name in names]


def check_names(sql: str, names: Sequence[str]) -> None:
    """Raises ValueError where drivers do not agree which value belongs to which placeholder."""
    if sql_text.kind(sql) == "block" and len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(
            f"the block uses the bind {twice.lower()} twice, which drivers bind by position in "
            "different ways: assign it to a variable first"
        )


class _Quoted(str):
    """A field that was written in quotes."""


def _fields(path: Path, text: str, delimiter: str) -> list[tuple[int, list[str]]]:
    """The lines of a CSV file that are not empty, each with its number."""
    # The csv module does not distinguish a quoted field from another: an empty quoted one is the
    # empty string and a quoted number is text, so quotes are read here.
    reader = csv.reader(io.StringIO(text), delimiter=delimiter, strict=True)
    names, previous_end = [], 0
    lines = text.splitlines()
    try:
        for fields in reader:
            source = "\n".join(lines[previous_end : reader.line_num])
            if fields:
                names.append((previous_end + 1, _marked(source, fields, delimiter)))
            previous_end = reader.line_num
    except csv.Error as error:
        raise FileError(f"{path}: line {reader.line_num}: {error}") from None
    return names


def _marked(source: str, fields: Sequence[str], delimiter: str) -> list[str]:
    if '"' not in source:
        return list(fields)
    starts = re.findall(rf'(?:^|{re.escape(delimiter)})("(?:[^"]|"")*"|[^{delimiter}]*)', source)
    return [
        _Quoted(field) if start.startswith('"') else field
        for field, start in zip(fields, starts, strict=False)
    ]


def _value(field: str) -> BindValue:
    if isinstance(field, _Quoted):
        return str(field)
    text = field.strip()
    if not text:
        return None
    if _WHOLE.fullmatch(text):
        return int(text)
    return float(text) if _DECIMAL.fullmatch(text) else field


def _listed(names: Sequence[str]) -> str:
    return ", ".join(name.lower() for name in dict.fromkeys(names)) or "nothing"
