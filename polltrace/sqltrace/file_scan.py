# SPDX-License-Identifier: GPL-2.0-or-later
"""One file's scan: its blocks become Arrow batches, whose numbers are the scanner's own memory."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Mapping
from ctypes import byref, c_char_p, c_int64, c_void_p
from dataclasses import dataclass

import pyarrow as arrow

from polltrace.sqltrace.columns import BY_NAME, COLUMNS, COUNTED, TIMES, TraceColumn, arrow_schema
from polltrace.sqltrace.file_summary import FileSummary
from polltrace.sqltrace.library import Options, Summary, library

# By column, the scanner's table of its strings; of "kind", these.
KINDS = arrow.array(["line", "call", "wait", "plan"])
_BIND_STRINGS, _IDENTITY = 4, 5
_STRINGS = {"name": 0, "sqlid": 1, "sql": 2, "text": 3} | {
    name: _IDENTITY + i
    for i, name in enumerate(("client_id", "service", "module", "action", "driver", "container"))
}


@dataclass(frozen=True, slots=True)
class ScanOptions:
    """What is wanted of a trace.

    columns: names out of COLUMNS; think_us: a wait for the client of so many microseconds or more
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


class Block:
    """The records of a part of a file; a thread uses it again and again."""

    def __init__(self) -> None:
        self.pointer = library().sqltrace_block_new()
        if not self.pointer:
            raise MemoryError

    def __del__(self) -> None:
        library().sqltrace_block_delete(self.pointer)


class FileScan:
    """The scan of one file."""

    def __init__(self, file: str, options: ScanOptions) -> None:
        self.file = file
        self._columns, self.schema, given = _layout(options)
        self._file_name = arrow.array([file.encode(errors="replace").decode()])
        self._pointer = library().sqltrace_open(byref(given))
        if not self._pointer:
            raise MemoryError

    def __del__(self) -> None:
        library().sqltrace_close(self._pointer)

    def read(self, block: Block, data: bytearray, length: int) -> None:
        """Find the records in the first `length` bytes of `data`, which end with a newline and are
        followed by library.PADDING more. Any thread may, in any order."""
        start = ctypes.addressof(ctypes.c_char.from_buffer(data))
        library().sqltrace_read(self._pointer, block.pointer, start, length)

    def batch(self, block: Block | None) -> arrow.RecordBatch | None:
        """The rows of the block, which is the next one of the file; its data is still there.

        None where there is no row. Counted calls come when they are many; without a block, those
        that are left.
        """
        pointer = library().sqltrace_batch(self._pointer, block and block.pointer)
        if not pointer:
            raise MemoryError
        batch = _Batch(pointer)
        if not batch.rows:
            return None
        return batch.record_batch(self._columns, self.schema, self._file_name)

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
        """What the file as a whole tells, after its last block."""
        found = Summary()
        library().sqltrace_end(self._pointer, byref(found))
        values = {name: getattr(found, name) for name, *_ in Summary._fields_}
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


class _Batch:
    """A batch of the scanner; it lives as long as an Arrow buffer of its memory."""

    def __init__(self, pointer: int) -> None:
        self._pointer = pointer
        self.rows = int(library().sqltrace_rows(pointer))
        self._tables: dict[int, arrow.Array] = {}

    def __del__(self) -> None:
        library().sqltrace_batch_delete(self._pointer)

    def record_batch(
        self, columns: list[TraceColumn], schema: arrow.Schema, file: arrow.Array
    ) -> arrow.RecordBatch:
        arrays = [self._array(each, file) for each in columns]
        return arrow.RecordBatch.from_arrays(arrays, schema=schema)

    def _array(self, column: TraceColumn, file: arrow.Array) -> arrow.Array:
        if column.name == "file":
            zeros = arrow.py_buffer(bytes(4 * self.rows))
            indices = arrow.Array.from_buffers(arrow.int32(), self.rows, [None, zeros])
            return arrow.DictionaryArray.from_arrays(indices, file)
        if column.source == "binds":
            return self._binds(column.kind)
        number = _scanner_columns()[column.source]
        valid = self._buffer(library().sqltrace_valid(self._pointer, number), self.rows // 8 + 1)
        wide = 8 if column.kind in ("whole", "instant") else 4
        values = self._buffer(library().sqltrace_values(self._pointer, number), self.rows * wide)
        if wide == 8:
            kind = arrow.int64() if column.kind == "whole" else arrow.timestamp("us")
            return arrow.Array.from_buffers(kind, self.rows, [valid, values])
        indices = arrow.Array.from_buffers(arrow.int32(), self.rows, [valid, values])
        strings = KINDS if column.name == "kind" else self._strings(_STRINGS[column.name])
        return arrow.DictionaryArray.from_arrays(indices, strings, safe=False)

    def _buffer(self, address: int | None, size: int) -> arrow.Buffer:
        if not address or not size:
            return arrow.py_buffer(bytes(64))
        return arrow.foreign_buffer(address, size, self)

    def _strings(self, table: int) -> arrow.Array:
        if table not in self._tables:
            offsets, data = c_void_p(), c_void_p()
            count = library().sqltrace_strings(self._pointer, table, byref(offsets), byref(data))
            length = c_int64(0)
            if count:
                ctypes.memmove(byref(length), (offsets.value or 0) + 4 * count, 4)
            buffers = [
                None,
                self._buffer(offsets.value, 4 * (count + 1) if count else 0),
                self._buffer(data.value, length.value),
            ]
            self._tables[table] = arrow.Array.from_buffers(arrow.string(), count, buffers)
        return self._tables[table]

    def _binds(self, kind: str) -> arrow.Array:
        begin, types, there = c_void_p(), c_void_p(), c_void_p()
        count = library().sqltrace_binds(self._pointer, byref(begin), byref(types), byref(there))
        valid = self._buffer(there.value, count // 8 + 1 if count else 0)
        if kind == "shorts":
            element: arrow.DataType = arrow.int16()
            buffers = [None, self._buffer(types.value, 2 * count)]
        else:
            element = arrow.string()
            buffers = [valid, *self._strings(_BIND_STRINGS).buffers()[1:]]
        values = arrow.Array.from_buffers(element, count, buffers)
        number = _scanner_columns()["binds"]
        rows = self._buffer(library().sqltrace_valid(self._pointer, number), self.rows // 8 + 1)
        offsets = self._buffer(begin.value, 4 * (self.rows + 1))
        return arrow.Array.from_buffers(
            arrow.list_(element), self.rows, [rows, offsets], children=[values]
        )


@functools.cache
def _layout(options: ScanOptions) -> tuple[list[TraceColumn], arrow.Schema, Options]:
    """The columns of a batch, its schema, and what the scanner is told; the same for many files."""
    columns = [each for each in (*COLUMNS, TIMES) if each.name in options.scanned]
    wanted = {_scanner_columns()[each.source] for each in columns if each.name != "file"}
    given = Options(
        sum(1 << i for i in wanted),
        options.think_us,
        options.clock,
        options.all_lines,
        options.plans,
        options.counted,
        not options.recursive,
    )
    return columns, arrow_schema(options.scanned), given


@functools.cache
def _scanner_columns() -> Mapping[str, int]:
    """The number of each column in the scanner, by its name there."""
    names: list[str] = []
    while name := library().sqltrace_column(len(names)):
        names.append(name.decode())
    return {name: i for i, name in enumerate(names)}


def check_columns() -> None:
    """Raises KeyError where the scanner lacks a column of COLUMNS; a test calls it."""
    for each in BY_NAME.values():
        if each.name != "file":
            _scanner_columns()[each.source]
