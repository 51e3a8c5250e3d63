# SPDX-License-Identifier: GPL-2.0-or-later
"""The client's calls in a trace file, read by the scanner of `polltrace trace`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from polltrace.sqltrace.file_scan import ScanOptions
from polltrace.sqltrace.file_summary import FileSummary
from polltrace.sqltrace.scanner import TraceScan
from polltrace.statements.statement_costs import TracedCall
from polltrace.statements.whereabouts import Interval

_COLUMNS = (
    *("byte_offset", "kind", "name", "c_us", "e_us", "tim_us", "r", "dep", "sqlid", "sql"),
    *("wait_us", "ela_us"),
)


@dataclass(frozen=True, slots=True)
class TraceCalls:
    """Calls of depth 0 with a duration in the order of their file, all `waits` on its clock,
    and the summary of the file."""

    calls: tuple[TracedCall, ...]
    waits: tuple[Interval, ...]
    summary: FileSummary


def trace_calls(file: str, from_byte: int) -> TraceCalls:
    """Read calls and waits that begin at byte `from_byte` of the file or later."""
    scan = TraceScan([file], ScanOptions(_COLUMNS), threads=1)
    calls: list[TracedCall] = []
    waits: list[Interval] = []
    for row in _rows(scan, from_byte):
        if _is_call(row):
            calls.append(_call(row))
        elif row["kind"] == "wait" and row["ela_us"] and row["tim_us"] is not None:
            waits.append(Interval(row["tim_us"] - row["ela_us"], row["tim_us"]))
    return TraceCalls(tuple(calls), tuple(waits), scan.summaries[0])


def _rows(scan: TraceScan, from_byte: int) -> Iterator[dict[str, Any]]:
    for batch in scan.batches():
        yield from (row for row in batch.to_pylist() if row["byte_offset"] >= from_byte)


def _call(row: dict[str, Any]) -> TracedCall:
    return TracedCall(
        statement=row["sqlid"] or "",
        sql=row["sql"] or "",
        name=row["name"],
        tim_us=row["tim_us"],
        elapsed_us=row["e_us"],
        cpu_us=row["c_us"] or 0,
        wait_us=row["wait_us"] or 0,
        rows=row["r"] or 0,
    )


def _is_call(row: dict[str, Any]) -> bool:
    return (
        row["kind"] == "call"
        and not row["dep"]
        and row["e_us"] is not None
        and row["tim_us"] is not None
    )
