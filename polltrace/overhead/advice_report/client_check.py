# SPDX-License-Identifier: GPL-2.0-or-later
"""The text and the data of `polltrace advise` for an engine without out-of-band breaks."""

from __future__ import annotations

import textwrap
from typing import Any

from polltrace.breaks.break_mode import BreakMode
from polltrace.engines import Engine, Reveals
from polltrace.intervals import Estimate
from polltrace.overhead.client_check import (
    CheckForecast,
    ClientCheckAdvice,
    recommended_check,
)

_WIDTH = 100


def client_check_text(advice: ClientCheckAdvice, limit_s: float) -> str:
    """The present cost of the checks, cost and delay at each setting, and the recommendation."""
    lines = [_headline(advice)]
    if advice.server.engine.never_checks:
        return _wrapped(lines)
    if not advice.forecast:
        missing = "It was not on CPU: measure again while a statement runs."
        if advice.load.busy:
            missing = "The cost of a check there was not measured, because nothing checked."
        return _wrapped([*lines, missing])
    lines.append(_cost_words(advice.server.engine))
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


def _cost_words(engine: Engine) -> str:
    kind = engine.check_kind
    parts = ["signal, handler", *kind.calls, "the timer"] if kind.by_signal else [*kind.calls]
    judged = "" if kind.model else "; no A/B test has judged the cost of this engine's checks"
    return (
        f"The cost is that of whole checks ({', '.join(parts)}), calibrated here with no probe "
        f"attached{judged}."
    )


def _headline(advice: ClientCheckAdvice) -> str:
    server, engine = advice.server, advice.server.engine
    peer = server.socket.peer if server.socket else "a local client"
    client = "its sessions are threads" if engine.sessions_are_threads else f"client {peer}"
    who = f"Process {server.pid} ({server.instance}, {client})"
    if advice.mode is BreakMode.NO_CHECK:
        return f"{who} makes no checks, and there is nothing to set: {advice.why.reason}."
    if advice.mode is BreakMode.UNKNOWN:
        return f"{who}: whether it checks is not known, because {advice.why.reason}."
    if advice.mode is not BreakMode.CHECKING:
        return f"{who} is {advice.mode.value} because {advice.why.reason}."
    every = ""
    if advice.setting:
        setting = setting_words(engine, advice.setting)
        every = f", by one in {setting} checks" if engine.polls_by_count else f", every {setting}"
    checks = (
        f"{who} checks {advice.load.rate.per_s:,.1f} times a second whether {engine.revealed}"
        f"{every} ({engine.parameter})"
    )
    if advice.cpu_pct is None or advice.check_cost_s is None:
        return f"{checks}."
    cost = f"{1e6 * advice.check_cost_s.value:.1f} us a check"
    return f"{checks}: {_pct(advice.cpu_pct)} of its CPU, at {cost}."


def client_check_lines(advice: ClientCheckAdvice) -> list[str]:
    """The forecast: a line for each setting, below its heading."""
    engine = advice.server.engine
    first = "ONE IN" if engine.polls_by_count else "INTERVAL"
    lines = [
        f"{first:>10} {'CHECKS/CPU s':>12} {'% CPU [95 %]':>24} {delay_heading(engine):>24}",
        f"{'':>48} {'median   at most':>24}",
    ]
    for forecast in advice.forecast:
        cost = forecast.cpu_pct
        share = f"{cost.value:.3f} [{cost.low:.3f}, {cost.high:.3f}]"
        mark = " <- now" if forecast.setting == advice.setting else ""
        delays = f"{delay_words(forecast.median_s)}  {delay_words(forecast.worst_s):>8}"
        lines.append(
            f"{setting_words(engine, forecast.setting):>10} {forecast.checks_per_cpu_s:>12,.1f}"
            f" {share:>24} {delays:>24}{mark}"
        )
    if not engine.default and not engine.polls_by_count:
        lines.append(
            f"{'off':>10} {0:>12} {'0':>24} {_without_checks(engine):>24}"
            f"{' <- now' if advice.mode is BreakMode.NOT_CHECKING else ''}"
        )
    return lines


def delay_heading(engine: Engine) -> str:
    """The heading of the times until the events that a check reveals are noticed."""
    if engine.reveals == {Reveals.LOST_CLIENT}:
        return "CLIENT FOUND GONE AFTER"
    return "CANCEL NOTICED AFTER" if engine.reveals == {Reveals.CANCEL} else "NOTICED AFTER"


