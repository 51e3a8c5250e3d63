# SPDX-License-Identifier: GPL-2.0-or-later
"""The scan of a file: its blocks become batches of columns in the scanner's memory."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Mapping
from ctypes import byref, c_char_p, c_int64, c_void_p
from typing import NamedTuple

from polltrace.sqltrace.columns import BY_NAME, COLUMNS, COUNTED, TIMES, TraceColumn
from polltrace.sqltrace.file_summary import FileSummary
from polltrace.sqltrace.library import Options, SummaryStructure, library

# The scanner's tables of strings, by column.
BIND_STRINGS, _IDENTITY = 4, 5
STRINGS = {"name": 0, "sqlid": 1, "sql": 2, "text": 3} | {
    name: _IDENTITY + i
    for i, name in enumerate(("client_id", "service", "module", "action", "driver", "container"))
}
# The meanings of the numbers of the column "kind".
KINDS = ("line", "call", "wait", "plan")


class ScanOptions(NamedTuple):
    """The columns and rows that a scan produces.

    columns: names out of COLUMNS; think_us: a wait for the client of this many microseconds or more
    ends an experience; clock: nanoseconds a unit of tim, 0: found out; all_lines: a row for every
    line; plans: a row for every STAT line; counted: a row for all calls that are alike in the
    columns COUNTED, with their number in the column TIMES, and the calls of recursion only where
    `recursive`.
    """

    columns: tuple[str, ...]
    think_us: int = 1_000_000
    clock: int = 0
    all_lines: bool = False
    plans: bool = False
    counted: bool = False
    recursive: bool = True

    @property
    def scanned(self) -> tuple[str, ...]:
        """The names of the columns that a batch has."""
        return (*COUNTED, TIMES.name) if self.counted else self.columns

    @property
    def layout(self) -> tuple[TraceColumn, ...]:
        """The scanned columns in the order of a batch."""
        return tuple(column for column in (*COLUMNS, TIMES) if column.name in self.scanned)


class Block:
    """The records of a part of a file; a thread uses it again and again."""

    pointer: int | None = None  # of an object whose __init__ failed, too

    def __init__(self) -> None:
        self.pointer = library().sqltrace_block_new()
        if not self.pointer:
            raise MemoryError

    def __del__(self) -> None:
        if self.pointer:
            library().sqltrace_block_delete(self.pointer)


class ScannedBatch:
    """Rows as the scanner made them: addresses of columns, which last as long as this object."""

    def __init__(self, pointer: int) -> None:
        self._pointer = pointer
        self.rows = int(library().sqltrace_rows(pointer))

    def __del__(self) -> None:
        library().sqltrace_batch_delete(self._pointer)

    def values(self, source: str) -> int | None:
        """Address of a column's 64-bit numbers or 32-bit indices; None if it is not scanned."""
        address: int | None = library().sqltrace_values(self._pointer, _scanner_columns()[source])
        return address

    def valid(self, source: str) -> int | None:
        """A bit for each row of the column that has a value."""
        address: int | None = library().sqltrace_valid(self._pointer, _scanner_columns()[source])
        return address

    def strings(self, table: int) -> tuple[int, int, int, int]:
        """A table of strings in UTF-8: their number, the addresses of their offsets, which are
        32-bit numbers, and of their bytes, and how many bytes these are."""
        offsets, data = c_void_p(), c_void_p()
        count = library().sqltrace_strings(self._pointer, table, byref(offsets), byref(data))
        length = c_int64(0)
        if count:
            ctypes.memmove(byref(length), (offsets.value or 0) + 4 * count, 4)
        return count, offsets.value or 0, data.value or 0, length.value

    def binds(self) -> tuple[int, int | None, int | None, int | None]:
        """The number of all values, and the addresses of where each row's begin, of their types,
        and of a bit for each that is there."""
        begin, types, present = c_void_p(), c_void_p(), c_void_p()
        count = library().sqltrace_binds(self._pointer, byref(begin), byref(types), byref(present))
        return count, begin.value, types.value, present.value


class FileScan:
    """The scan of one file."""

    _pointer: int | None = None  # of an object whose __init__ failed, too

    def __init__(self, file: str, options: ScanOptions) -> None:
        self.file = file
        self._pointer = library().sqltrace_open(byref(_layout(options)))
        if not self._pointer:
            raise MemoryError

    def __del__(self) -> None:
        if self._pointer:
            library().sqltrace_close(self._pointer)

    def read(self, block: Block, address: int, length: int) -> int:
        """Find the records in `length` bytes at `address`, which end with a newline and are
        followed by library.PADDING more; how many they are. Any thread may, in any order."""
        return int(library().sqltrace_read(self._pointer, block.pointer, address, length))

    def batch(self, block: Block | None) -> ScannedBatch | None:
        """The rows of the block, which is the next one of the file; its data is still there.

        None where there is no row. Counted calls come when they are many; without a block, those
        that are left.
        """
        pointer = library().sqltrace_batch(self._pointer, block and block.pointer)
        if not pointer:
            raise MemoryError
        batch = ScannedBatch(pointer)
        return batch if batch.rows else None

    def pass_line(self, length: int) -> None:
        """Leave out a line that is too long for a block."""
        library().sqltrace_pass_line(self._pointer, length)

    def cut_line(self, length: int) -> None:
        """Leave out the file's last line, which ends in the middle."""
        library().sqltrace_cut_line(self._pointer, length)

    def last_tim(self) -> int:
        """tim of the last call, as it was written; 0: none yet."""
        return int(library().sqltrace_last_tim(self._pointer))

    def end(self) -> FileSummary:
        """Totals of the file, after its last block."""
        summary = SummaryStructure()
        library().sqltrace_end(self._pointer, byref(summary))
        values = {name: getattr(summary, name) for name, *_ in SummaryStructure._fields_}
        for name in ("version", "node", "instance"):
            values[name] = values[name].decode("utf-8", "replace")
        for name in ("limited", "continued_from", "continues_in"):
            values[name] = bool(values[name])
        return FileSummary(file=self.file, not_understood=self._kinds(), **values)

    def _kinds(self) -> Mapping[str, int]:
        kinds: dict[str, int] = {}
        name = c_char_p()
        while lines := library().sqltrace_kind(self._pointer, len(kinds), byref(name)):
            kinds[(name.value or b"").decode("ascii", "replace")] = lines
        return kinds


@functools.cache
def _layout(options: ScanOptions) -> Options:
    """The scanner's structure of the options, shared by all files."""
    sources = {column.source for column in options.layout if column.name != "file"}
    return Options(
        sum(1 << _scanner_columns()[source] for source in sources),
        options.think_us,
        options.clock,
        options.all_lines,
        options.plans,
        options.counted,
        not options.recursive,
    )


@functools.cache
def _scanner_columns() -> Mapping[str, int]:
    """The number of each column in the scanner, by its name there."""
    names: list[str] = []
    while name := library().sqltrace_column(len(names)):
        names.append(name.decode())
    return {name: i for i, name in enumerate(names)}


def check_columns() -> None:
    """Raises KeyError where the scanner lacks a column of COLUMNS; a test calls it."""
    for column in BY_NAME.values():
        if column.name != "file":
            _scanner_columns()[column.source]
