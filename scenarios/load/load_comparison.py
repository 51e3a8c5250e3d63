# SPDX-License-Identifier: GPL-2.0-or-later
"""Two loads compared: pure functions of their results.

Neighbouring seconds of a load resemble each other, so they are joined into parts, and a part gives
one value. The first second, which warms up, and the last, which is no whole one, are left out.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator, Sequence

from polltrace.errors import UsageError
from polltrace.intervals import exactly
from polltrace.scenarios.analyse import bootstrap
from polltrace.scenarios.analyse.comparison import (
    CONFIDENCE,
    Compared,
    Comparison,
    ComparisonOutcome,
    outcome_of,
    time_outcome,
)
from polltrace.scenarios.load.load_file import Line
from polltrace.scenarios.load.load_result import LoadResult

PARTS = 20
_SAME = ("sessions", "rate", "arrivals", "think", "order", "bind_order", "fetch_size", "path")


def compare_loads(base: LoadResult, new: LoadResult, margin: float) -> Comparison:
    """Raises UsageError where the loads executed different statements or had another schedule."""
    _check_same(base, new)
    figures = _figures(base)
    confidence = 1 - (1 - CONFIDENCE) / len(figures)
    label = base.header["workload"]["name"]
    rows = []
    for name, value in figures.items():
        a, b = (_parts(load, value) for load in (base, new))
        if a and b and min(a) > 0 and min(b) > 0:
            ratio = bootstrap.ratio(a, b, confidence)
            outcome = time_outcome(ratio, margin, min(len(a), len(b)))
            rows.append(Compared(label, name, ratio, False, outcome))
    rows.append(_errors(base, new, label, margin))
    return Comparison(margin, confidence, rows, list(_cautions(base, new)), yardstick=False)


Value = Callable[[Line], float | None]


def _figures(result: LoadResult) -> dict[str, Value]:
    """Growth of each is for the worse."""
    figures: dict[str, Value] = {
        "latency p50": lambda line: line["p50_ms"],
        "latency p90": lambda line: line["p90_ms"],
        "latency p99": lambda line: line["p99_ms"],
        "server CPU": lambda line: _each(line, line["server_cpu_s"]),
    }
    if not result.open_loop:
        figures["time per transaction"] = lambda line: _each(line, line["seconds"])
    return figures


def _each(line: Line, total: float | None) -> float | None:
    count = line["transactions"]
    return total / count if total is not None and count else None


def _parts(result: LoadResult, value: Value) -> list[float]:
    values = [figure for line in result.seconds[1:-1] if (figure := value(line)) is not None]
    size = max(len(values) // PARTS, 1)
    return [
        statistics.median(values[start : start + size])
        for start in range(0, len(values) - size + 1, size)
    ]


def _errors(base: LoadResult, new: LoadResult, label: str, margin: float) -> Compared:
    a, b = (load.failed / max(load.transactions, 1) for load in (base, new))
    if not a:
        outcome = ComparisonOutcome.REGRESSION if b else ComparisonOutcome.SAME
        return Compared(label, "errors", None if b else exactly(1.0), True, outcome)
    ratio = exactly(b / a)
    return Compared(label, "errors", ratio, True, outcome_of(ratio, margin))


def _check_same(base: LoadResult, new: LoadResult) -> None:
    a, b = base.header["workload"], new.header["workload"]
    if _statements(a) != _statements(b):
        raise UsageError("the loads are of different statements; they cannot be compared")
    for key in _SAME:
        if a[key] != b[key]:
            raise UsageError(f"the loads' {key} differ ({a[key]}, then {b[key]})")


def _statements(workload: Line) -> Sequence[tuple[object, ...]]:
    return [
        (statement["sql"], statement["weight"], statement["rows"])
        for statement in workload["statements"]
    ]


def _cautions(base: LoadResult, new: LoadResult) -> Iterator[str]:
    for key in ("name", "kernel", "processors"):
        a, b = base.header["host"][key], new.header["host"][key]
        if a != b:
            yield f"the loads are of different hosts, {key} {a}, then {b}"
    a, b = (", ".join(load.header["drivers"]) for load in (base, new))
    if a != b:
        yield f"drivers: {a}; then {b}"
    for name, load in (("BASE", base), ("NEW", new)):
        yield from (f"{name}: {words}" for words in load.warnings())