def _without_checks(engine: Engine) -> str:
    return "at its next send" if Reveals.LOST_CLIENT in engine.reveals else "after its call"


def setting_words(engine: Engine, setting: float) -> str:
    """The interval with its unit, or the number of checks per poll."""
    return f"{setting:g}" if engine.polls_by_count else span(setting)


def delay_words(seconds: float | None) -> str:
    """The time with its unit, or a dash where none was measured."""
    return "-" if seconds is None else span(seconds)


def recommendation(advice: ClientCheckAdvice, limit_s: float) -> str:
    """The highest setting that notices an event within `limit_s`, as wrapped text."""
    engine = advice.server.engine
    best = recommended_check(advice.forecast, limit_s)
    want = f"To notice within {span(limit_s)} (--max-cancel) that {engine.revealed}"
    if best is None:
        because = f"checks came up to {span(advice.unbroken_s)} late"
        if engine.polls_by_count:
            timed = any(forecast.worst_s is not None for forecast in advice.forecast)
            because = "the longest gap between checks is longer" if timed else "no gap was timed"
        return _wrapped([f"{want}: no setting does that for certain, because {because}."])
    if engine.polls_by_count:
        value, how = f"{best.setting:g}", engine.set.replace("{value}", f"{best.setting:g}")
    else:
        value, how = engine.in_unit(best.setting), engine.set_command(best.setting)
    command = f" ({how})" if how else ""
    return _wrapped(
        [
            f"{want}: {engine.parameter} = {value}{command}, which takes "
            f"{_pct(best.cpu_pct)} of its CPU."
        ]
    )


def client_check_data(advice: ClientCheckAdvice, limit_s: float) -> dict[str, Any]:
    """The advice as JSON-ready data. Shares are per cent of the session's CPU time, with their 95 %
    intervals; null means not known.
    """
    server, best = advice.server, recommended_check(advice.forecast, limit_s)
    setting = _SETTING_KEYS[server.engine.polls_by_count]
    return {
        "pid": server.pid,
        "engine": server.engine.name,
        "instance": server.instance,
        "client": server.socket.peer if server.socket else None,
        "break_mode": advice.mode.value,
        "cause": advice.why.cause.value,
        "reason": advice.why.reason,
        "parameter": server.engine.parameter or None,
        "reveals": sorted(event.value for event in server.engine.reveals),
        setting: advice.setting,
        "checks_per_s": advice.load.rate.per_s,
        "check_cost_us": 1e6 * advice.check_cost_s.value if advice.check_cost_s else None,
        "cpu_pct": advice.cpu_pct.value if advice.cpu_pct else None,
        "cpu_pct_ci95": [advice.cpu_pct.low, advice.cpu_pct.high] if advice.cpu_pct else None,
        "latest_check_s": advice.unbroken_s,
        "forecast": [_forecast_data(forecast, setting) for forecast in advice.forecast],
        "max_cancel_s": limit_s,
        f"recommended_{setting}": best.setting if best else None,
    }


_SETTING_KEYS = {False: "interval_s", True: "checks_per_poll"}


def _forecast_data(forecast: CheckForecast, setting: str) -> dict[str, Any]:
    return {
        setting: forecast.setting,
        "checks_per_cpu_s": forecast.checks_per_cpu_s,
        "cpu_pct": forecast.cpu_pct.value,
        "cpu_pct_ci95": [forecast.cpu_pct.low, forecast.cpu_pct.high],
        "found_median_s": forecast.median_s,
        "found_worst_s": forecast.worst_s,
    }


def span(seconds: float) -> str:
    """`200 us`, `20 ms`, `1.5 s`."""
    if seconds < 1e-3:
        return f"{1e6 * seconds:.3g} us"
    return f"{1e3 * seconds:.3g} ms" if seconds < 1 else f"{seconds:.3g} s"


def _pct(estimate: Estimate) -> str:
    return f"{estimate.value:.2f} % [{estimate.low:.2f}, {estimate.high:.2f}]"


def _wrapped(lines: list[str]) -> str:
    return "\n".join(
        textwrap.fill(line, _WIDTH, subsequent_indent="  ", break_on_hyphens=False)
        for line in lines
    )
