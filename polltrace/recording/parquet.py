# SPDX-License-Identifier: GPL-2.0-or-later
"""The tables of a recording as Parquet files, for DuckDB, Spark and the like."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from polltrace.errors import FileError, HostError
from polltrace.recording.summary import RecordingSummary
from polltrace.recording.tables import TABLES, TableColumn, rows

if TYPE_CHECKING:
    import pyarrow

_ROWS_AT_ONCE = 50_000


def write_parquet(summary: RecordingSummary, folder: Path) -> list[Path]:
    """Write one file per table into `folder`, which is created if necessary; return the files.

    Each file's metadata names host and recording, each column's its unit. Raises HostError where
    pyarrow is missing, FileError where the folder cannot be written.
    """
    try:
        import pyarrow as arrow  # noqa: PLC0415 - an extra, and slow to load
        from pyarrow import parquet  # noqa: PLC0415 - slow to load
    except ImportError:
        raise HostError("Parquet needs pyarrow: pip install 'polltrace[parquet]'") from None
    written = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, columns in TABLES.items():
            schema = _schema(columns, summary)
            written.append(folder / f"{name}.parquet")
            with parquet.ParquetWriter(written[-1], schema, compression="zstd") as writer:
                table_rows = rows(summary, name)
                while batch := list(islice(table_rows, _ROWS_AT_ONCE)):
                    writer.write_table(arrow.Table.from_pylist(batch, schema=schema))
    except OSError as error:
        raise FileError(f"cannot write to {folder}: {error.strerror or error}") from None
    return written


def _schema(columns: tuple[TableColumn, ...], summary: RecordingSummary) -> pyarrow.Schema:
    import pyarrow as arrow  # noqa: PLC0415 - slow to load

    kinds = {
        "text": arrow.string(),
        "whole": arrow.int64(),
        "real": arrow.float64(),
        "flag": arrow.bool_(),
        "texts": arrow.list_(arrow.string()),
    }
    header = summary.recording.header
    about = {
        "polltrace": header.polltrace,
        "host": header.host,
        "kernel": header.kernel,
        "started": header.started,
        "part": str(header.part),
        "tear": summary.recording.tear,
    }
    fields = [
        arrow.field(column.name, kinds[column.kind], metadata={"note": column.note})
        for column in columns
    ]
    return arrow.schema(fields, metadata=about)
