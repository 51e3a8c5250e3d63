# SPDX-License-Identifier: GPL-2.0-or-later
"""The report as JSON-ready data."""

from __future__ import annotations

from typing import Any

from polltrace.intervals import Estimate
from polltrace.overhead.advice_report import session_advice_data
from polltrace.overhead.poll_cost import in_order
from polltrace.profiles.latch_report import latch_path_data
from polltrace.profiles.off_cpu_report import off_cpu_data
from polltrace.recording.summary import RecordingSummary, SessionSummary


def report_data(summary: RecordingSummary) -> dict[str, Any]:
    """The report as JSON-ready data. Times are seconds, shares per cent of a process's CPU time;
    null is a value not known.

    `off_cpu` is present, in nanoseconds, where context switches were followed; in a part of a
    recording after the first it counts the threads of all parts so far. `check_samples_pct` is the
    share of a session's samples that are in the break check; `sampled_pct` of its advice is that
    share times the cost model's factor for the slower work after a poll.
    """
    recording = summary.recording
    recorded_quality = recording.quality
    return {
        "format": "polltrace-recording",
        "host": recording.header.host,
        "kernel": recording.header.kernel,
        "started": recording.header.started,
        "command": list(recording.header.command),
        "part": recording.header.part,
        "seconds": recording.seconds,
        "whole": not recording.tear,
        "tear": recording.tear or None,
        "used_cores": summary.used_cores,
        "lost_cores": summary.lost_cores.value,
        "lost_cores_ci95": _interval(summary.lost_cores),
        "cost_unknown": summary.cost_unknown,
        "poll_costs": [
            {
                "trigger": knot.trigger.value,
                "interval_us": knot.interval_us,
                "cost_ns": 1e9 * cost.value,
                "cost_ns_ci95": [1e9 * cost.low, 1e9 * cost.high],
            }
            for knot, cost in in_order(recording.check_costs)
        ],
        **off_cpu_data(summary.off_cpu),
        "quality": recorded_quality.data() | {"type": "quality"} if recorded_quality else None,
        "sessions": [_session(session) for session in summary.sessions],
    }


def _session(session: SessionSummary) -> dict[str, Any]:
    return {
        **session.facts(),
        "polls_per_s": session.load.rate.per_s,
        "polls_per_cpu_s": session.load.polls_per_cpu_s,
        "lost_cpu_s": _value(session.lost_cpu_s),
        "lost_cpu_s_ci95": _interval(session.lost_cpu_s),
        "cpu_pct": _value(session.share),
        "cpu_pct_ci95": _interval(session.share),
        "samples": session.samples,
        "spun_samples": sum(path.spun for path in session.latches),
        "latches": latch_path_data(
            session.latches, spun=bool(session.samples), slept=session.off_cpu is not None
        ),
        **off_cpu_data(session.off_cpu),
        "check_samples_pct": _value(session.sampled),
        "check_samples_pct_ci95": _interval(session.sampled),
        "gaps_ns": [[gap.from_ns, gap.below_ns, gap.count] for gap in session.gaps],
        "advice": session_advice_data(session.advice, session.limits) if session.advice else None,
    }


def _value(estimate: Estimate | None) -> float | None:
    return estimate.value if estimate else None


def _interval(estimate: Estimate | None) -> list[float] | None:
    return [estimate.low, estimate.high] if estimate else None
