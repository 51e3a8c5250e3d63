# SPDX-License-Identifier: GPL-2.0-or-later
"""Calls that the scanner has counted, without Arrow: they are few, and it takes longer to load than
many a trace to scan."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from ctypes import c_int32, c_int64, string_at
from itertools import pairwise
from typing import NamedTuple

from polltrace.sqltrace.columns import TIMES
from polltrace.sqltrace.file_scan import KINDS, STRINGS, ScannedBatch


class CountedRows(NamedTuple):
    """A batch: `names` by their numbers; then, by row, the kind of call, the number of its name,
    its duration in microseconds, and the number of such calls."""

    names: Sequence[str]
    kind: Sequence[int]
    name: Sequence[int]
    duration: Sequence[int]
    times: Sequence[int]


class CountedCalls:
    """Numbers of calls by kind and name, then by duration in microseconds.

    held: how many kinds, names and durations these are; spilled: there were more, and all of them
    are in the database.
    """

    def __init__(self) -> None:
        self.times: dict[tuple[str, str], dict[int, int]] = {}
        self.held = 0
        self.spilled = False

    def add(self, rows: CountedRows) -> None:
        of = {
            (kind, name): self.times.setdefault((KINDS[kind], rows.names[name]), {})
            for kind, name in set(zip(rows.kind, rows.name, strict=True))
        }
        for kind, name, duration, times in zip(
            rows.kind, rows.name, rows.duration, rows.times, strict=True
        ):
            alike = of[kind, name]
            if duration not in alike:
                self.held += 1
            alike[duration] = alike.get(duration, 0) + times

    def rows(self) -> Iterator[tuple[str, str, int, int]]:
        """kind, name, duration and times of each."""
        for (kind, name), alike in self.times.items():
            for duration, times in alike.items():
                yield kind, name, duration, times


def counted_rows(batch: ScannedBatch, _file: str) -> CountedRows:
    """The rows of a batch of counted calls."""
    return CountedRows(
        _texts(batch),
        _numbers(batch, "kind", c_int32),
        _numbers(batch, "name", c_int32),
        _numbers(batch, "dur_us", c_int64),
        _numbers(batch, TIMES.name, c_int64),
    )


def _numbers(batch: ScannedBatch, source: str, kind: type[c_int32] | type[c_int64]) -> list[int]:
    address = batch.values(source)
    assert address, source  # a counted row has every column
    return (kind * batch.rows).from_address(address)[:]


def _texts(batch: ScannedBatch) -> list[str]:
    count, offsets, data, length = batch.strings(STRINGS["name"])
    ends = (c_int32 * (count + 1)).from_address(offsets)[:]
    text = string_at(data, length)
    return [text[begin:end].decode() for begin, end in pairwise(ends)]
