# SPDX-License-Identifier: GPL-2.0-or-later
"""The file of a load: JSON Lines, a line a second, so that a crash loses no more than that.

The first line describes workload, sessions and host (`"format": "polltrace-load"`). Each other line
has a `kind`: session, second, lost, end. Without an `end` line the load was killed.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from polltrace.errors import FileError, UsageError

FORMAT = "polltrace-load"
VERSION = 1
_IN_HEADER = ("workload", "host", "drivers", "server", "seed")
_IN_SECOND = (
    "at_s", "seconds", "transactions", "errors", "ignored", "dropped", "by_session", "latency",
    "lag", "own_lag", "p50_ms", "p90_ms", "p99_ms",
)  # fmt: skip

Line = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class LoadData:
    """The content of a load's file.

    - `header`: its first line
    - `sessions`: a line for each, as it connected or failed to
    - `seconds`: a line for each second, in order
    - `lost`: sessions that ended before their time
    - `end`: the last line; None where the load was killed
    - `torn`: whether the last line is incomplete
    """

    header: Line
    sessions: Sequence[Line]
    seconds: Sequence[Line] = field(repr=False)
    lost: Sequence[Line]
    end: Line | None
    torn: bool


def read_load(path: Path) -> LoadData:
    """Raises FileError where it cannot be read, or it is no load of this version."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise FileError(f"cannot read {path}: {error.strerror}") from None
    try:
        texts = content.decode().split("\n")
        header = json.loads(texts[0])
        if header["format"] != FORMAT:
            raise ValueError
        version = header["version"]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise FileError(f"{path} is no load: 'polltrace load -o FILE' makes those") from None
    if version != VERSION:
        raise FileError(f"{path} is a load of version {version}; this release reads {VERSION}")
    try:
        _ = [header[key] for key in _IN_HEADER]
    except (KeyError, TypeError):
        raise FileError(f"{path}: the first line is damaged") from None
    lines: dict[str, list[Line]] = {"session": [], "second": [], "lost": [], "end": []}
    for number, text in enumerate(texts[1:-1], 2):
        try:
            line = json.loads(text)
            lines[line["kind"]].append(line)
            _ = [line[key] for key in _IN_SECOND if line["kind"] == "second"]
        except (ValueError, KeyError, TypeError, RecursionError):
            raise FileError(f"{path}: line {number} is damaged") from None
    return LoadData(
        header=header,
        sessions=lines["session"],
        seconds=lines["second"],
        lost=lines["lost"],
        end=lines["end"][-1] if lines["end"] else None,
        torn=texts[-1] != "",
    )


class LoadWriter:
    """Appends lines to a new file, each synced before the next is written."""

    def __init__(self, path: Path, header: Line) -> None:
        self.path = path
        try:
            self._file = path.open("x", encoding="utf-8")
        except FileExistsError:
            raise UsageError(f"{path} exists: name another with -o") from None
        except OSError as error:
            raise FileError(f"cannot write {path}: {error.strerror}") from None
        self._write({"format": FORMAT, "version": VERSION, **header})

    def write(self, kind: str, **values: Any) -> None:
        self._write({"kind": kind, **values})

    def _write(self, line: Line) -> None:
        try:
            self._file.write(json.dumps(line) + "\n")
            self._file.flush()
            os.fsync(self._file.fileno())
        except OSError as error:
            raise FileError(f"cannot write {self.path}: {error.strerror}") from None

    def close(self) -> None:
        self._file.close()
