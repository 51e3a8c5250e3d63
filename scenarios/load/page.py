# SPDX-License-Identifier: GPL-2.0-or-later
"""A load as one HTML page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from polltrace.scenarios.load.load_result import LoadResult
from polltrace.scenarios.load.report import load_text
from polltrace.scenarios.report.document import document
from polltrace.scenarios.report.plots import Marker, scatter, spread_wide, with_key

_MOST_DOTS = 400
"""Of a series: of a longer load every n-th second is drawn."""


def load_page(result: LoadResult) -> str:
    name = result.header["workload"]["name"]
    title = result.header["workload"]["title"]
    heading = f"{name}: {title}" if title else name
    return document(f"{name}: polltrace load", heading, "\n".join(_sections(result)))


def _sections(result: LoadResult) -> Iterator[str]:
    for warning in result.warnings():
        yield f'<p class="warning">{escape(warning)}</p>'
    seconds = [line for line in result.seconds if line["seconds"] > 0]
    seconds = seconds[:: 1 + len(seconds) // _MOST_DOTS]
    rates = [(line["at_s"], line["transactions"] / line["seconds"]) for line in seconds]
    yield from _plot("Transactions a second", "tx/s", [("transactions", rates)])
    latencies = [
        (name, [(line["at_s"], line[key]) for line in seconds if line[key] is not None])
        for name, key in (("p50", "p50_ms"), ("p90", "p90_ms"), ("p99", "p99_ms"))
    ]
    yield from _plot("Latency", "ms", latencies)
    yield f"<h2>All figures</h2>\n<pre>{escape(load_text(result))}</pre>"
    for statement in result.statements:
        yield f"<h2>{escape(statement.name)}</h2>\n<pre>{escape(statement.sql)}</pre>"


Series = tuple[str, Sequence[tuple[float, float]]]


def _plot(title: str, unit: str, series: Sequence[Series]) -> Iterator[str]:
    markers = [
        Marker(at_s, value, "", number)
        for number, (_, values) in enumerate(series)
        for at_s, value in values
    ]
    if len(markers) > 1:
        log = spread_wide(marker.y for marker in markers)
        drawn = scatter(title, "s", unit, markers, log_y=log, joined=True)
        yield f"<h2>{title}</h2>\n{with_key(drawn, [name for name, _ in series])}"
