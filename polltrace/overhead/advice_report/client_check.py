# SPDX-License-Identifier: GPL-2.0-or-later
"""The text and the data of `polltrace advise` for an engine whose checks a timer starts."""

from __future__ import annotations

import textwrap
from typing import Any

from polltrace.breaks.break_mode import BreakMode
from polltrace.intervals import Estimate
from polltrace.overhead.client_check import (
    ClientCheckAdvice,
    IntervalForecast,
    recommended_interval,
)

_WIDTH = 100


def client_check_text(advice: ClientCheckAdvice, limit_s: float) -> str:
    """The present cost of the checks, cost and delay at each interval, and the recommendation."""
    lines = [_headline(advice)]
    if not advice.forecast:
        missing = "It was not on CPU: measure again while a statement runs."
        if advice.load.busy:
            missing = "The cost of a check there was not measured, because nothing checked."
        return _wrapped([*lines, missing])
    lines.append(
        "The cost is that of whole checks (signal, handler, the call on the socket, the timer), "
        "calibrated here with no probe attached."
    )
    if note := advice.server.engine.cancel_note:
        lines[-1] += f" It saves nothing else to check less often: {note}."
    return "\n".join(
        [
            _wrapped(lines),
            "",
            *client_check_lines(advice),
            "",
            recommendation(advice, limit_s),
        ]
    )


def _headline(advice: ClientCheckAdvice) -> str:
    server, engine = advice.server, advice.server.engine
    peer = server.socket.peer if server.socket else "a local client"
    who = f"Process {server.pid} ({server.instance}, client {peer})"
    if advice.mode is BreakMode.UNKNOWN:
        return f"{who}: whether it checks is not known, because {advice.why.reason}."
    if advice.mode is not BreakMode.CHECKING:
        return f"{who} is {advice.mode.value} because {advice.why.reason}."
    every = f", every {span(advice.interval_s)}" if advice.interval_s else ""
    checks = (
        f"{who} checks {advice.load.rate.per_s:,.1f} times a second whether its client is gone"
        f"{every} ({engine.parameter})"
    )
    if advice.cpu_pct is None or advice.check_cost_s is None:
        return f"{checks}."
    cost = f"{1e6 * advice.check_cost_s.value:.1f} us a check"
    return f"{checks}: {_pct(advice.cpu_pct)} of its CPU, at {cost}."


def client_check_lines(advice: ClientCheckAdvice) -> list[str]:
    """The forecast: a line for each interval, below its heading."""
    lines = [
        f"{'INTERVAL':>10} {'CHECKS/CPU s':>12} {'% CPU [95 %]':>24}"
        f" {'CLIENT FOUND GONE AFTER':>24}",
        f"{'':>48} {'median   at most':>24}",
    ]
    for forecast in advice.forecast:
        cost = forecast.cpu_pct
        share = f"{cost.value:.3f} [{cost.low:.3f}, {cost.high:.3f}]"
        mark = " <- now" if forecast.interval_s == advice.interval_s else ""
        delays = f"{span(forecast.median_s)}  {span(forecast.worst_s):>8}"
        lines.append(
            f"{span(forecast.interval_s):>10} {forecast.checks_per_cpu_s:>12,.1f} {share:>24}"
            f" {delays:>24}{mark}"
        )
    never = "at its next send"
    lines.append(
        f"{'off':>10} {0:>12} {'0':>24} {never:>24}"
        f"{' <- now' if advice.mode is BreakMode.NOT_CHECKING else ''}"
    )
    return lines


def recommendation(advice: ClientCheckAdvice, limit_s: float) -> str:
    """The longest interval that finds a client gone within `limit_s`, as wrapped text."""
    engine = advice.server.engine
    best = recommended_interval(advice.forecast, limit_s)
    want = f"To find a client gone within {span(limit_s)} (--max-cancel)"
    if best is None:
        return _wrapped(
            [f"{want}: no interval does, because checks came up to {span(advice.unbroken_s)} late."]
        )
    how = f" ({engine.set_command(best.interval_s)})" if engine.set else ""
    return _wrapped(
        [
            f"{want}: {engine.parameter} = {span(best.interval_s)}{how}, which takes "
            f"{_pct(best.cpu_pct)} of its CPU."
        ]
    )


def client_check_data(advice: ClientCheckAdvice, limit_s: float) -> dict[str, Any]:
    """The advice as JSON-ready data. Shares are per cent of the session's CPU time, with their 95 %
    intervals; null means not known.
    """
    server, best = advice.server, recommended_interval(advice.forecast, limit_s)
    return {
        "pid": server.pid,
        "engine": server.engine.name,
        "instance": server.instance,
        "client": server.socket.peer if server.socket else None,
        "break_mode": advice.mode.value,
        "cause": advice.why.cause.value,
        "reason": advice.why.reason,
        "parameter": server.engine.parameter,
        "interval_s": advice.interval_s,
        "checks_per_s": advice.load.rate.per_s,
        "check_cost_us": 1e6 * advice.check_cost_s.value if advice.check_cost_s else None,
        "cpu_pct": advice.cpu_pct.value if advice.cpu_pct else None,
        "cpu_pct_ci95": [advice.cpu_pct.low, advice.cpu_pct.high] if advice.cpu_pct else None,
        "latest_check_s": advice.unbroken_s,
        "forecast": [_forecast_data(forecast) for forecast in advice.forecast],
        "max_cancel_s": limit_s,
        "recommended_interval_s": best.interval_s if best else None,
    }


def _forecast_data(forecast: IntervalForecast) -> dict[str, Any]:
    return {
        "interval_s": forecast.interval_s,
        "checks_per_cpu_s": forecast.checks_per_cpu_s,
        "cpu_pct": forecast.cpu_pct.value,
        "cpu_pct_ci95": [forecast.cpu_pct.low, forecast.cpu_pct.high],
        "found_median_s": forecast.median_s,
        "found_worst_s": forecast.worst_s,
    }


def span(seconds: float) -> str:
    return f"{1e3 * seconds:.3g} ms" if seconds < 1 else f"{seconds:.3g} s"


def _pct(estimate: Estimate) -> str:
    return f"{estimate.value:.2f} % [{estimate.low:.2f}, {estimate.high:.2f}]"


def _wrapped(lines: list[str]) -> str:
    return "\n".join(
        textwrap.fill(line, _WIDTH, subsequent_indent="  ", break_on_hyphens=False)
        for line in lines
    )
