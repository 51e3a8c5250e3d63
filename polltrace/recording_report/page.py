# SPDX-License-Identifier: GPL-2.0-or-later
"""The report as one page: the verdict first, then sessions, gaps, forecast, stacks."""

from __future__ import annotations

from collections.abc import Iterable

from polltrace.engines.drawing import layers_of, searched
from polltrace.overhead.advice import Advice
from polltrace.overhead.advice_report import changes, cure_text, limits_words
from polltrace.overhead.advice_report.client_check import (
    delay_heading,
    delay_words,
    setting_words,
)
from polltrace.overhead.client_check import ClientCheckAdvice
from polltrace.overhead.forecast import recommended
from polltrace.overhead.session_advice import SessionAdvice
from polltrace.profiles.off_cpu_report import off_cpu_notes
from polltrace.profiles.sampled import AT_POLL, OFF_CPU, ON_CPU
from polltrace.recording.stacks import folded_stacks
from polltrace.recording.summary import RecordingSummary, SessionSummary
from polltrace.recording_report.figures import forecast_plot, gap_histogram, rates_over_time
from polltrace.recording_report.html import figure, flame_frame, shell, table
from polltrace.recording_report.plots import text
from polltrace.recording_report.sentences import (
    about,
    client,
    instance,
    pct,
    quality,
    span,
    torn,
    verdict,
)
from polltrace.stacks.folded import Folded
from polltrace.stacks.picture import NANOSECONDS, Picture, Side
from polltrace.stacks.text import printable

_MOST_ROWS = 500


def report_page(summary: RecordingSummary) -> str:
    """The complete page."""
    header = summary.recording.header
    title = f"Break polling on {header.host}, {header.started}"
    body, has_graph = page_body(summary)
    return shell(title, body, has_graph=has_graph)


def page_body(summary: RecordingSummary) -> tuple[str, bool]:
    """The content of a page, and a flag for a flame graph in it."""
    header = summary.recording.header
    worst = summary.worst
    advice = worst.advice if worst else None
    graph = _flame(summary)
    off_cpu = _off_cpu(summary)
    body = [
        f"<header><h1>Break polling on {text(header.host)}</h1>"
        f'<p class="about">{text(about(summary))}</p></header>',
        _verdict(summary),
        _changes(worst, advice),
        "<h2>Sessions</h2>",
        _sessions(summary),
        _plots(summary, worst, advice),
        _forecast(worst, advice),
        graph,
        off_cpu,
        "<h2>How good this is</h2>",
        _list(quality(summary)),
    ]
    return "\n".join(filter(None, body)), bool(graph or off_cpu)


def _verdict(summary: RecordingSummary) -> str:
    clean = "" if summary.worst else " clean"
    verdict_html = f'<section class="verdict{clean}">{_paragraphs(verdict(summary))}</section>'
    return verdict_html + "".join(f'<p class="torn">{text(line)}</p>' for line in torn(summary))


def _changes(worst: SessionSummary | None, advice: SessionAdvice | None) -> str:
    """The recommendation for the session that loses most, and its evidence."""
    if worst is None or advice is None or not advice.forecast:
        return ""
    limits = worst.limits
    parts = [f"<h2>Recommendation for {worst.identity[0]} ({text(instance(worst))})</h2>"]
    if isinstance(advice, ClientCheckAdvice):
        return "".join([*parts, _paragraphs([" ".join(cure_text(advice, limits).split())])])
    for change in changes(advice, recommended(advice.forecast, limits)):
        parts += [
            f"<h3>{text(change.title)}</h3>",
            table([], [list(pair) for pair in change.sentences()], text_columns=[0, 1]),
        ]
    notes = [f"Seen: {line}." for line in advice.why.evidence]
    notes += [f"To be sure: {line}." for line in advice.why.settles]
    notes.append(
        f"{limits_words(limits)}, the skip above is the lowest that saves as much as the best, as "
        "far as these measurements can tell; 'polltrace advise FILE' takes other limits."
    )
    return "".join([*parts, _list(notes)])


def _list(sentences: Iterable[str]) -> str:
    items = "".join(f"<li>{text(sentence)}</li>" for sentence in sentences)
    return f'<ul class="quality">{items}</ul>'


def _paragraphs(sentences: Iterable[str]) -> str:
    return "".join(f"<p>{text(sentence)}</p>" for sentence in sentences)


def _sessions(summary: RecordingSummary) -> str:
    heads = ["PID", "Instance", "Client", "Break mode", *(["Skip"] if summary.has_skips else [])]
    heads += ["CPU %", "Break polls", "Polls/s", "Lost, % of its CPU [95 %]", "Why"]
    shown_sessions = summary.sessions[:_MOST_ROWS]
    left_out = len(summary.sessions) - len(shown_sessions)
    omission = f" The {left_out:,} that lose least are left out." if left_out else ""
    return table(
        heads,
        [_row(session, summary.has_skips) for session in shown_sessions],
        text_columns=[1, 2, 3, len(heads) - 1],
        caption="Lost to break checking: by its polls and the cost of one, and by samples on CPU "
        f"where the two agree.{omission}",
    )


def _row(session: SessionSummary, has_skips: bool) -> list[str]:
    skip = str((session.server and session.server.settings.known_skip) or "-")
    return [
        str(session.identity[0]) + (" (ended)" if session.ended else ""),
        instance(session),
        client(session),
        session.mode.value if session.server else "-",
        *([skip] if has_skips else []),
        f"{session.cpu_pct:.1f}",
        f"{session.break_polls:,}",
        f"{session.polls_per_s:,.0f}",
        pct(session.share),
        session.reason,
    ]


