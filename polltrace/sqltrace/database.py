# SPDX-License-Identifier: GPL-2.0-or-later
"""DuckDB over a scan: its answers, and its errors in one line."""

from __future__ import annotations

import functools
import importlib
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from polltrace.errors import HostError, PolltraceError, UsageError
from polltrace.grammar import near_miss
from polltrace.sqltrace.columns import TIMES
from polltrace.sqltrace.counted_calls import CountedCalls, counted_rows
from polltrace.sqltrace.file_scan import ScanOptions
from polltrace.sqltrace.file_summary import FileSummary
from polltrace.sqltrace.parallel_scan import ParallelScan
from polltrace.sqltrace.relation import ALIKE, NAMES, needed, relation_sql, scanned
from polltrace.sqltrace.segments import traces

if TYPE_CHECKING:
    import duckdb
    import pyarrow as arrow

    from polltrace.sqltrace.spill_folder import SpillFolder

_ROWS_AT_ONCE = 200_000
_MOST_HELD = 500_000
_SETTINGS = (
    # SQL that somebody hands over reads the trace and nothing else.
    "set enable_external_access = false",
    "set autoload_known_extensions = false",
    "set autoinstall_known_extensions = false",
    "set python_enable_replacements = false",
    "set preserve_insertion_order = false",
    "set lock_configuration = true",
)


@functools.cache
def _loaded(module: str) -> Any:
    """DuckDB, or a module that needs Arrow; both take a while to load. Raises HostError where there
    is
    none."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError:
        raise HostError("traces need DuckDB: pip install 'polltrace[trace]'") from None


class TraceDatabase:
    """The traces that `words` name, as the relation `calls` of an SQL database in memory.

    It is scanned again for every `load`; rows that do not fit into half of the host's memory go to
    a temporary folder. The database is there from the first question in SQL on.
    """

    def __init__(self, words: Sequence[str], *, think_us: int = 1_000_000, clock: int = 0) -> None:
        self._words = words
        self.think_us = think_us
        self._clock = clock
        self._folder: SpillFolder | None = None
        self.summaries: list[FileSummary] = []
        self._scanning: ParallelScan[Any] | None = None

    @functools.cached_property
    def connection(self) -> duckdb.DuckDBPyConnection:
        from polltrace.sqltrace.spill_folder import SpillFolder  # slow to load, seldom needed

        self._folder = SpillFolder()
        connection: duckdb.DuckDBPyConnection = _loaded("duckdb").connect(
            config={"temp_directory": self._folder.path, "memory_limit": "50%"}
        )
        connection.execute("; ".join(_SETTINGS))
        return connection

    def __enter__(self) -> TraceDatabase:
        return self

    def __exit__(self, *_: object) -> None:
        if self._folder:
            self.connection.close()
            self._folder.remove()

    def load(self, table: str, query: str, *, lines: bool = False, plans: bool = False) -> None:
        """Make `table` of a query that names the relation `calls` once: it is scanned as it runs.

        With rows for every line, or for plans. Raises UsageError where the query is wrong.
        """
        scan, view = self._scan(query, lines, plans)
        self.execute(f"create or replace temp table {table} as with calls as ({view}) {query}")
        self._summarize(scan)

    def counted(self, *, recursive: bool) -> CountedCalls:
        """Count calls by kind, name and duration in one scan; recursive calls only if
        they are `recursive`. More than _MOST_HELD of them go to the table `alike`."""
        options = ScanOptions((), self.think_us, self._clock, counted=True, recursive=recursive)
        scan = ParallelScan(traces(self._words), options, counted_rows)
        counted = CountedCalls()
        for rows in scan.batches():
            counted.add(rows)
            if counted.held > _MOST_HELD:
                self._spill(counted)
        if counted.spilled:
            self._spill(counted)
        self._summarize(scan)
        return counted

    def _spill(self, counted: CountedCalls) -> None:
        """Move them to the table `alike`, which the first ones make anew."""
        if not counted.spilled:
            self.execute(
                "create or replace temp table alike "
                "(kind varchar, name varchar, dur_us bigint, times bigint)"
            )
        columns = [list(column) for column in zip(*counted.rows(), strict=True)]
        if columns:
            self.execute(
                "insert into alike select unnest($1), unnest($2), unnest($3), unnest($4)", columns
            )
        counted.times, counted.held, counted.spilled = {}, 0, True

    def load_counted(
        self, table: str, query: str, counted: CountedCalls | None, *, recursive: bool
    ) -> None:
        """Make `table` of a query that needs only the columns in ALIKE and how many calls
        there are, `times`: of those that were `counted`, or by a scan."""
        names = (*(name for name in needed([query]) if name in ALIKE), TIMES.name)
        query = f"with calls as ({relation_sql(names, 'alike')}) {query}"
        if counted is None:
            self._spill(CountedCalls())
            self.execute(f"explain {query}")  # its errors show before the scan
            counted = self.counted(recursive=recursive)
        if not counted.spilled:
            self._spill(counted)
        self.execute(f"create or replace temp table {table} as {query}")

    def _summarize(self, scan: ParallelScan[Any]) -> None:
        self.summaries = sorted(scan.summaries, key=lambda summary: summary.file)

    def stream(self, query: str, *, lines: bool = False) -> arrow.RecordBatchReader:
        """The rows of such a query, batch by batch while it is scanned."""
        _, view = self._scan(query, lines)
        try:
            relation = self.connection.sql(f"with calls as ({view}) {query}")
            return relation.to_arrow_reader(_ROWS_AT_ONCE)
        except _loaded("duckdb").Error as error:
            raise self._reason(error) from None

    def _scan(
        self, query: str, lines: bool, plans: bool = False
    ) -> tuple[ParallelScan[arrow.RecordBatch], str]:
        """A scan that is registered as `scanned`, and the relation over it."""
        names = needed([query])
        options = ScanOptions(scanned(names) or ("kind",), self.think_us, self._clock, lines, plans)
        scanner = _loaded("polltrace.sqltrace.scanner")
        self._scanning = scan = scanner.TraceScan(traces(self._words), options)
        self.connection.register("scanned", scan.reader())
        return scan, relation_sql(names, "scanned")

    def execute(self, sql: str, parameters: Sequence[Any] | None = None) -> Any:
        """The result of an SQL statement. Raises UsageError where it is wrong."""
        try:
            return self.connection.execute(sql, parameters)
        except _loaded("duckdb").Error as error:
            raise self._reason(error) from None

    def rows(self, sql: str) -> list[dict[str, Any]]:
        """The rows of a query by the names of its columns."""
        result = self.execute(sql)
        names = [column[0] for column in result.description]
        return [dict(zip(names, row, strict=True)) for row in result.fetchall()]

    def _reason(self, error: duckdb.Error) -> BaseException:
        """The error of the scan if it failed, else that of the query."""
        if self._scanning and self._scanning.failure:
            return self._scanning.failure
        return _usage_error(str(error))


def _usage_error(message: str) -> PolltraceError:
    """An error for DuckDB's message, in one line."""
    unknown = re.search(r'column "?(\w+)"? (?:not found|does not exist)', message)
    if unknown and unknown[1].lower() not in NAMES:
        return UsageError(f"there is no column {unknown[1]}{near_miss(unknown[1].lower(), NAMES)}")
    if "Out of Memory" in message:
        return HostError(message.split("\n", maxsplit=1)[0])
    return UsageError(message.split("\n\n", maxsplit=1)[0].replace("\n", " "))
