# SPDX-License-Identifier: GPL-2.0-or-later
"""A session's activity as lines and as data: the statement, the state, and the changes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from polltrace.servers.activity import Activity, ActivityChange


def state_line(activity: Activity) -> str:
    """`ACTIVE, waits for enq: TX - row lock contention, 3.1 s so far, blocked by session 12`."""
    if not activity.waiting:
        return f"{activity.status}, not waiting"
    blocked = "" if activity.blocker is None else f", blocked by session {activity.blocker}"
    so_far = "" if activity.event_s is None else f", {_seconds(activity.event_s)} so far"
    return f"{activity.status}, waits for {activity.event}{so_far}{blocked}"


def sql_line(activity: Activity) -> str:
    """SQL_ID, where there is one, and text, on one line."""
    if not activity.sql_id and not activity.sql_text:
        return "no statement"
    last = "" if activity.executing else " (the last one)"
    return f"{activity.sql_id}{last}  {' '.join(activity.sql_text.split())}".strip()


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
    omissions = [
        f"{len(changed) - limit:,} more {kind}"
        for changed, limit, kind in (
            (change.waited, most_events, "events"),
            (change.statistics, most_statistics, "statistics"),
        )
        if len(changed) > limit
    ]
    if omissions:
        yield f"{'':<5} and {', '.join(omissions)}"


def activity_data(activity: Activity, change: ActivityChange) -> dict[str, Any]:
    """`waited` and `statistics` are the changes in `seconds`."""
    return {
        "status": activity.status,
        "waits_for": activity.event if activity.waiting else None,
        "waits_since_s": activity.event_s if activity.waiting else None,
        "blocked_by_sid": activity.blocker,
        "sql_id": activity.sql_id or None,
        "sql_text": activity.sql_text or None,
        "executing": activity.executing,
        "seconds": change.seconds,
        "waited": {event: asdict(waited) for event, waited in change.waited},
        "statistics": dict(change.statistics),
        "not_read": list(activity.unread),
    }


def _seconds(seconds: float) -> str:
    return f"{seconds:,.1f} s"


def _milliseconds(seconds: float) -> str:
    return f"{1e3 * seconds:,.1f} ms"
