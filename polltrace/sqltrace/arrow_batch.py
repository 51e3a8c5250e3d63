# SPDX-License-Identifier: GPL-2.0-or-later
"""Batches of the scanner as Arrow record batches, whose numbers are the scanner's own memory."""

from __future__ import annotations

import pyarrow as arrow

from polltrace.sqltrace.columns import TraceColumn, arrow_schema
from polltrace.sqltrace.file_scan import BIND_STRINGS, KINDS, STRINGS, ScannedBatch, ScanOptions

_KINDS = arrow.array(KINDS)


class ArrowForm:
    """Makes record batches of the records that a scan with these options finds.

    schema: of the wanted columns, in the order of COLUMNS.
    """

    def __init__(self, options: ScanOptions) -> None:
        self.schema = arrow_schema(options.scanned)
        self._columns = options.layout

    def __call__(self, batch: ScannedBatch, file: str) -> arrow.RecordBatch:
        """The rows of the batch, which are of the file of that name."""
        name = arrow.array([file.encode(errors="replace").decode()])
        arrays = _Arrays(batch, name)
        return arrow.RecordBatch.from_arrays(
            [arrays.of(column) for column in self._columns], schema=self.schema
        )


class _Arrays:
    """The columns of a batch, which lives as long as an Arrow buffer of its memory."""

    def __init__(self, batch: ScannedBatch, file: arrow.Array) -> None:
        self._batch = batch
        self._rows = batch.rows
        self._file = file
        self._tables: dict[int, arrow.Array] = {}

    def of(self, column: TraceColumn) -> arrow.Array:
        if column.name == "file":
            zeros = arrow.py_buffer(bytes(4 * self._rows))
            indices = arrow.Array.from_buffers(arrow.int32(), self._rows, [None, zeros])
            return arrow.DictionaryArray.from_arrays(indices, self._file)
        if column.source == "binds":
            return self._binds(column.kind)
        valid = self._buffer(self._batch.valid(column.source), self._rows // 8 + 1)
        wide = 8 if column.kind in ("whole", "instant") else 4
        values = self._buffer(self._batch.values(column.source), self._rows * wide)
        if wide == 8:
            kind = arrow.int64() if column.kind == "whole" else arrow.timestamp("us")
            return arrow.Array.from_buffers(kind, self._rows, [valid, values])
        indices = arrow.Array.from_buffers(arrow.int32(), self._rows, [valid, values])
        strings = _KINDS if column.name == "kind" else self._strings(STRINGS[column.name])
        return arrow.DictionaryArray.from_arrays(indices, strings, safe=False)

    def _buffer(self, address: int | None, size: int) -> arrow.Buffer:
        if not address or not size:
            return arrow.py_buffer(bytes(64))
        return arrow.foreign_buffer(address, size, self._batch)

    def _strings(self, table: int) -> arrow.Array:
        if table not in self._tables:
            count, offsets, data, length = self._batch.strings(table)
            buffers = [
                None,
                self._buffer(offsets, 4 * (count + 1) if count else 0),
                self._buffer(data, length),
            ]
            self._tables[table] = arrow.Array.from_buffers(arrow.string(), count, buffers)
        return self._tables[table]

    def _binds(self, kind: str) -> arrow.Array:
        count, begin, types, present = self._batch.binds()
        valid = self._buffer(present, count // 8 + 1 if count else 0)
        if kind == "shorts":
            element: arrow.DataType = arrow.int16()
            buffers = [None, self._buffer(types, 2 * count)]
        else:
            element = arrow.string()
            buffers = [valid, *self._strings(BIND_STRINGS).buffers()[1:]]
        values = arrow.Array.from_buffers(element, count, buffers)
        rows = self._buffer(self._batch.valid("binds"), self._rows // 8 + 1)
        offsets = self._buffer(begin, 4 * (self._rows + 1))
        return arrow.Array.from_buffers(
            arrow.list_(element), self._rows, [rows, offsets], children=[values]
        )
