# SPDX-License-Identifier: GPL-2.0-or-later
"""Execution of one statement: its rows, then the feedback of SQL*Plus."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass

from polltrace.scenarios.script.autotrace import statistics_lines
from polltrace.scenarios.script.column_format import ColumnFormats
from polltrace.scenarios.script.date_text import DEFAULT, is_supported
from polltrace.scenarios.script.display import Described, DisplayColumn, display_column
from polltrace.scenarios.script.feedback import feedback, rows_selected
from polltrace.scenarios.script.output import Output
from polltrace.scenarios.script.report import Row, report
from polltrace.scenarios.script.script_database import Database, Executed
from polltrace.scenarios.script.settings import Settings
from polltrace.scenarios.script.substitution import Variables


@dataclass(frozen=True, slots=True)
class StatementRun:
    """Executor of a script's statements."""

    settings: Settings
    columns: ColumnFormats
    variables: Variables
    output: Output
    database: Database

    def run(self, sql: str, *, block: bool) -> None:
        """Execute a statement and print its result. Raises StatementError, CommandError."""
        settings, output, database = self.settings, self.output, self.database
        statistics = database.statistics() if settings.autotrace != "off" else None
        start_counts = statistics.read() if statistics else {}
        start_s = time.monotonic()
        executed = database.execute(sql, settings.arraysize, settings.rowprefetch)
        rows = self.show(executed) if executed.columns is not None else executed.changed
        elapsed_s = time.monotonic() - start_s
        end_counts = statistics.read() if statistics else {}
        self.show_output()
        if executed.columns is None:
            self._say(executed, feedback(sql, executed.changed, block=block))
            if settings.autocommit:
                database.client.ask("commit")
        if settings.timing:
            output.line(elapsed(elapsed_s))
        if statistics:
            for line in statistics_lines(start_counts, end_counts, rows):
                output.line(line)

    def show(self, executed: Executed) -> int:
        """Fetch all rows, print them by the settings, and return their number."""
        settings, output = self.settings, self.output
        columns = self._displayed(executed)
        count = 0

        def counted() -> Iterator[Row]:
            nonlocal count
            for row in self.database.client.rows():
                count += 1
                self._keep_new_values(columns, row)
                yield row

        silent = settings.feedback_only or settings.autotrace == "traceonly"
        if silent:
            for _ in counted():
                pass
        else:
            for line in report(columns, settings, counted()):
                output.line(line, row=True)
        has_feedback = settings.feedback and (count >= settings.feedback or count == 0)
        if has_feedback or (count and settings.pagesize and not silent):
            output.line()
        if has_feedback:
            output.line(rows_selected(count))
            output.line()
        return count

    def show_value(self, name: str, kind: str, value: str | None) -> None:
        """Print a bind variable, as PRINT does."""
        size = kind[kind.find("(") + 1 : -1] if "(" in kind else "0"
        described = Described(name, kind.partition("(")[0], int(size))
        column = display_column(
            described, self.columns.of(name), self.settings, self.database.date_format
        )
        for line in report([column], self.settings, [[value]]):
            self.output.line(line, row=True)
        if self.settings.pagesize:
            self.output.line()

    def _displayed(self, executed: Executed) -> list[DisplayColumn]:
        database = self.database
        if not is_supported(database.date_format):
            self.output.line(
                f"Dates are shown by {DEFAULT}: the runner cannot follow {database.date_format!r}"
            )
            database.date_format = DEFAULT
        return [
            display_column(
                column, self.columns.of(column.name), self.settings, database.date_format
            )
            for column in executed.columns or ()
        ]

    def _keep_new_values(self, columns: list[DisplayColumn], row: Row) -> None:
        for column, value in zip(columns, row, strict=True):
            if column.new_value:
                text = column.of(value)
                self.variables.define(
                    column.new_value, text.rjust(column.width) if column.right else text
                )

    def show_output(self) -> None:
        """Print the lines of DBMS_OUTPUT where SERVEROUTPUT is on."""
        if self.settings.serveroutput:
            for line in self.database.client.ask("output")["lines"]:
                self.output.line(line)

    def _say(self, executed: Executed, sentence: str) -> None:
        if executed.warning:
            kind = sentence.removesuffix(".")
            sentence = f"Warning: {kind} with compilation errors."
        if self.settings.feedback and sentence:
            self.output.line()
            self.output.line(sentence)
            self.output.line()


def elapsed(seconds: float) -> str:
    """The line of SET TIMING: `Elapsed: 00:00:29.28`."""
    hundredths = round(seconds * 100)
    minutes, hundredths = divmod(hundredths, 6000)
    hours, minutes = divmod(minutes, 60)
    return f"Elapsed: {hours:02}:{minutes:02}:{hundredths // 100:02}.{hundredths % 100:02}"
