# SPDX-License-Identifier: GPL-2.0-or-later
"""Extended SQL trace as a table in Spark: the scanner of `polltrace trace`, one task a file.

    from polltrace.spark.sqltrace_source import SqlTraceSource
    spark.dataSource.register(SqlTraceSource)
    spark.read.format("sqltrace").option("path", "/traces").load()

Needs Spark 4 and a folder that every worker sees under the same name. Columns are those of
`polltrace trace` (docs/trace.md). Options: `path` (a file, a folder, a pattern, or several of them,
one a line), `columns` (names, with commas between; default: all but `text`), `think_us`,
`all_lines` and `plans` (true or false), which mean what they do in `ScanOptions`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition
from pyspark.sql.types import StructType

from polltrace.sqltrace.columns import BY_NAME, COLUMNS
from polltrace.sqltrace.file_scan import ScanOptions
from polltrace.sqltrace.inputs import trace_files

if TYPE_CHECKING:
    import pyarrow

_KINDS = {
    "whole": "bigint",
    "text": "string",
    "instant": "timestamp_ntz",
    "texts": "array<string>",
    "shorts": "array<smallint>",
}
_KNOWN = ("path", "columns", "think_us", "all_lines", "plans")


def scan_options(options: Mapping[str, str]) -> ScanOptions:
    """Raises ValueError that names an option, or a column, that there is not."""
    if unknown := set(options) - set(_KNOWN):
        raise ValueError(f"no option of sqltrace: {min(unknown)}; there are {', '.join(_KNOWN)}")
    named = options.get("columns", "")
    columns = tuple(filter(None, (each.strip() for each in named.split(","))))
    if missing := set(columns) - set(BY_NAME):
        raise ValueError(f"no column {min(missing)!r}; there are {', '.join(BY_NAME)}")
    scan = ScanOptions(
        columns=columns or tuple(name for name in BY_NAME if name != "text"),
        all_lines=_flag(options, "all_lines"),
        plans=_flag(options, "plans"),
    )
    think_us = options.get("think_us")
    return scan if think_us is None else replace(scan, think_us=int(think_us))


def _flag(options: Mapping[str, str], name: str) -> bool:
    value = options.get(name, "false").lower()
    if value not in ("true", "false"):
        raise ValueError(f"option {name} of sqltrace is true or false, not {value!r}")
    return value == "true"


class TraceFile(InputPartition):
    """A task: one file, scanned in its order, for the calls inside a call come before it."""

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.path = path


class SqlTraceReader(DataSourceReader):
    """Made on the driver, sent to the workers."""

    def __init__(self, options: Mapping[str, str]) -> None:
        self._scan = scan_options(options)
        if not options.get("path"):
            raise ValueError("sqltrace reads what the option path names")
        self._paths = options["path"].split("\n")

    def partitions(self) -> list[TraceFile]:
        return [TraceFile(path) for path in trace_files(self._paths)]

    def read(self, partition: InputPartition) -> Iterator[pyarrow.RecordBatch]:
        """On a worker: the file's batches, as the driver's schema has them."""
        from polltrace.sqltrace.scanner import TraceScan  # noqa: PLC0415 - on the worker

        assert isinstance(partition, TraceFile)
        for batch in TraceScan([partition.path], self._scan, threads=1).batches():
            yield _plain(batch)


def _plain(batch: pyarrow.RecordBatch) -> pyarrow.RecordBatch:
    """Without dictionaries, which Spark does not take."""
    import pyarrow as arrow  # noqa: PLC0415

    columns = [
        each.dictionary_decode() if arrow.types.is_dictionary(each.type) else each
        for each in batch.columns
    ]
    return arrow.RecordBatch.from_arrays(columns, names=batch.schema.names)


class SqlTraceSource(DataSource):
    """What `spark.dataSource.register` takes."""

    @classmethod
    def name(cls) -> str:
        return "sqltrace"

    def schema(self) -> str:
        wanted = scan_options(self.options).columns
        return ", ".join(
            f"`{each.name}` {_KINDS[each.kind]}" for each in COLUMNS if each.name in wanted
        )

    def reader(self, schema: StructType) -> SqlTraceReader:  # noqa: ARG002 - ours
        return SqlTraceReader(self.options)
