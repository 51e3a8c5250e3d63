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
        at = math.floor(_BARS_A_DECADE * math.log10(middle))
        bars[at] = bars.get(at, 0) + gap.count
    if not bars:
        return ""
    edges = {at: (_edge(at), _edge(at + 1)) for at in bars}
    plot = Plot(
        log_axis(
            "from one break poll to the next", [e for pair in edges.values() for e in pair], _time
        ),
        log_axis(
            "gaps", [0.5, *bars.values()], lambda value: f"{value:,.0f}" if value >= 1 else ""
        ),
    )
    marks = [
        plot.bar(*edges[at], count, f"{_time(edges[at][0])} to {_time(edges[at][1])}: {count:,}")
        for at, count in sorted(bars.items())
    ]
    longest = _time(max(gap.below_ns for gap in gaps))
    return plot.svg(marks, f"Histogram of gaps between break polls; the longest under {longest}")


def forecast_plot(
    parameter: str, forecasts: Sequence[SkipForecast], now: int | None, best: SkipForecast | None
) -> str:
    """Cost against cancel latency, a point for each value of the `parameter`. Empty where gaps were
    not timed."""
    known = [(each, each.cancel_ms) for each in forecasts if each.cancel_ms is not None]
    if not known:
        return ""
    shares = [share for each, _ in known for share in (each.cpu_pct.value, each.cpu_pct.high)]
    plot = Plot(
        log_axis("a cancel on CPU waits, 99 of 100 (ms)", [c.p99 for _, c in known], _number),
        log_axis("break polls, % of its CPU", shares, _number),
    )
    marks = [plot.line([(c.p99, e.cpu_pct.value) for e, c in known], "path")]
    for each, cancel in known:
        skip = each.break_poll_skip
        is_best = best is not None and skip == best.break_poll_skip
        style, note = ("", "")
        if skip == now:
            style, note = "now", " now"
        elif is_best:
            style, note = "best", " advised"
        marks.append(plot.dot(cancel.p99, each.cpu_pct, f"{skip}{note}", style))
    return plot.svg(marks, f"What each {parameter} costs, against how long a cancel waits")


def rates_over_time(sessions: Sequence[SessionSummary]) -> str:
    """Break polls a second of the sessions that poll most. Empty where none polls."""
    shown = [each for each in sessions if each.break_polls and each.spans][:MOST_LINES]
    if not shown:
        return ""
    spans = [span for each in shown for span in each.spans]
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
    for i, each in enumerate(shown):
        points = [(each.spans[0].from_s, each.spans[0].polls_per_s)]
        points += [(span.to_s, span.polls_per_s) for span in each.spans]
        marks.append(plot.line(points, f"s{i}"))
    names = "".join(
        f'<li class="s{i}"><svg viewBox="0 0 16 8" aria-hidden="true">'
        f'<line class="line s{i}" x1="0" y1="4" x2="16" y2="4"/></svg>'
        f"{each.identity[0]} {text(instance(each))}</li>"
        for i, each in enumerate(shown)
    )
    return f'{plot.svg(marks, "Break polls a second over time")}<ul class="key">{names}</ul>'


def _edge(at: int) -> float:
    return float(10 ** (at / _BARS_A_DECADE))


def _time(nanoseconds: float) -> str:
    for unit, size in (("s", 1e9), ("ms", 1e6), ("µs", 1e3)):
        if nanoseconds >= size * 0.9999:
            return f"{nanoseconds / size:.3g} {unit}"
    return f"{nanoseconds:.3g} ns"


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


def _thousands(value: float) -> str:
    return f"{value / 1000:,.6g}k" if value >= 1000 else f"{value:.6g}"
