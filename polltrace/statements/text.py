# SPDX-License-Identifier: GPL-2.0-or-later
"""The statements of a recorded session for a terminal, and as JSON-ready data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from polltrace.stacks.text import printable
from polltrace.statements.attribution import Share
from polltrace.statements.statement_costs import JoinedTrace, StatementCost

_SHOWN = 20
_SQL = 60
_PLACES = 4


def statements_text(joined: JoinedTrace) -> str:
    """A line about the clocks and a line for each statement, without the last newline."""
    lines = [_clocks(joined), ""]
    lines.append(
        f"{'ELAPSED S':>10} {'CPU S':>8} {'WAITS S':>8} {'UNACC. S':>9} {'RUN QUEUE S':>11}"
        f" {'BLOCKED S':>9} {'FAULTS':>8} {'EXECS':>8} {'POLLS/EXEC':>11}"
        f" {'IN CHECK % [LOW, HIGH]':>24}  STATEMENT"
    )
    for cost in joined.statements[:_SHOWN]:
        lines += [_line(cost), *_whereabouts(cost)]
    if len(joined.statements) > _SHOWN:
        lines.append(f"… and {len(joined.statements) - _SHOWN:,} more; --json has them all")
    lines += [
        "",
        f"Between calls: {_counted(joined.outside)}.",
        f"After the trace's last call, in {joined.trailing_s:.3f} s: {_counted(joined.trailing)}: "
        "of a call that has not ended, or is missing.",
        *(f"Caution: calls may be missing: {reason}." for reason in joined.missing),
    ]
    return "\n".join(lines)


def _counted(cost: StatementCost) -> str:
    return (
        f"{cost.polls.value:,.0f} break polls, {cost.on_cpu_s.value:.3f} s on CPU, "
        f"{cost.run_queue_s.value:.3f} s in the run queue"
    )


def _clocks(joined: JoinedTrace) -> str:
    alignment = joined.alignment
    error_ms = 1e-3 * alignment.error_us
    if alignment.is_same:
        return f"The trace's clock is this host's CLOCK_MONOTONIC, to within {error_ms:.3f} ms."
    return (
        f"This host's CLOCK_MONOTONIC is {1e-6 * alignment.low_us:,.6f} to "
        f"{1e-6 * alignment.high_us:,.6f} s ahead of the trace's clock."
    )


def _line(cost: StatementCost) -> str:
    per_execution = cost.polls_per_execution
    polls = "-" if per_execution is None else f"{per_execution:,.1f}"
    sql = " ".join(cost.sql.split())[:_SQL]
    return printable(
        f"{cost.elapsed_s:>10.3f} {cost.cpu_s:>8.3f} {cost.wait_s:>8.3f} {cost.unaccounted_s:>9.3f}"
        f" {cost.run_queue_s.value:>11.3f} {cost.blocked_s:>9.3f}"
        f" {cost.minor_faults.value + cost.major_faults.value:>8,.0f} {cost.executions:>8,}"
        f" {polls:>11} {_in_check(cost):>24}  {cost.statement} {sql}"
    )


def _whereabouts(cost: StatementCost) -> Iterator[str]:
    for name, counts in (("on CPU in", cost.on_cpu_in), ("blocked in", cost.blocked_in)):
        shares = _largest_shares(counts)
        if listed := ", ".join(f"{place} {100 * share:.0f} %" for place, share in shares):
            yield printable(f"{'':>10} {name}: {listed}")


def _largest_shares(counts: Mapping[str, float]) -> Sequence[tuple[str, float]]:
    """The places with the largest shares of the samples."""
    total = sum(counts.values())
    ordered = sorted(counts.items(), key=lambda place: (-place[1], place[0]))[:_PLACES]
    return [(name, count / total) for name, count in ordered if count > 0]


def _in_check(cost: StatementCost) -> str:
    """Share of the break check in the statement's CPU time, as text."""
    if cost.check_s is None:
        return "not measured" if cost.polls.value else "0"
    on_cpu_s = cost.on_cpu_s.value or cost.cpu_s
    if not on_cpu_s:
        return "-"
    value, low, high = (
        100 * check_s / on_cpu_s
        for check_s in (cost.check_s.value, cost.check_s.low, cost.check_s.high)
    )
    return f"{value:.1f} [{low:.1f}, {min(high, 100):.1f}]"


def statements_data(joined: JoinedTrace) -> dict[str, Any]:
    """Times in seconds; null is a value that is not known."""
    alignment = joined.alignment
    return {
        "clock": {
            "offset_us": alignment.offset_us,
            "low_us": alignment.low_us,
            "high_us": alignment.high_us,
            "error_us": alignment.error_us,
        },
        "statements": [_data(cost) for cost in joined.statements],
        "between_calls": _data(joined.outside),
        "after_last_call": {"seconds": joined.trailing_s, **_data(joined.trailing)},
        "missing": list(joined.missing),
    }


def _data(cost: StatementCost) -> dict[str, Any]:
    return {
        "statement": cost.statement,
        "sql": cost.sql,
        "executions": cost.executions,
        "calls": cost.calls,
        "rows": cost.rows,
        "elapsed_s": cost.elapsed_s,
        "cpu_s": cost.cpu_s,
        "wait_s": cost.wait_s,
        "unaccounted_s": cost.unaccounted_s,
        "polls_per_execution": cost.polls_per_execution,
        "blocked_s": cost.blocked_s,
        "on_cpu_in": dict(cost.on_cpu_in),
        "blocked_in": dict(cost.blocked_in),
        "check_s": cost.check_s
        and {"value": cost.check_s.value, "low": cost.check_s.low, "high": cost.check_s.high},
        **{
            name: _share(getattr(cost, name))
            for name in ("polls", "on_cpu_s", "run_queue_s", "minor_faults", "major_faults")
        },
    }


def _share(share: Share) -> dict[str, float]:
    return {"value": share.value, "low": share.low, "high": share.high}
