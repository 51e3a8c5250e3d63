# SPDX-License-Identifier: GPL-2.0-or-later
"""The columns of the table: the value, width and sort key of each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from polltrace.intervals import Estimate
from polltrace.top.sparkline import sparkline
from polltrace.watch.snapshot import ServerRow, Snapshot

UNKNOWN = "-"


@dataclass(frozen=True, slots=True)
class TopColumn:
    """A column of the table: `key` names it for sorting, `title` is its heading; right-aligned if
    `right`. `width` is in characters.

    `cell` makes the text for a width; shown from a terminal width of `from_width` on, or of
    `connected_from` where the database is asked.

    `stretch`: gets this share of the width that is left over.
    """

    key: str
    title: str
    width: int
    cell: Callable[[ServerRow, int], str]
    right: bool = False
    from_width: int = 0
    stretch: int = 0
    connected_from: int | None = None

    def is_shown(self, width: int, connected: bool) -> bool:
        has_sessions = connected and self.connected_from is not None
        return width >= (self.connected_from or 0 if has_sessions else self.from_width)


def number(value: float | None, form: str) -> str:
    return UNKNOWN if value is None else format(value, form)


def _value(estimate: Estimate | None) -> float | None:
    return estimate.value if estimate else None


# A value whose interval begins below this share of it is not known to the first digit.
_VAGUE = 0.25


def _estimated(estimate: Estimate | None, form: str) -> str:
    vague = estimate is not None and estimate.low < _VAGUE * estimate.value
    return f"{number(_value(estimate), form)}{'?' if vague else ''}"


def duration(seconds: float | None) -> str:
    """Three digits and a unit."""
    if seconds is None:
        return UNKNOWN
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds * 1e9:.0f} ns"


def _client(row: ServerRow, width: int) -> str:
    if row.client_server:
        return str(row.client_server)
    if not row.client:
        return "local" if row.mode.value == "local" else UNKNOWN
    return row.client if len(row.client) <= width else row.client.rpartition(":")[0]


# Wider than any terminal.
_NEVER = 1 << 30

COLUMNS = (
    TopColumn("pid", "PID", 7, lambda row, _: str(row.pid), right=True),
    TopColumn("sid", "SID", 8, lambda row, _: number(row.sid, "d"), True, _NEVER, 0, 0),
    TopColumn("instance", "INSTANCE", 8, lambda row, _: row.instance, connected_from=100),
    TopColumn("user", "USER", 10, lambda row, _: row.user, False, _NEVER, 0, 100),
    TopColumn("program", "PROGRAM", 20, lambda row, _: row.program, False, _NEVER, 4, 140),
    TopColumn("client", "CLIENT", 15, _client, stretch=2),
    TopColumn("mode", "MODE", 12, lambda row, _: row.mode.value),
    TopColumn("cpu", "CPU%", 5, lambda row, _: number(row.cpu_pct, ".1f"), right=True),
    TopColumn("polls", "POLLS/S", 9, lambda row, _: number(row.polls_per_s, ",.0f"), right=True),
    TopColumn("lost", "LOST%", 6, lambda row, _: _estimated(row.lost_pct, ".2f"), right=True),
    TopColumn("cores", "CPUS", 6, lambda row, _: _estimated(row.lost_cores, ".3f"), True, 92),
    TopColumn("gap", "WORST GAP", 9, lambda row, _: duration(row.worst_gap_s), True, 100),
    TopColumn("past", "POLLS, PAST", 11, lambda row, width: sparkline(row.past, width), stretch=3),
    TopColumn("skip", "SKIP", 5, lambda row, _: number(row.skip, "d"), right=True, from_width=110),
    TopColumn("reason", "WHY", 30, lambda row, _: row.reason, from_width=130, stretch=5),
)


def shown(width: int, snapshot: Snapshot) -> list[tuple[TopColumn, int]]:
    """The columns that a terminal of `width` shows of these servers, each with its width; a blank
    between two."""
    left_out = () if snapshot.has_skips else ("skip",)
    columns = [
        column
        for column in COLUMNS
        if column.is_shown(width, snapshot.connected) and column.key not in left_out
    ]
    spare = max(0, width - sum(column.width + 1 for column in columns) + 1)
    shares = sum(column.stretch for column in columns)
    return [(column, column.width + spare * column.stretch // shares) for column in columns]


def _high_first(value: float | None) -> float:
    """The unknown last, below zero."""
    return 1.0 if value is None else -value


def _lost(row: ServerRow) -> tuple[float, ...]:
    """Sort key: CPU lost, then CPU used. A poll of unknown cost counts as a microsecond."""
    rate = row.polls_per_s
    lost = _value(row.lost_cores) or (rate or 0.0) * 1e-6
    return -lost, rate is None, -(row.cpu_pct or 0.0), row.pid


SORTS: dict[str, Callable[[ServerRow], Any]] = {
    "lost": _lost,
    "polls": lambda row: (_high_first(row.polls_per_s), row.pid),
    "cpu": lambda row: (_high_first(row.cpu_pct), row.pid),
    "gap": lambda row: (_high_first(row.worst_gap_s), row.pid),
    "mode": lambda row: (row.mode.value, *_lost(row)),
    "user": lambda row: (row.user, *_lost(row)),
    "instance": lambda row: (row.instance, *_lost(row)),
    "client": lambda row: (row.client, *_lost(row)),
    "pid": lambda row: row.pid,
}
