# SPDX-License-Identifier: GPL-2.0-or-later
"""The plots of a report: gaps, forecast, rates over time."""

from __future__ import annotations

import math
from collections.abc import Sequence

from polltrace.overhead.forecast import SkipForecast
from polltrace.profiles.frames import Bucket
from polltrace.recording.summary import SessionSummary
from polltrace.recording_report.plots import Plot, linear_axis, log_axis, text
from polltrace.recording_report.sentences import instance

_BARS_A_DECADE = 6
MOST_LINES = 5


def gap_histogram(gaps: Sequence[Bucket]) -> str:
    """Histogram of the gaps' lengths; both axes logarithmic. Empty without gaps."""
    bars: dict[int, int] = {}
    for gap in gaps:
        middle = math.sqrt(max(gap.from_ns, 1) * max(gap.below_ns, 1))
        bar_number = math.floor(_BARS_A_DECADE * math.log10(middle))
        bars[bar_number] = bars.get(bar_number, 0) + gap.count
    if not bars:
        return ""
    edges = {bar_number: (_edge(bar_number), _edge(bar_number + 1)) for bar_number in bars}
    plot = Plot(
        log_axis(
            "from one break poll to the next", [e for pair in edges.values() for e in pair], _time
        ),
        log_axis(
            "gaps", [0.5, *bars.values()], lambda value: f"{value:,.0f}" if value >= 1 else ""
        ),
    )
    marks = [
        plot.bar(
            *edges[bar_number],
            count,
            f"{_time(edges[bar_number][0])} to {_time(edges[bar_number][1])}: {count:,}",
        )
        for bar_number, count in sorted(bars.items())
    ]
    longest = _time(max(gap.below_ns for gap in gaps))
    return plot.svg(marks, f"Histogram of gaps between break polls; the longest under {longest}")


def forecast_plot(
    parameter: str,
    forecasts: Sequence[SkipForecast],
    skip_in_force: int | None,
    best: SkipForecast | None,
) -> str:
    """The cost against the cancel latency, a point for each value of the `parameter`. Empty where
    gaps were not timed.
    """
    timed_forecasts = [
        (timed_forecast, timed_forecast.cancel_ms)
        for timed_forecast in forecasts
        if timed_forecast.cancel_ms is not None
    ]
    if not timed_forecasts:
        return ""
    shares = [
        share
        for timed_forecast, _ in timed_forecasts
        for share in (timed_forecast.cpu_pct.value, timed_forecast.cpu_pct.high)
    ]
    plot = Plot(
        log_axis(
            "a cancel on CPU waits, 99 of 100 (ms)", [c.p99 for _, c in timed_forecasts], _number
        ),
        log_axis("break polls, % of its CPU", shares, _number),
    )
    marks = [
        plot.line(
            [(c.p99, timed_forecast.cpu_pct.value) for timed_forecast, c in timed_forecasts], "path"
        )
    ]
    for timed_forecast, cancel in timed_forecasts:
        skip = timed_forecast.break_poll_skip
        is_best = best is not None and skip == best.break_poll_skip
        style, note = ("", "")
        if skip == skip_in_force:
            style, note = "now", " now"
        elif is_best:
            style, note = "best", " advised"
        marks.append(plot.dot(cancel.p99, timed_forecast.cpu_pct, f"{skip}{note}", style))
    return plot.svg(marks, f"The cost of each {parameter} against the wait of a cancel")


def rates_over_time(sessions: Sequence[SessionSummary]) -> str:
    """Break polls per second of the sessions that poll most. Empty where none polls."""
    plotted = [session for session in sessions if session.break_polls and session.spans][
        :MOST_LINES
    ]
    if not plotted:
        return ""
    spans = [span for session in plotted for span in session.spans]
    plot = Plot(
        linear_axis(
            "seconds since the recording began",
            min(span.from_s for span in spans),
            max(span.to_s for span in spans),
            lambda value: f"{value:,.6g}",
        ),
        linear_axis("break polls a second", 0, max(s.polls_per_s for s in spans), _thousands),
    )
    marks = []
    for i, session in enumerate(plotted):
        points = [(session.spans[0].from_s, session.spans[0].polls_per_s)]
        points += [(span.to_s, span.polls_per_s) for span in session.spans]
        marks.append(plot.line(points, f"s{i}"))
    names = "".join(
        f'<li class="s{i}"><svg viewBox="0 0 16 8" aria-hidden="true">'
        f'<line class="line s{i}" x1="0" y1="4" x2="16" y2="4"/></svg>'
        f"{session.identity[0]} {text(instance(session))}</li>"
        for i, session in enumerate(plotted)
    )
    return f'{plot.svg(marks, "Break polls a second over time")}<ul class="key">{names}</ul>'


def _edge(bar_number: int) -> float:
    return float(10 ** (bar_number / _BARS_A_DECADE))


def _time(nanoseconds: float) -> str:
    for unit, size in (("s", 1e9), ("ms", 1e6), ("µs", 1e3)):
        if nanoseconds >= size * 0.9999:
            return f"{nanoseconds / size:.3g} {unit}"
    return f"{nanoseconds:.3g} ns"


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


def _thousands(value: float) -> str:
    return f"{value / 1000:,.6g}k" if value >= 1000 else f"{value:.6g}"
