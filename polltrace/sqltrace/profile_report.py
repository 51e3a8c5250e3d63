# SPDX-License-Identifier: GPL-2.0-or-later
"""Profiles and histograms as text, as data and as CSV."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from polltrace.sqltrace.accounting import Accounting
from polltrace.sqltrace.spread import PERCENTILES, Spread, TraceProfile

if TYPE_CHECKING:
    from polltrace.sqltrace.histogram import Range

_TITLES = ("DURATION", "%", "CALLS", "MEAN", "MIN", "MAX", "P50", "P90", "P99")
DEFAULT_LABEL = "CALL-NAME"


def profile_text(result: TraceProfile, label: str, account: Accounting | None) -> str:
    """The table; below it, where all time is meant, how it adds up to the elapsed time."""
    total = result.total.duration or 0
    rows = [(_group(spread.group), _cells(spread, total)) for spread in result.listed]
    if result.others:
        rows.append((f"{result.hidden:,} others", _cells(result.others, total)))
    last = (f"TOTAL ({result.groups:,})", _cells(result.total, total))
    below = _account_rows(account) if account else []
    return _table(label, rows, last, below, right=result.numeric)


def histogram_text(ranges: Sequence[Range], result: TraceProfile) -> str:
    """The table of a histogram."""
    total = result.total.duration or 0
    rows = []
    for number, bucket in enumerate(ranges, 1):
        high = "+∞" if bucket.high is None else f"{bucket.high:,.6f}"
        label = f"{number:>2}. {bucket.low:>12,.6f} {high:>12}"
        rows.append((label, _cells(bucket.spread, total)))
    last = (f"TOTAL ({len(ranges)})", _cells(result.total, total))
    return _table("RANGE {min ≤ e < max}", rows, last, [], right=False)


def profile_data(
    result: TraceProfile,
    account: Accounting | None,
    not_understood: Mapping[str, int],
    key: str,
    ranges: Sequence[Range] = (),
) -> dict[str, Any]:
    """rows, total and the lines that were not understood; times in seconds. `key` names a row's
    group.
    """
    rows = [{key: _text(spread.group), **spread_data(spread)} for spread in result.listed]
    if ranges:
        rows = [
            {"group": f"{bucket.low:g}", "low_s": bucket.low, "high_s": bucket.high,
             **spread_data(bucket.spread)}
            for bucket in ranges
        ]  # fmt: skip
    data: dict[str, Any] = {"rows": rows, "groups": result.groups}
    if result.others:
        data["others"] = {"groups": result.hidden, **spread_data(result.others)}
    data["total"] = spread_data(result.total)
    if account:
        data["elapsed_s"] = account.elapsed / 1e6
        data["orphans"] = {"calls": account.orphan_calls, "duration_s": account.orphans / 1e6}
        data["unaccounted_for_s"] = account.unaccounted / 1e6
    return data | {"not_understood": dict(not_understood)}


def spread_data(spread: Spread) -> dict[str, Any]:
    """A group's durations, in seconds."""
    mean = None if not spread.calls else (spread.duration or 0) / spread.calls / 1e6
    data = {
        "duration_s": _seconds(spread.duration) or 0.0,
        "calls": spread.calls,
        "mean_s": mean,
        "min_s": _seconds(spread.least),
        "max_s": _seconds(spread.most),
    }
    for part, value in zip(PERCENTILES, spread.percentiles, strict=False):
        data[f"p{round(100 * part)}_s"] = _seconds(value)
    return data


def profile_csv(data: Mapping[str, Any]) -> str:
    """The rows of `profile_data`, or of any rows, with a header."""
    import csv

    out = io.StringIO()
    rows = data["rows"]
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(map(_spreadsheet_cell, rows[0] if rows else ()))
    writer.writerows(map(_spreadsheet_cell, row.values()) for row in rows)
    return out.getvalue().rstrip("\n")


def _spreadsheet_cell(value: Any) -> Any:
    """A text that a spreadsheet would calculate gets an apostrophe, which marks it as a text."""
    if value is None or isinstance(value, int | float):
        return value
    text = str(value)
    return (
        f"'{text}" if text.lstrip(" ").startswith(("=", "+", "-", "@", "\t", "\r", "\n")) else text
    )


def _seconds(value: int | None) -> float | None:
    return None if value is None else value / 1e6


def _group(value: Any) -> str:
    return "" if value is None else str(value).replace("\n", " ")


def _text(value: Any) -> Any:
    return value if isinstance(value, int | float | str) or value is None else str(value)


def _cells(spread: Spread, total: int) -> tuple[str, ...]:
    """Duration, share, calls, mean, least, most, percentiles; empty where there is no call."""
    if not spread.calls:
        return ("",) * len(_TITLES)
    duration = spread.duration or 0
    share = 100 * duration / total if total else 0.0
    times = [duration / spread.calls, spread.least, spread.most, *spread.percentiles]
    return (
        _time(duration),
        f"{share:.1f}%",
        f"{spread.calls:,}",
        *("" if time is None else _time(time) for time in times),
    )


def _time(us: float) -> str:
    return f"{us / 1e6:,.6f}"


def _account_rows(account: Accounting) -> list[tuple[str, tuple[str, ...]]]:
    blanks = ("",) * (len(_TITLES) - 3)
    elapsed = account.elapsed or 1

    def row(name: str, us: int, calls: str = "") -> tuple[str, tuple[str, ...]]:
        return name, (_time(us), f"{100 * us / elapsed:.1f}%", calls, *blanks)

    orphans = row("orphan recursive calls", account.orphans, f"{account.orphan_calls:,}")
    return [
        *([orphans] if account.orphan_calls else []),
        row("unaccounted-for", account.unaccounted),
        row("ELAPSED", account.elapsed),
    ]


def _table(
    label: str,
    rows: Sequence[tuple[str, tuple[str, ...]]],
    last: tuple[str, tuple[str, ...]],
    below: Sequence[tuple[str, tuple[str, ...]]],
    *,
    right: bool,
) -> str:
    everything = [*rows, last, *below]
    first = max(len(label), *(len(name) for name, _ in everything))
    widths = [
        max(len(title), *(len(cells[i]) for _, cells in everything))
        for i, title in enumerate(_TITLES)
    ]

    def line(name: str, cells: Sequence[str], *, aligned: bool = False) -> str:
        start = name.rjust(first) if aligned else name.ljust(first)
        return "  ".join(
            [start, *(cell.rjust(width) for cell, width in zip(cells, widths, strict=True))]
        ).rstrip()

    rule = "  ".join("-" * width for width in (first, *widths))
    return "\n".join(
        [
            line(label, _TITLES, aligned=right),
            rule,
            *(line(name, cells, aligned=right) for name, cells in rows),
            rule,
            line(*last),
            *(line(*row) for row in below),
        ]
    )
