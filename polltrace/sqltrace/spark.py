# SPDX-License-Identifier: GPL-2.0-or-later
"""Traces as a data source of Apache Spark 4: the scanner on every worker, a file in one task.

    from polltrace.sqltrace.spark import register
    register(spark)
    calls = spark.read.format("polltrace").schema("name string, dur_us bigint").load("/traces")
    files = spark.read.format("polltrace").option("rows", "files").load("/traces")

Workers read the files by the same names as the driver and have polltrace installed. Columns are
those of `polltrace.sqltrace.columns`; only those of the schema are scanned. The figures of a
whole file, the number of lines that were not understood too, are in the rows of `files`.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from polltrace.errors import HostError, UsageError
from polltrace.grammar import near_miss
from polltrace.sqltrace.columns import BY_NAME, COLUMNS
from polltrace.sqltrace.file_scan import ScanOptions
from polltrace.sqltrace.file_summary import FileSummary
from polltrace.sqltrace.scanner import TraceScan
from polltrace.sqltrace.segments import trace_bytes, traces

try:
    from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition
except ImportError:
    raise HostError("Spark needs pyspark: pip install 'polltrace[spark]'") from None

if TYPE_CHECKING:
    import pyarrow as arrow
    from pyspark.sql import SparkSession
    from pyspark.sql.types import StructType

_TYPES = {
    "whole": "bigint",
    "text": "string",
    "instant": "timestamp_ntz",
    "texts": "array<string>",
    "shorts": "array<smallint>",
}
_OF_FILES = {int: "bigint", bool: "boolean", str: "string"}
_MAP = "map<string, bigint>"
_ROWS = ("calls", "lines", "plans", "files")
# Tasks cost a tenth of a second each: small files share one.
_TASKS = 4096


def register(spark: SparkSession) -> None:
    """Make the format "polltrace" known to the session."""
    spark.dataSource.register(TraceSource)


class TraceSource(DataSource):  # type: ignore[misc]
    """Options: path: a file, folder or pattern, on each worker the same; rows: "calls", "lines" or
    "plans" (calls, and every line or STAT line), or "files"; think_us, clock: as of ScanOptions."""

    @classmethod
    def name(cls) -> str:
        return "polltrace"

    def schema(self) -> str:
        if _asked(self.options) == "files":
            kinds = FileSummary.__annotations__.items()
            return ", ".join(f"{name} {_OF_FILES.get(kind, _MAP)}" for name, kind in kinds)
        return ", ".join(f"{column.name} {_TYPES[column.kind]}" for column in COLUMNS)

    def reader(self, schema: StructType) -> DataSourceReader:
        return _TraceReader(dict(self.options), schema.names)


@dataclass
class _Files(InputPartition):  # type: ignore[misc]
    files: Sequence[str]


class _TraceReader(DataSourceReader):  # type: ignore[misc]
    def __init__(self, options: dict[str, str], columns: list[str]) -> None:
        self._rows = _asked(options)
        self._words = [options["path"]] if "path" in options else []
        self._columns = columns
        if not self._words:
            raise UsageError("polltrace: name a trace file or a folder: load(PATH)")
        names = FileSummary._fields if self._rows == "files" else BY_NAME
        for name in columns:
            if name not in names:
                raise UsageError(f"there is no column {name}{near_miss(name, names)}")
        self._options = ScanOptions(
            ("kind",) if self._rows == "files" else tuple(columns),
            int(options.get("think_us", 1_000_000)),
            int(options.get("clock", 0)),
            self._rows == "lines",
            self._rows == "plans",
            counted=self._rows == "files",
        )

    def partitions(self) -> Sequence[InputPartition]:
        return [_Files(files) for files in _shares(traces(self._words))] or [_Files(())]

    def read(self, partition: _Files) -> Iterator[arrow.RecordBatch] | Iterator[tuple[Any, ...]]:
        scan = TraceScan(partition.files, self._options, threads=1)
        if self._rows != "files":
            return (_plain(batch, self._columns) for batch in scan.batches())
        for _ in scan.batches():
            pass
        return (
            tuple(getattr(summary, name) for name in self._columns) for summary in scan.summaries
        )


def _asked(options: dict[str, str]) -> str:
    rows = options.get("rows", "calls")
    if rows not in _ROWS:
        raise UsageError(f"polltrace: rows are {', '.join(_ROWS)}, not {rows}")
    return rows


def _shares(files: Iterable[str]) -> list[list[str]]:
    """The files in shares of about the same size, the largest first."""
    sized = sorted(((trace_bytes(path), path) for path in files), reverse=True)
    shares: list[list[str]] = [[] for _ in range(min(len(sized), _TASKS))]
    heap = [(0, number) for number in range(len(shares))]
    for size, file in sized:
        total, number = heapq.heappop(heap)
        shares[number].append(file)
        heapq.heappush(heap, (total + size, number))
    return shares


def _plain(batch: arrow.RecordBatch, columns: Sequence[str]) -> arrow.RecordBatch:
    """The columns in that order; Spark knows no dictionaries."""
    import pyarrow as arrow

    arrays = [batch.column(name) for name in columns]
    return arrow.RecordBatch.from_arrays(
        [
            array.dictionary_decode() if arrow.types.is_dictionary(array.type) else array
            for array in arrays
        ],
        names=list(columns),
    )
