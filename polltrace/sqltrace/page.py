# SPDX-License-Identifier: GPL-2.0-or-later
"""A trace as one HTML page: where the time went by stack, when, and by name."""

from __future__ import annotations

from collections.abc import Sequence

from polltrace import __version__
from polltrace.recording_report.html import flame_frame, shell, table
from polltrace.recording_report.plots import text
from polltrace.sqltrace.call_tree import call_forest, time_by_stack
from polltrace.sqltrace.database import TraceDatabase
from polltrace.sqltrace.profile import condition, profile
from polltrace.sqltrace.profile_question import ProfileQuestion
from polltrace.sqltrace.spread import TraceProfile
from polltrace.stacks.picture import Picture, Side

_BINS, _WIDTH, _HEIGHT = 200, 1000, 160
# Colours of the page's style, by the kind of time.
_CLASSES = (
    ("CPU", "kind = 'call'", "--s0"),
    ("client, short of think time", "{client} and dur_us < {think}", "--s2"),
    ("think time", "{client} and dur_us >= {think}", "--line"),
    ("other waits", "kind = 'wait' and not {client}", "--s1"),
)
_CLIENT = "(name = 'SQL*Net message from client')"


def trace_page(database: TraceDatabase, question: ProfileQuestion, title: str) -> str:
    """The page. Time is by stack without think time, so that work is seen."""
    by_name = profile(database, question)
    timeline = _timeline(database, question)
    where = f"{condition(question)} and not ({_CLIENT} and dur_us >= {database.think_us})"
    # Recursive calls are in the tree whatever depth is asked for.
    where = where.replace("(kind <> 'call' or dep <= 0)", "true")
    folded = time_by_stack(call_forest(database, where))
    graph = flame_frame(
        Picture(
            "Elapsed time by statement, call and wait",
            Side("trace", folded),
            unit="us",
            exporter=f"polltrace {__version__}",
        )
    )
    body = [
        f"<header><h1>{text(title)}</h1></header>",
        "<h2>Where the time went</h2>",
        _profile_table(by_name),
        "<h2>When</h2>",
        timeline,
        "<h2>Where</h2>",
        graph,
    ]
    return shell(title, "\n".join(body), has_graph=True)


def _profile_table(result: TraceProfile) -> str:
    total = result.total.duration or 1
    rows = [
        [
            str(spread.group),
            f"{(spread.duration or 0) / 1e6:,.6f}",
            f"{100 * (spread.duration or 0) / total:.1f} %",
            f"{spread.calls:,}",
            *(f"{(value or 0) / 1e6:,.6f}" for value in spread.percentiles),
        ]
        for spread in result.listed
    ]
    heads = ["Call", "Seconds", "Share", "Calls", "p50", "p90", "p99"]
    return table(heads, rows, text_columns=[0])


def _timeline(database: TraceDatabase, question: ProfileQuestion) -> str:
    """Seconds of each class by the time of day at which calls ended, as stacked bars."""
    kinds = " ".join(
        f"when {sql.format(client=_CLIENT, think=database.think_us)} then {i}"
        for i, (_, sql, _) in enumerate(_CLASSES)
    )
    database.load(
        "ended",
        f"select coalesce(epoch_us(time), tim_us) as ended, case {kinds} end as class, "
        f"dur_us from calls where tim_us is not null and {condition(question)}",
    )
    bounds = database.rows("select min(ended) as low, max(ended) as high from ended")[0]
    if bounds["low"] is None:
        return "<p>No call has a time.</p>"
    width = max(1, (bounds["high"] - bounds["low"]) // _BINS + 1)
    rows = database.rows(
        f"select ((ended - {bounds['low']}) // {width})::integer as bin, class, "
        "sum(dur_us)::bigint as us from ended where class is not null group by all"
    )
    sums = {(row["bin"], row["class"]): row["us"] for row in rows}
    return _bars(sums, width) + _legend()


def _bars(sums: dict[tuple[int, int], int], width_us: int) -> str:
    highest = max(
        (
            sum(sums.get((column, kind), 0) for kind in range(len(_CLASSES)))
            for column in range(_BINS)
        ),
        default=1,
    )
    bar = _WIDTH / _BINS
    shapes = []
    for column in range(_BINS):
        top = float(_HEIGHT)
        for kind, (name, _, colour) in enumerate(_CLASSES):
            us = sums.get((column, kind), 0)
            height = _HEIGHT * us / (highest or 1)
            top -= height
            if height >= 0.05:
                shapes.append(
                    f'<rect x="{column * bar:.1f}" y="{top:.1f}" width="{bar:.1f}" '
                    f'height="{height:.1f}" fill="var({colour})"><title>'
                    f"{column * width_us / 1e6:,.1f} s: {text(name)} {us / 1e6:,.3f} s"
                    "</title></rect>"
                )
    return (
        f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" width="100%" role="img" '
        f'aria-label="Time by class over {_BINS * width_us / 1e6:,.0f} seconds">'
        f"{''.join(shapes)}</svg>"
    )


def _legend() -> str:
    parts: Sequence[str] = [
        f'<svg width="12" height="12"><rect width="12" height="12" fill="var({colour})"/></svg> '
        f"{text(name)}"
        for name, _, colour in _CLASSES
    ]
    return f'<p class="about">{" &nbsp; ".join(parts)}. A bar is of the calls that ended then.</p>'
