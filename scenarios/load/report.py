# SPDX-License-Identifier: GPL-2.0-or-later
"""The report of a load as text, and as JSON-ready data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

from polltrace.scenarios.load.load_result import LoadResult, Summary

_COLUMNS = ("mean", "p50", "p90", "p99", "p99_9", "p99_99", "max")


def load_data(result: LoadResult) -> dict[str, Any]:
    """JSON-ready; times in the unit of their name."""
    fewest, busiest = _extremes(result)
    return {
        "transactions": result.transactions,
        "per_s": result.per_s,
        "elapsed_s": result.elapsed_s,
        "errors": result.failed,
        "latency_ms": result.latency_ms,
        "lag_ms": result.lag_ms,
        "sessions": len(result.sessions),
        "saturated": result.saturated,
        "warnings": result.warnings(),
        "errors_by_code": dict(result.errors),
        "ignored_errors": dict(result.ignored),
        "dropped": result.dropped,
        "not_begun": result.not_begun,
        "generator_lag_ms": result.own_lag_ms,
        "connect_ms": dict(result.connect_ms),
        "statements": [asdict(statement) for statement in result.statements],
        "per_session": [asdict(session) for session in result.sessions],
        "fairness": {"index": result.fairness, "fewest": fewest, "most": busiest},
        "lost_sessions": [session.number for session in result.lost],
        "client_cpu_pct": 100 * result.client_cpu,
        "server_cpu_s": result.server_cpu_s,
        "break_polls": result.break_polls,
        "client_result_cache": dict(result.cache) or None,
        "interrupted": result.interrupted,
        "complete": result.complete,
        "header": dict(result.header),
        "seconds": [
            {key: value for key, value in line.items() if key != "kind"} for line in result.seconds
        ],
    }


def load_text(result: LoadResult) -> str:
    return "\n".join(_lines(result))


def _lines(result: LoadResult) -> Iterator[str]:
    header = result.header
    workload = header["workload"]
    sessions = workload["sessions"]
    ended = " (interrupted)" if result.interrupted else ""
    yield f"{result.transactions:,} transactions in {result.elapsed_s:,.2f} s{ended}: " + (
        f"{result.per_s:,.1f} a second, {result.failed:,} errors"
    )
    yield ""
    title = f"{workload['name']}: {workload['title']}" if workload["title"] else workload["name"]
    yield title
    yield (
        f"{sessions} session{'' if sessions == 1 else 's'} by {', '.join(header['drivers'])} "
        f"against {'the lab' if header['server'] == 'lab' else 'Oracle'}; {workload['loop']}; "
        f"seed {header['seed']}"
    )
    yield f"path: {header['network']}"
    yield ""
    yield from _table(result)
    yield ""
    yield from _counts(result)
    for warning in result.warnings():
        yield f"Caution: {warning}."


def _table(result: LoadResult) -> Iterator[str]:
    rows: list[tuple[str, int | None, Summary]] = [
        ("latency", result.transactions, result.latency_ms)
    ]
    if len(result.statements) > 1:
        rows += [(f"  {s.name}", s.transactions, s.latency_ms) for s in result.statements]
    rows += [("lag", None, result.lag_ms), ("generator's own lag", None, result.own_lag_ms)]
    wide = max(len(name) for name, _, _ in rows)
    heads = "".join(f"{name.replace('_', '.'):>11}" for name in _COLUMNS)
    yield f"{'ms':{wide}}  {'count':>12}{heads}"
    for name, count, summary in rows:
        counted = "" if count is None else f"{count:,}"
        yield f"{name:{wide}}  {counted:>12}{''.join(_cells(summary))}"
    if result.connect_ms:
        connects = {name: result.connect_ms.get(name) for name in _COLUMNS}
        yield f"{'connect':{wide}}  {'':>12}" + "".join(map(_cell, connects.values()))


def _cells(summary: Summary) -> Iterator[str]:
    figures: Mapping[str, float] = summary or {}
    return (_cell(figures.get(name)) for name in _COLUMNS)


def _cell(value: float | None) -> str:
    return f"{'-' if value is None else f'{value:,.3f}':>11}"


def _counts(result: LoadResult) -> Iterator[str]:
    if len(result.sessions) > 1 and result.fairness is not None:
        fewest, busiest = _extremes(result)
        yield (
            f"Transactions per session: {fewest:,} to {busiest:,}; Jain's fairness index "
            f"{result.fairness:.4f}."
        )
    for name, codes in (("Errors", result.errors), ("Ignored errors", result.ignored)):
        if codes:
            yield f"{name}: " + ", ".join(f"{code} {n:,}" for code, n in codes.items()) + "."
    if result.open_loop:
        late = f"Dropped, too late: {result.dropped:,}"
        yield f"{late}; never begun by the end: {result.not_begun:,}."
    cpu = f"Clients used {100 * result.client_cpu:.0f} % of their processors"
    if result.server_cpu_s is not None and result.transactions:
        per_transaction_us = 1e6 * result.server_cpu_s / result.transactions
        cpu += f", servers {result.server_cpu_s:,.2f} s of CPU"
        cpu += f" ({per_transaction_us:,.1f} us per transaction)"
    yield f"{cpu}."
    if result.cache:
        finds, creates = result.cache["Find Count"], result.cache["Create Count Success"]
        yield (
            f"polltrace's own client result cache: {finds:,} results found, {creates:,} kept, "
            f"{result.cache['Invalidation Count']:,} invalidations."
        )
    if result.break_polls is not None:
        yield f"Break polls (the lab's count): {result.break_polls:,}."


def _extremes(result: LoadResult) -> tuple[int, int]:
    counts = [session.transactions for session in result.sessions]
    return min(counts), max(counts)
