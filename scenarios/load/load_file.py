# SPDX-License-Identifier: GPL-2.0-or-later
"""The file of a load: JSON Lines, a line a second, so that a crash loses no more than that.

The first line describes workload, sessions and host (`"format": "polltrace-load"`). Each other line
has a `kind`: session, second, lost, cache, end. Without an `end` line the load was killed.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, Self

from polltrace.errors import FileError, UsageError
from polltrace.scenarios.load.latency_histogram import Histogram

FORMAT = "polltrace-load"
VERSION = 1
_IN_HEADER = ("workload", "host", "drivers", "server", "seed")
_IN_SECOND = (
    "at_s", "seconds", "transactions", "errors", "ignored", "dropped", "by_session", "latency",
    "lag", "own_lag", "p50_ms", "p90_ms", "p99_ms",
)  # fmt: skip

_LONGEST_LINE = 256 << 20

Line = Mapping[str, Any]


@dataclass(slots=True)
class LoadData:
    """The content of a load's file; of a day's, no more is kept than a line of figures a second.

    - `header`: its first line
    - `sessions`: a line for each, as it connected or failed to
    - `seconds`: a line for each second, in order, without histograms and sessions
    - `latency`: of each statement; `lag`, `own_lag`: of all, merged over the seconds
    - `by_session`: transactions of each session
    - `cache`: statistics of all sessions' client result caches together
    - `lost`: sessions that ended before their time
    - `end`: the last line; None where the load was killed
    - `torn`: whether the last line is incomplete
    """

    header: Line
    latency: Sequence[Histogram]
    by_session: list[int]
    lag: Histogram = field(default_factory=Histogram)
    own_lag: Histogram = field(default_factory=Histogram)
    sessions: list[Line] = field(default_factory=list)
    seconds: list[Line] = field(default_factory=list)
    cache: Counter[str] = field(default_factory=Counter)
    lost: list[Line] = field(default_factory=list)
    end: Line | None = None
    torn: bool = False

    @classmethod
    def begun(cls, header: Line) -> Self:
        """Start a load from its header line. Raises KeyError or TypeError for a damaged one."""
        workload = header["workload"]
        histograms = [Histogram() for _ in workload["statements"]]
        return cls(header, histograms, [0] * workload["sessions"])

    def take(self, line: dict[str, Any]) -> None:
        """Add a line after the first. Raises ValueError, KeyError or TypeError for a damaged one,
        FileError for a damaged histogram."""
        match line["kind"]:
            case "session":
                self.sessions.append(line)
            case "lost":
                self.lost.append(line)
            case "cache":
                self.cache.update({k: int(v) for k, v in line["statistics"].items()})
            case "end":
                self.end = line
            case "second":
                self._second(line)
            case kind:
                raise ValueError(kind)

    def _second(self, line: dict[str, Any]) -> None:
        _ = [line[key] for key in _IN_SECOND]
        for total, part in zip(self.latency, line.pop("latency"), strict=True):
            _merge(total, part)
        _merge(self.lag, line.pop("lag"))
        _merge(self.own_lag, line.pop("own_lag"))
        counts = zip(self.by_session, line.pop("by_session"), strict=True)
        self.by_session = [total + int(part) for total, part in counts]
        self.seconds.append(line)


def _merge(total: Histogram, part: str) -> None:
    if part:
        total.merge(part)


def read_load(path: Path) -> LoadData:
    """Raises FileError where it cannot be read, or it is no load of this version."""
    try:
        with path.open("rb") as file:
            return _read(path, file)
    except OSError as error:
        raise FileError(f"cannot read {path}: {error.strerror}") from None


def _read(path: Path, file: BinaryIO) -> LoadData:
    data = _begun(path, file.readline(_LONGEST_LINE))
    number = 1
    while text := file.readline(_LONGEST_LINE):
        number += 1
        data.torn = not text.endswith(b"\n")
        if data.torn and len(text) < _LONGEST_LINE:
            break
        try:
            data.take(json.loads(text))
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            raise FileError(f"{path}: line {number} is damaged") from None
        except FileError as error:
            raise FileError(f"{path}: line {number}: {error}") from None
    return data


def _begun(path: Path, text: bytes) -> LoadData:
    try:
        header = json.loads(text)
        if header["format"] != FORMAT:
            raise ValueError
        version = header["version"]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise FileError(f"{path} is no load: 'polltrace load -o FILE' makes those") from None
    if version != VERSION:
        raise FileError(f"{path} is a load of version {version}; this release reads {VERSION}")
    try:
        _ = [header[key] for key in _IN_HEADER]
        return LoadData.begun(header)
    except (KeyError, TypeError):
        raise FileError(f"{path}: the first line is damaged") from None


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
