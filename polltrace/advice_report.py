# SPDX-License-Identifier: GPL-2.0-or-later
"""`polltrace advise`: what the polling costs, what each skip would, and what to do first."""

from __future__ import annotations

from typing import Any

from polltrace.advice import Advice
from polltrace.break_mode import BreakMode
from polltrace.forecast import SkipForecast, recommended
from polltrace.intervals import Estimate


def advice_data(advice: Advice, most_cancel_s: float) -> dict[str, Any]:
    """The advice as JSON-ready data."""
    best = recommended(advice.forecast, most_cancel_s)
    return {
        "pid": advice.server.pid,
        "instance": advice.server.instance,
        "break_mode": advice.mode.value,
        "reason": advice.reason or None,
        "measured_skip": None,
        "configured_skip": advice.skip,
        "sqlnet_ora": str(advice.server.settings.path or "") or None,
        "polls_per_s": advice.session.rate.per_s,
        "price_ns": 1e9 * advice.price_s.value,
        "cpu_pct": advice.now.value,
        "cpu_pct_ci95": [advice.now.low, advice.now.high],
        "sampled_pct": advice.sampled.value if advice.sampled else None,
        "sampled_pct_ci95": [advice.sampled.low, advice.sampled.high] if advice.sampled else None,
        "estimates_agree": advice.estimates_agree,
        "forecast": [_forecast_data(each) for each in advice.forecast],
        "recommended_skip": best.break_poll_skip if best else None,
    }


def _forecast_data(each: SkipForecast) -> dict[str, Any]:
    cancel = each.cancel_ms
    return {
        "break_poll_skip": each.break_poll_skip,
        "polls_per_s": each.polls_per_s,
        "cpu_pct": each.cpu_pct.value,
        "cpu_pct_ci95": [each.cpu_pct.low, each.cpu_pct.high],
        "saved_pct": each.saved_pct.value,
        "saved_pct_ci95": [each.saved_pct.low, each.saved_pct.high],
        "cancel_ms": {"median": cancel.median, "p99": cancel.p99, "worst": cancel.worst}
        if cancel
        else None,
        "cancel_waiting_s": each.cancel_waiting_s,
    }


def advice_text(advice: Advice, most_cancel_s: float) -> str:
    """Verdict, forecast, recommendation."""
    server = advice.server
    client = server.socket.peer if server.socket else "a local client"
    who = f"{server.pid} ({server.instance}, client {client})"
    if advice.mode is not BreakMode.IN_BAND:
        return (
            f"{who} is {advice.mode.value}: it makes no break polls, and BREAK_POLL_SKIP changes "
            "nothing for it."
        )
    lines = [
        f"{who} is in-band: {advice.reason}.",
        f"Break polling takes {_pct(advice.now)} of its CPU: {advice.session.rate.per_s:,.0f} "
        f"polls a second at {1e9 * advice.price_s.value:.0f} ns each.",
    ]
    if advice.sampled is None:
        lines.append("It was not on CPU while it was sampled.")
    else:
        verb = "agree" if advice.estimates_agree else "DISAGREE"
        lines.append(
            f"Of its on-CPU samples {_pct(advice.sampled)} are in the break check: the two {verb}."
        )
    if not advice.estimates_agree:
        lines.append(
            "Trust the samples for what the check costs while it runs; the count with its price "
            "also holds what a poll makes slower after it."
        )
    return "\n".join([*lines, "", *_table(advice), "", *_recommendation(advice, most_cancel_s)])


def _table(advice: Advice) -> list[str]:
    lines = [
        f"{'BREAK_POLL_SKIP':>15} {'POLLS/CPU s':>12} {'% CPU [95 %]':>20} {'SAVED %':>8}"
        f" {'CANCEL ON CPU, ms':>24} {'WAITING':>9}",
        f"{'':>15} {'':>12} {'':>20} {'':>8} {'median    p99  worst':>24} {'up to':>9}",
    ]
    for each in advice.forecast:
        cancel = each.cancel_ms
        mark = " <- now" if each.break_poll_skip == advice.skip else ""
        latency = (
            f"{_ms(cancel.median):>8} {_ms(cancel.p99):>6} {_ms(cancel.worst):>6}"
            if cancel
            else "-"
        )
        share = f"{each.cpu_pct.value:.2f} [{each.cpu_pct.low:.2f}, {each.cpu_pct.high:.2f}]"
        lines.append(
            f"{each.break_poll_skip:>15} {each.polls_per_s:>12,.0f} {share:>20}"
            f" {each.saved_pct.value:>8.2f} {latency:>24} {_span(each.cancel_waiting_s):>9}{mark}"
        )
    return lines


def _recommendation(advice: Advice, most_cancel_s: float) -> list[str]:
    best = recommended(advice.forecast, most_cancel_s)
    settings = advice.server.settings
    source = settings.path or "there is no sqlnet.ora, so the default"
    lines = [
        "First of all: a session that gets out-of-band polls no more.",
        f"The skip now in force is not measured but read ({source}).",
    ]
    if best is None:
        lines.append(
            f"No skip keeps every cancel within {most_cancel_s:g} s: a session that waits looks "
            f"once in {advice.server.engine.wait_slice_s:g} s x skip."
        )
    elif best.break_poll_skip <= advice.skip:
        lines.append(
            f"With cancels within {most_cancel_s:g} s, stay at BREAK_POLL_SKIP={advice.skip}."
            if best.break_poll_skip == advice.skip
            else f"Cancels within {most_cancel_s:g} s need BREAK_POLL_SKIP={best.break_poll_skip}."
        )
    else:
        lines.append(
            f"With cancels within {most_cancel_s:g} s: BREAK_POLL_SKIP={best.break_poll_skip} in "
            f"the server's sqlnet.ora saves {_pct(best.saved_pct)} of the CPU; for sessions that "
            "connect from then on."
        )
    return lines


def _ms(milliseconds: float) -> str:
    return f"{milliseconds:,.0f}" if milliseconds >= 1000 else f"{milliseconds:.3g}"


def _span(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:g} s"
    return f"{seconds / 60:g} min"


def _pct(estimate: Estimate) -> str:
    return f"{estimate.value:.2f} % [{estimate.low:.2f}, {estimate.high:.2f}]"
