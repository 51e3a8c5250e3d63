# SPDX-License-Identifier: GPL-2.0-or-later
"""A snapshot of a host as data, for `polltrace top --json`."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from polltrace.intervals import Estimate
from polltrace.overhead.poll_cost import in_order
from polltrace.watch.snapshot import ServerRow, Snapshot


def snapshot_data(snapshot: Snapshot, rows: tuple[ServerRow, ...]) -> dict[str, Any]:
    """The snapshot as JSON-ready data, with these of its rows; null means unknown."""
    return {
        "host": snapshot.host,
        "time": snapshot.clock,
        "t_s": snapshot.t_s,
        **_with_interval("lost_cores", snapshot.totals.lost_cores),
        "lost_s": snapshot.totals.lost_s,
        "used_cores": snapshot.totals.used_cores,
        "sessions": {mode.value: count for mode, count in snapshot.totals.sessions.items()},
        "costs": [
            {
                "trigger": knot.trigger.value,
                "interval_us": knot.interval_us,
                **_with_interval("cost_ns", cost.scaled(1e9)),
                "disturbed": knot in snapshot.costs.disturbed,
            }
            for knot, cost in in_order(snapshot.costs.by_knot)
        ],
        "calibration_failed": snapshot.costs.failed or None,
        "own_cost": asdict(snapshot.cost) if snapshot.cost else None,
        "lost": dict(snapshot.lost),
        "servers": [
            {
                "pid": row.pid,
                "start_ticks": row.start_ticks,
                "engine": row.engine,
                "instance": row.instance,
                "client": row.client or None,
                "client_server": asdict(row.client_server) if row.client_server else None,
                "sid": row.sid,
                "user": row.user or None,
                "program": row.program or None,
                "break_mode": row.mode.value,
                "reason": row.reason or None,
                "configured_skip": row.skip,
                "cpu_pct": row.cpu_pct,
                "break_polls_per_s": row.polls_per_s,
                "break_polls_per_s_ci95": [row.rate.low, row.rate.high] if row.rate else None,
                "interval_us": row.knot.interval_us if row.knot else None,
                **_with_interval("cost_ns", row.poll_cost_s and row.poll_cost_s.scaled(1e9)),
                **_with_interval("lost_pct", row.lost_pct),
                **_with_interval("lost_cores", row.lost_cores),
                "worst_gap_ms": None if row.worst_gap_s is None else 1e3 * row.worst_gap_s,
            }
            for row in rows
        ],
    }


def _with_interval(key: str, estimate: Estimate | None) -> dict[str, Any]:
    interval = None if estimate is None else [estimate.low, estimate.high]
    return {key: None if estimate is None else estimate.value, f"{key}_ci95": interval}
