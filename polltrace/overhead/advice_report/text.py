# SPDX-License-Identifier: GPL-2.0-or-later
"""The text of `polltrace advise`: the cost of polling, the forecast of each skip, and the
recommendation.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence

from polltrace.breaks.break_mode import BreakMode
from polltrace.breaks.why import Cause
from polltrace.intervals import Estimate
from polltrace.overhead.advice import Advice
from polltrace.overhead.advice_report.changes import cancel_words, changes
from polltrace.overhead.advice_report.plot import plot
from polltrace.overhead.advice_report.units import ms, span
from polltrace.overhead.cancel import CancelLatency
from polltrace.overhead.cost_model import usual_mean_ns
from polltrace.overhead.forecast import CancelLimits, SkipForecast, recommended
from polltrace.servers.database_sessions import DatabaseSession

_WIDTH = 100
_UNIT = re.compile(r"(?<=\d) (?=(?:%|ns|ms|s|min)(?!\w))")
# The changes at the end of the text say it in full.
_SHORT_CURES = {
    Cause.CLIENT: " (have its client ask)",
    Cause.SERVER: " (let the server grant it)",
    Cause.PATH: " (have the network pass urgent data)",
}


def advice_text(
    advice: Advice, limits: CancelLimits, session: DatabaseSession | None = None
) -> str:
    """Result first, then its estimates, the forecast, the cure and the recommendation."""
    who = _who(advice, session)
    if advice.mode is not BreakMode.IN_BAND:
        return _wrapped([_not_in_band(advice, who)])
    if not advice.forecast:
        return _wrapped(
            [
                f"{who} is in-band: {advice.reason}.",
                "It made no break polls while it was measured, so their cost is not "
                "known. Measure again while it executes a long call.",
                *_why(advice),
            ]
        )
    best = recommended(advice.forecast, limits)
    return "\n".join(
        [
            _wrapped([_headline(advice, who, best)]),
            "",
            _wrapped(_estimates(advice)),
            "",
            *_table(advice),
            "",
            *_plot(advice),
            "",
            _wrapped(_cures(advice)),
            _wrapped(_recommendation(advice, best, limits)),
            *change_lines(advice, best),
        ]
    )


def _who(advice: Advice, session: DatabaseSession | None) -> str:
    server = advice.server
    peer = server.socket.peer if server.socket else "a local client"
    if session is None:
        return f"Process {server.pid} ({server.instance}, client {peer})"
    return f"Session {session.sid} ({session.user}, {session.client}; process {server.pid}, {peer})"


def _not_in_band(advice: Advice, who: str) -> str:
    polls = advice.load.rate.per_s
    reason = {
        BreakMode.OUT_OF_BAND: "breaks come as urgent data, so it makes no break polls",
        BreakMode.LOCAL: "it has no client over TCP, and breaks come as a signal",
        BreakMode.UNKNOWN: "it was hardly on CPU, and the owner of its client's socket is unknown",
    }[advice.mode]
    if advice.mode is BreakMode.UNKNOWN:
        return f"{who}: break mode unknown: {reason}. {' '.join(advice.why.settles)}"
    but = f" (but {polls:,.1f} polls a second of a socket were counted)" if polls else ""
    caution = f", {advice.why.caution}" if advice.why.caution else ""
    untested = f" {_sentence(advice.why.cure)}" if caution else ""
    return (
        f"{who} is {advice.mode.value}{caution}: {reason}{but}. Break polling takes 0 % of its "
        f"CPU, and {advice.server.engine.parameter} changes nothing for it.{untested}"
    )


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def _headline(advice: Advice, who: str, best: SkipForecast | None) -> str:
    cost = (
        f"{who} is in-band because {advice.reason}; break polling takes "
        f"{_plus_minus(advice.cpu_pct)} of its CPU. Out-of-band it would take nothing"
        f"{_SHORT_CURES.get(advice.why.cause, '')}"
    )
    if best is None or best.break_poll_skip == advice.skip:
        return f"{cost}."
    return (
        f"{cost}; at {advice.server.engine.parameter}={best.break_poll_skip} it would take "
        f"{best.cpu_pct.value:.2g} %, and a cancel {cancel_words(best)}."
    )


def _source(advice: Advice) -> str:
    if (ns := usual_mean_ns(advice.extras.durations)) is not None:
        return f"by the cost model for polls that took {ns:.0f} ns in the kernel in this process"
    return (
        "by the cost model for polltrace's own polls here, at the session's interval between polls"
    )


def _estimates(advice: Advice) -> list[str]:
    load = advice.load
    lines = [
        f"Counted: {_pct(advice.counted)} of its CPU: {load.polls_per_cpu_s:,.0f} polls per CPU "
        f"second at {1e9 * advice.poll_cost_s.value:.0f} ns [{1e9 * advice.poll_cost_s.low:.0f}, "
        f"{1e9 * advice.poll_cost_s.high:.0f}] each, {_source(advice)}, "
        f"and {advice.checks.value:.2f} % for checks that do not poll."
    ]
    if advice.extras.probe_s_per_poll:
        lines.append(
            f"The probe's own time, {1e9 * advice.extras.probe_s_per_poll:.0f} ns a poll "
            f"({advice.probe_added_pct:.1f} % of its CPU), is subtracted."
        )
    lines += [_sampled(advice), _host(advice)]
    skip = advice.skip_in_force
    is_known = skip.measured or skip.configured is not None
    force = "is in force" if is_known else "is assumed"
    lines.append(f"{advice.server.engine.parameter}={skip.value} {force}, {skip.how}.")
    if skip.finding:
        lines.append(f"NOTE: {skip.finding}.")
    if advice.gaps.dropped:
        lines.append(
            f"Of the gaps between polls the {advice.gaps.dropped:,} longest are waits, not CPU: "
            "they are left out of the cancel times on CPU."
        )
    return lines


def _host(advice: Advice) -> str:
    if (host := advice.extras.host) is None:
        return (
            "The cost of a poll was not measured on this kind of host, so the intervals cover the "
            "spread between hosts; 'polltrace calibrate' measures it there."
        )
    return f"The cost model has the factors of this kind of host, measured {host.measured}."


def _sampled(advice: Advice) -> str:
    if advice.sampled is None:
        return (
            "Sampled: no estimate, because it was not on CPU or no function of its break check has "
            "a name (stripped program)."
        )
    share = f"Sampled: {_pct(advice.sampled)} of its CPU, by on-CPU samples and the cost model."
    if advice.choice.agree:
        return f"{share} The two agree; together: {_pct(advice.chosen)}."
    which = f"the {advice.choice.trusted} one is used: {advice.choice.why}"
    return f"{share} The two DISAGREE; {which}."


def _table(advice: Advice) -> list[str]:
    lines = [
        f"{advice.server.engine.parameter:>15} {'POLLS/CPU s':>11} {'% CPU [95 %]':>20}"
        f" {'SAVED % [95 %]':>22} {'SAVED s':>9} {'CANCEL ON CPU, ms':>24} {'WAITING':>8}",
        f"{'':>80} {'median    p99  worst':>24} {'up to':>8}",
    ]
    for forecast in advice.forecast:
        mark = " <- now" if forecast.break_poll_skip == advice.skip else ""
        saved_s = advice.saved_s(forecast)
        lines.append(
            f"{forecast.break_poll_skip:>15} {forecast.polls_per_cpu_s:>11,.0f}"
            f" {_interval(forecast.cpu_pct):>20} {_interval(forecast.saved_pct):>22}"
            f" {'-' if saved_s is None else f'{saved_s:z,.1f}':>9}"
            f" {_latency(forecast.cancel_ms):>24} {span(forecast.cancel_waiting_s):>8}{mark}"
        )
    if advice.extras.job_cpu_s:
        lines.append(
            f"SAVED s: of the {advice.extras.job_cpu_s:,.1f} CPU seconds that the process has used "
            "so far, had it worked like this all the time."
        )
    return lines


def _interval(estimate: Estimate) -> str:
    return f"{estimate.value:z.2f} [{estimate.low:z.2f}, {estimate.high:z.2f}]"


def _plot(advice: Advice) -> list[str]:
    points = [
        (forecast.cancel_ms.median, forecast.cpu_pct.value, str(forecast.break_poll_skip))
        for forecast in advice.forecast
        if forecast.cancel_ms and forecast.cancel_ms.median > 0
    ]
    return plot(points, f"median cancel on CPU, ms, by {advice.server.engine.parameter}", "% CPU")


def _why(advice: Advice) -> list[str]:
    return [
        *(f"Seen: {line}." for line in advice.why.evidence),
        *(f"To be sure: {line}." for line in advice.why.settles),
    ]


def _cures(advice: Advice) -> list[str]:
    saved = advice.out_of_band_saved
    lines = [f"Better than any skip: out-of-band it would save {_pct(saved)} of its CPU."]
    if advice.why.cure:
        lines.append(f"To get there: {advice.why.cure}.")
    return [*lines, *_why(advice)]


def _recommendation(advice: Advice, best: SkipForecast | None, limits: CancelLimits) -> list[str]:
    limit = limits_words(limits)
    if best is None:
        return [f"{limit}: no skip achieves that, by the longest gap between two checks."]
    if best.break_poll_skip == advice.skip:
        return [f"{limit}: stay at {advice.server.engine.parameter}={advice.skip}."]
    where = advice.server.configuration
    saved = best.saved_pct
    verb, size = ("costs", saved.negated) if saved.value < 0 else ("saves", saved)
    return [
        f"{limit}: {advice.server.engine.parameter}={best.break_poll_skip} in the server's "
        f"{where} {verb} {_pct(size)} of its CPU, for sessions that connect from then on."
    ]


def limits_words(limits: CancelLimits) -> str:
    """The limits of a recommended skip, as the beginning of a sentence."""
    words = (
        f"With cancels within {span(limits.running_s)} while it runs and "
        f"{span(limits.waiting_s)} while it waits"
    )
    because = limits.lock_waits
    return words if because is None else f"{words} (because {because.by})"


def change_lines(advice: Advice, best: SkipForecast | None) -> list[str]:
    """The changes to make, how to check and how to undo them; empty where there are none."""
    lines = []
    for number, change in enumerate(changes(advice, best), start=1):
        lines += ["", _wrapped([f"{number}. {change.title}."])]
        for label, text in change.sentences():
            start = f"   {label:<8}"
            lines.append(
                textwrap.fill(
                    text,
                    _WIDTH,
                    initial_indent=start,
                    subsequent_indent=" " * len(start),
                    break_on_hyphens=False,
                )
            )
    return lines


def _latency(cancel: CancelLatency | None) -> str:
    if cancel is None:
        return "-"
    return f"{ms(cancel.median):>8} {ms(cancel.p99):>6} {ms(cancel.worst):>6}"


def _wrapped(lines: Sequence[str]) -> str:
    """Lines wrapped at the page's width; a number stays with its unit."""
    filled = (
        textwrap.fill(
            _UNIT.sub("\N{NO-BREAK SPACE}", line),
            _WIDTH,
            subsequent_indent="  ",
            break_on_hyphens=False,
        )
        for line in lines
    )
    return "\n".join(filled).replace("\N{NO-BREAK SPACE}", " ")


def _pct(estimate: Estimate) -> str:
    return f"{estimate.value:.2f} % [{estimate.low:.2f}, {estimate.high:.2f}]"


def _plus_minus(estimate: Estimate) -> str:
    return f"{estimate.value:.1f} ± {max(0.1, estimate.half_width):.1f} %"
