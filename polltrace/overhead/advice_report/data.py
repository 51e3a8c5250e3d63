# SPDX-License-Identifier: GPL-2.0-or-later
"""Advice as JSON-ready data."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from polltrace.intervals import Estimate
from polltrace.overhead.advice import Advice
from polltrace.overhead.advice_report.changes import changes
from polltrace.overhead.cancel import CancelLatency
from polltrace.overhead.forecast import CancelLimits, SkipForecast, recommended
from polltrace.servers.database_sessions import DatabaseSession


def advice_data(
    advice: Advice, limits: CancelLimits, session: DatabaseSession | None = None
) -> dict[str, Any]:
    """The advice as JSON-ready data. Shares are per cent of the session's CPU time, with their 95 %
    intervals; `forecast` is empty for a session without break polls. null means not known.
    """
    best = recommended(advice.forecast, limits)
    server, skip, settings = advice.server, advice.skip_in_force, advice.server.settings
    return {
        "pid": server.pid,
        "instance": server.instance,
        "client": server.socket.peer if server.socket else None,
        "session": asdict(session) if session else None,
        "break_mode": advice.mode.value,
        "caution": advice.why.caution or None,
        "cause": advice.why.cause.value,
        "reason": advice.reason or None,
        "evidence": list(advice.why.evidence),
        "would_settle": list(advice.why.settles),
        "cure": advice.why.cure or None,
        "changes": [asdict(change) for change in changes(advice, best)],
        "measured_skip": skip.measured.value if skip.measured else None,
        "configured_skip": skip.configured,
        "skip": skip.value,
        "skip_from": skip.how,
        "skip_finding": skip.finding or None,
        "checks_per_poll": skip.measured.checks_per_poll if skip.measured else None,
        "sqlnet_ora": str(settings.path or "") or None,
        "sqlnet_ora_place": str(settings.path or settings.place or "") or None,
        "polls_per_s": advice.load.rate.per_s,
        "polls_per_cpu_s": advice.load.polls_per_cpu_s,
        "poll_cost_ns": 1e9 * advice.poll_cost_s.value,
        "poll_cost_ns_ci95": [1e9 * end for end in _ends(advice.poll_cost_s)],
        "cpu_pct": advice.cpu_pct.value,
        "cpu_pct_ci95": _ends(advice.cpu_pct),
        "counted_pct": advice.counted.value,
        "counted_pct_ci95": _ends(advice.counted),
        "sampled_pct": advice.sampled.value if advice.sampled else None,
        "sampled_pct_ci95": _ends(advice.sampled) if advice.sampled else None,
        "estimates_agree": advice.choice.agree,
        "trusted": advice.choice.trusted,
        "trusted_because": advice.choice.why,
        "host_measured": advice.extras.host.measured if advice.extras.host else None,
        "probe_ns_per_poll": 1e9 * advice.extras.probe_s_per_poll,
        "probe_added_pct": advice.probe_added_pct,
        "job_cpu_s": advice.extras.job_cpu_s,
        "out_of_band_saved_pct": advice.out_of_band_saved.value,
        "out_of_band_saved_pct_ci95": _ends(advice.out_of_band_saved),
        "forecast": [_forecast(advice, entry) for entry in advice.forecast],
        "max_cancel_s": limits.running_s,
        "max_cancel_waiting_s": limits.waiting_s,
        "max_cancel_waiting_because": limits.lock_waits.by if limits.lock_waits else None,
        "waits_for_locks": limits.lock_waits.observed if limits.lock_waits else None,
        "recommended_skip": best.break_poll_skip if best else None,
    }


def _forecast(advice: Advice, forecast: SkipForecast) -> dict[str, Any]:
    return {
        "break_poll_skip": forecast.break_poll_skip,
        "polls_per_cpu_s": forecast.polls_per_cpu_s,
        "cpu_pct": forecast.cpu_pct.value,
        "cpu_pct_ci95": _ends(forecast.cpu_pct),
        "saved_pct": forecast.saved_pct.value,
        "saved_pct_ci95": _ends(forecast.saved_pct),
        "saved_s": advice.saved_s(forecast),
        "cancel_ms": _cancel(forecast.cancel_ms),
        "cancel_waiting_s": forecast.cancel_waiting_s,
    }


def _cancel(cancel: CancelLatency | None) -> dict[str, float] | None:
    if cancel is None:
        return None
    return {"median": cancel.median, "p99": cancel.p99, "worst": cancel.worst}


def _ends(estimate: Estimate) -> list[float]:
    return [estimate.low, estimate.high]
