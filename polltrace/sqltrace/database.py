# SPDX-License-Identifier: GPL-2.0-or-later
"""DuckDB over a scan: its answers, and its errors in one line."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Sequence
from typing import Any

from polltrace.errors import HostError, PolltraceError, UsageError
from polltrace.grammar import near_miss
from polltrace.sqltrace.columns import TIMES
from polltrace.sqltrace.file_scan import ScanOptions
from polltrace.sqltrace.file_summary import FileSummary
from polltrace.sqltrace.inputs import trace_files
from polltrace.sqltrace.relation import ALIKE, NAMES, needed, relation_sql, scanned
from polltrace.sqltrace.scanner import TraceScan

try:
    import duckdb
    import pyarrow as arrow
except ImportError:
    raise HostError("traces need DuckDB: pip install 'polltrace[trace]'") from None

_ROWS_AT_ONCE = 200_000
_SETTINGS = (
    # SQL that somebody hands over reads the trace and nothing else.
    "set enable_external_access = false",
    "set autoload_known_extensions = false",
    "set autoinstall_known_extensions = false",
    "set python_enable_replacements = false",
    "set preserve_insertion_order = false",
    "set lock_configuration = true",
)


class TraceDatabase:
    """The traces that `words` name, as the relation `calls` of an SQL database in memory.

    It is scanned anew for every `load`; what does not fit into half of the host's memory goes to a
    temporary folder.
    """

    def __init__(self, words: Sequence[str], *, think_us: int = 1_000_000, clock: int = 0) -> None:
        self._words = words
        self.think_us = think_us
        self._clock = clock
        self._folder = tempfile.TemporaryDirectory(prefix="polltrace-trace-")
        self.connection = duckdb.connect(
            config={"temp_directory": self._folder.name, "memory_limit": "50%"}
        )
        for setting in _SETTINGS:
            self.connection.execute(setting)
        self.summaries: list[FileSummary] = []
        self._scanning: TraceScan | None = None

    def __enter__(self) -> TraceDatabase:
        return self

    def __exit__(self, *_: object) -> None:
        self.connection.close()
        self._folder.cleanup()

    def load(self, table: str, query: str, **rows: bool) -> None:
        """Make `table` of a query that names the relation `calls` once: it is scanned as it runs.

        `rows`: lines, plans, counted and recursive of ScanOptions. Raises UsageError where the
        query is wrong.
        """
        scan, view = self._scan(query, **rows)
        self.execute(f"create or replace temp table {table} as with calls as ({view}) {query}")
        self.summaries = sorted(scan.summaries, key=lambda each: each.file)

    def stream(self, query: str, *, lines: bool = False) -> arrow.RecordBatchReader:
        """The rows of such a query, batch by batch while it is scanned."""
        _, view = self._scan(query, lines=lines)
        try:
            found = self.connection.sql(f"with calls as ({view}) {query}")
            return found.to_arrow_reader(_ROWS_AT_ONCE)
        except duckdb.Error as error:
            raise self._reason(error) from None

    def _scan(self, query: str, *, lines: bool = False, **rows: bool) -> tuple[TraceScan, str]:
        """A scan that is registered as `scanned`, and the relation over it."""
        names = needed([query])
        columns = scanned(names) or ("kind",)
        options = ScanOptions(columns, self.think_us, self._clock, lines, **rows)
        self._scanning = scan = TraceScan(trace_files(self._words), options)
        self.connection.register("scanned", scan.reader())
        if options.counted:
            names = (*(name for name in names if name in ALIKE), TIMES.name)
        return scan, relation_sql(names, "scanned")

    def execute(self, sql: str) -> Any:
        """The result of an SQL statement. Raises UsageError where it is wrong."""
        try:
            return self.connection.execute(sql)
        except duckdb.Error as error:
            raise self._reason(error) from None

    def rows(self, sql: str) -> list[dict[str, Any]]:
        """The rows of a query by the names of its columns."""
        result = self.execute(sql)
        names = [each[0] for each in result.description]
        return [dict(zip(names, row, strict=True)) for row in result.fetchall()]

    def _reason(self, error: duckdb.Error) -> BaseException:
        """What went wrong: in the scan, as it was raised there, else in the query."""
        if self._scanning and self._scanning.failure:
            return self._scanning.failure
        return _usage_error(str(error))


def _usage_error(message: str) -> PolltraceError:
    """What DuckDB said, in one line."""
    found = re.search(r'column "?(\w+)"? (?:not found|does not exist)', message)
    if found and found[1].lower() not in NAMES:
        return UsageError(f"there is no column {found[1]}{near_miss(found[1].lower(), NAMES)}")
    if "Out of Memory" in message:
        return HostError(message.split("\n", maxsplit=1)[0])
    return UsageError(message.split("\n\n", maxsplit=1)[0].replace("\n", " "))
