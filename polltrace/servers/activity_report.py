# SPDX-License-Identifier: GPL-2.0-or-later
"""A session's activity as lines and as data: the statement, the state, and what changed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from polltrace.servers.activity import Activity, ActivityChange


def state_line(now: Activity) -> str:
    """`ACTIVE, waits for enq: TX - row lock contention, 3.1 s so far, blocked by session 12`."""
    if not now.waiting:
        return f"{now.status}, not waiting"
    blocked = "" if now.blocker is None else f", blocked by session {now.blocker}"
    so_far = "" if now.event_s is None else f", {_seconds(now.event_s)} so far"
    return f"{now.status}, waits for {now.event}{so_far}{blocked}"


def sql_line(now: Activity) -> str:
    """SQL_ID, where there is one, and text, on one line."""
    if not now.sql_id and not now.sql_text:
        return "no statement"
    last = "" if now.executing else " (the last one)"
    return f"{now.sql_id}{last}  {' '.join(now.sql_text.split())}".strip()


def change_lines(change: ActivityChange, most_events: int, most_statistics: int) -> Iterator[str]:
    """A table: a line for each wait event and each statistic that changed most, and how many more
    there are. No line where nothing did."""
    if not change.waited and not change.statistics:
        return
    yield (
        f"{'TYPE':<5} {'IN THE LAST ' + _seconds(change.seconds):<36} {'CHANGE':>14}"
        f" {'PER SECOND':>14} {'% TIME':>7}"
    )
    seconds = change.seconds or 1.0
    for event, waited in change.waited[:most_events]:
        yield (
            f"{'WAIT':<5} {event[:36]:<36} {_milliseconds(waited.seconds):>14}"
            f" {waited.waits / seconds:>8,.1f} waits {100 * waited.seconds / seconds:>7.1f}"
        )
    for name, value in change.statistics[:most_statistics]:
        yield f"{'STAT':<5} {name[:36]:<36} {value:>14,.0f} {value / seconds:>14,.1f}"
    more = [
        f"{len(changed) - most:,} more {what}"
        for changed, most, what in (
            (change.waited, most_events, "events"),
            (change.statistics, most_statistics, "statistics"),
        )
        if len(changed) > most
    ]
    if more:
        yield f"{'':<5} and {', '.join(more)}"


def activity_data(now: Activity, change: ActivityChange) -> dict[str, Any]:
    """`waited` and `statistics` are what changed in `seconds`."""
    return {
        "status": now.status,
        "waits_for": now.event if now.waiting else None,
        "waits_since_s": now.event_s if now.waiting else None,
        "blocked_by_sid": now.blocker,
        "sql_id": now.sql_id or None,
        "sql_text": now.sql_text or None,
        "executing": now.executing,
        "seconds": change.seconds,
        "waited": {event: asdict(each) for event, each in change.waited},
        "statistics": dict(change.statistics),
        "not_read": list(now.unread),
    }


def _seconds(seconds: float) -> str:
    return f"{seconds:,.1f} s"


def _milliseconds(seconds: float) -> str:
    return f"{1e3 * seconds:,.1f} ms"