def _plots(
    summary: RecordingSummary, worst: SessionSummary | None, advice: SessionAdvice | None
) -> str:
    if worst is None:
        return ""
    who = f"{worst.identity[0]} ({instance(worst)})"
    gaps = figure(
        f"Gaps between break polls of {who}",
        gap_histogram(worst.gaps),
        f"{_waits(worst)}, so a long gap is a long wait. Timed for a second now and then.",
    )
    rates = figure(
        "Break polls over time",
        rates_over_time(summary.sessions),
        "The sessions that lose most.",
    )
    if not isinstance(advice, Advice):
        return f'<h2>Over time</h2><div class="plots">{gaps + rates}</div>'
    best, parameter = recommended(advice.forecast, worst.limits), advice.server.engine.parameter
    costs = figure(
        f"The cost of each {parameter} to {who}",
        forecast_plot(parameter, advice.forecast, advice.skip, best),
        "To the left cancels come sooner, downwards polling costs less.",
    )
    figures = gaps + rates + costs
    return f'<h2>Over time, and with another skip</h2><div class="plots">{figures}</div>'


def _waits(session: SessionSummary) -> str:
    if session.server is None or session.server.engine.has_out_of_band:
        return "A cancel waits for the next poll"
    return f"The next check reveals that {session.server.engine.revealed}"


def _forecast(worst: SessionSummary | None, advice: SessionAdvice | None) -> str:
    if worst is None or advice is None or not advice.forecast:
        return ""
    heading = f"<h2>Forecast for {worst.identity[0]}</h2>"
    return heading + (
        _settings(advice) if isinstance(advice, ClientCheckAdvice) else _skips(advice)
    )


def _settings(advice: ClientCheckAdvice) -> str:
    engine = advice.server.engine
    rows = [
        [
            setting_words(engine, forecast.setting)
            + (" (now)" if forecast.setting == advice.setting else ""),
            f"{forecast.checks_per_cpu_s:,.1f}",
            pct(forecast.cpu_pct),
            delay_words(forecast.median_s),
            delay_words(forecast.worst_s),
        ]
        for forecast in advice.forecast
    ]
    present_rows = [
        i for i, forecast in enumerate(advice.forecast) if forecast.setting == advice.setting
    ]
    heads = [engine.parameter, "Checks a CPU second", "% of its CPU [95 %]"]
    delay = f"{delay_heading(engine).capitalize()}: median"
    return table([*heads, delay, "at most"], rows, marked=present_rows)


def _skips(advice: Advice) -> str:
    rows = [
        [
            str(forecast.break_poll_skip)
            + (" (now)" if forecast.break_poll_skip == advice.skip else ""),
            f"{forecast.polls_per_cpu_s:,.0f}",
            pct(forecast.cpu_pct),
            pct(forecast.saved_pct),
            _ms(forecast.cancel_ms.median if forecast.cancel_ms else None),
            _ms(forecast.cancel_ms.p99 if forecast.cancel_ms else None),
            _ms(forecast.cancel_ms.worst if forecast.cancel_ms else None),
            span(forecast.cancel_waiting_s),
        ]
        for forecast in advice.forecast
    ]
    present_rows = [
        i for i, forecast in enumerate(advice.forecast) if forecast.break_poll_skip == advice.skip
    ]
    heads = [advice.server.engine.parameter, "Polls a CPU second", "% of its CPU [95 %]"]
    heads += ["Saved [95 %]", "Cancel on CPU, median ms", "99 of 100", "worst", "Waiting: up to"]
    return table(heads, rows, marked=present_rows)


def _ms(milliseconds: float | None) -> str:
    if milliseconds is None:
        return "-"
    return f"{milliseconds:,.0f}" if milliseconds >= 1000 else f"{milliseconds:.3g}"


def _flame(summary: RecordingSummary) -> str:
    """On-CPU stacks; where none were taken, those at break polls."""
    for kind, title in ((ON_CPU, "CPU time, all sessions"), (AT_POLL, "Stacks at break polls")):
        if folded := folded_stacks(summary.recording, kind):
            return f"<h2>Where the CPU time goes</h2>{_graph(summary, title, folded, 'samples')}"
    return ""


def _off_cpu(summary: RecordingSummary) -> str:
    """The parts of the threads' lifetime, and the stacks off CPU by their time; empty where no
    context switches were followed.
    """
    time = summary.off_cpu
    if time is None:
        return ""
    total_ns = time.thread_ns

    def row(name: str, ns: int, switches: str = "") -> list[str]:
        return [
            name,
            f"{ns / 1e9:,.6f}",
            f"{100 * ns / total_ns:.2f}" if total_ns else "-",
            switches,
        ]

    rows = [row(reason.reason, reason.ns, f"{reason.switches:,}") for reason in time.reasons]
    rows += [row("on CPU", time.cpu_ns), row("taken from it", time.taken_ns)]
    if time.unaccounted_ns:
        rows.append(row("not seen", time.unaccounted_ns))
    parts = [
        "<h2>Where the time off CPU goes</h2>",
        table(["", "Seconds", "% of the threads' time", "Switches"], rows, text_columns=[0]),
        _list(off_cpu_notes(time)),
    ]
    if folded := folded_stacks(summary.recording, OFF_CPU):
        parts.append(_graph(summary, "Time off CPU, all sessions", folded, NANOSECONDS))
    return "".join(parts)


def _graph(summary: RecordingSummary, title: str, folded: Folded, unit: str) -> str:
    return flame_frame(
        Picture(
            title=title,
            side=Side(printable(summary.recording.header.host), folded),
            layers=layers_of(summary.engines),
            unit=unit,
            find=searched(summary.engines),
        )
    )
