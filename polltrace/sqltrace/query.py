# SPDX-License-Identifier: GPL-2.0-or-later
"""A user's own SQL over the relation `calls`, and calls as a Parquet file."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from polltrace.errors import FileError
from polltrace.sqltrace.columns import BY_NAME
from polltrace.sqltrace.database import TraceDatabase
from polltrace.sqltrace.profile import condition
from polltrace.sqltrace.profile_question import ProfileQuestion

_ROWS_AT_ONCE = 200_000


def answer(database: TraceDatabase, query: str) -> list[dict[str, Any]]:
    """The rows of a query over `calls` and `files`. Rows of kind 'line' and 'plan' are there where
    the query names these words."""
    names = re.sub(r"--[^\n]*", " ", query)
    lines, plans = "'line'" in names, "'plan'" in names
    columns = _columns_of(names)
    database.load("calls", f"select {columns} from calls", lines=lines, plans=plans)
    if re.search(r"\bfiles\b", names, re.IGNORECASE):
        add_files(database)
    return database.rows(query)


def _columns_of(query: str) -> str:
    from polltrace.sqltrace.relation import needed

    return ", ".join(f'"{name}"' for name in needed([query])) or "kind"


def _file_rows(database: TraceDatabase) -> list[dict[str, Any]]:
    return [
        summary._asdict() | {"not_understood": sum(summary.not_understood.values())}
        for summary in database.summaries
    ]


def file_rows(database: TraceDatabase) -> list[dict[str, Any]]:
    """Totals of each file, by one scan."""
    database.load("counted", "select count(*) as calls from calls")
    return _file_rows(database)


def add_files(database: TraceDatabase) -> None:
    """Make the table `files`: a row for each file, as FileSummary has it."""
    import pyarrow as arrow

    rows = _file_rows(database)
    if rows:
        database.connection.register("files", arrow.Table.from_pylist(rows))


def write_parquet(database: TraceDatabase, question: ProfileQuestion, path: Path) -> int:
    """Write the calls that are meant, with every column but text, as one Parquet file; how many.

    Raises FileError where it cannot be written.
    """
    from pyarrow import parquet

    columns = ", ".join(f'"{name}"' for name in BY_NAME if name != "text")
    reader = database.stream(
        f"select {columns} from calls where {condition(question)}", lines=question.name == ":all"
    )
    count = 0
    try:
        with parquet.ParquetWriter(path, reader.schema, compression="zstd") as writer:
            for batch in reader:
                writer.write_batch(batch)
                count += batch.num_rows
    except OSError as error:
        raise FileError(f"cannot write {path}: {error.strerror or error}") from None
    return count


def rows_text(rows: Sequence[Mapping[str, Any]]) -> str:
    """Rows as an aligned table: numbers to the right."""
    if not rows:
        return "(no rows)"
    cells = [[_cell(value) for value in row.values()] for row in rows]
    titles = list(rows[0])
    widths = [max(len(title), *(len(row[i]) for row in cells)) for i, title in enumerate(titles)]
    right = [
        all(isinstance(row[title], int | float) or row[title] is None for row in rows)
        for title in titles
    ]

    def line(texts: Sequence[str]) -> str:
        return "  ".join(
            text.rjust(width) if number else text.ljust(width)
            for text, width, number in zip(texts, widths, right, strict=True)
        ).rstrip()

    return "\n".join([line(titles), "  ".join("-" * width for width in widths), *map(line, cells)])


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:,.6f}"
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return str(value).replace("\n", " ")
