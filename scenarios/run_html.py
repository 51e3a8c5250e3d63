# SPDX-License-Identifier: GPL-2.0-or-later
"""A run as one HTML page that needs nothing else and runs no script: fit for a ticket."""

from __future__ import annotations

import base64
import hashlib
import statistics
from collections.abc import Iterator, Sequence
from html import escape

from scenarios.plots import Point, Row, scatter, spread_wide, strips, with_key
from scenarios.run_analysis import CellResult, RunResult, by_cell, of_blocks
from scenarios.run_text import conclusions, expected_lines, run_text
from stacks import parse_folded
from stacks.flamesvg import flame_svg
from stacks.layers.table import built_in
from stacks.picture import Picture, Side

_STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; color: #222; margin: 2rem auto; max-width: 60rem;
  padding: 0 1rem; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.1rem; margin-top: 2.2rem; }
svg { width: 100%; height: auto; background: #fff; font-size: 12px; }
pre { overflow-x: auto; font-size: 11px; line-height: 1.35; background: #f6f6f6; padding: .8rem; }
.warning { color: #8a3b00; font-weight: 600; }
"""


def run_html(result: RunResult) -> str:
    digest = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'"
    scenario = result.scenario
    body = "\n".join(_sections(result))
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width">
<title>{escape(scenario.name)}: polltrace run</title>
<style>{_STYLE}</style></head>
<body>
<h1>{escape(scenario.name)}: {escape(scenario.title)}</h1>
{body}
</body></html>
"""


def _sections(result: RunResult) -> Iterator[str]:
    for each in result.warnings:
        yield f'<p class="warning">{escape(each)}</p>'
    if result.scenario.expected:
        yield f"<h2>Expected</h2>\n<pre>{escape(chr(10).join(expected_lines(result, 100)))}</pre>"
    if found := "".join(f"<li>{escape(each)}</li>" for each in conclusions(result)):
        yield f"<h2>Found</h2>\n<ul>{found}</ul>"
    for heading, drawing in (
        ("Elapsed", _elapsed(result)),
        ("Against the base", _over_base(result)),
        ("Break polls", _polls(result)),
        ("Cancels", _cancels(result)),
        ("What a skip costs and what it delays", _front(result)),
        ("Round trips", _round_trips(result)),
        ("Where the time went", _flames(result)),
    ):
        if drawing:
            yield f"<h2>{heading}</h2>\n{drawing}"
    yield f"<h2>All figures</h2>\n<pre>{escape(run_text(result))}</pre>"
    work = result.run.header["work"]
    statement = f"{work['statement'].strip()}\n{work['binds']}"
    yield f"<h2>Statement</h2>\n<pre>{escape(statement)}</pre>"


def _elapsed(result: RunResult) -> str:
    values = by_cell(result.run, "elapsed_s")
    rows = [
        Row(
            each.label,
            1e3 * each.elapsed_s.value,
            (1e3 * each.elapsed_s.low, 1e3 * each.elapsed_s.high),
            [1e3 * value for value in of_blocks(values[number])],
            _series(result, each),
        )
        for number, each in enumerate(result.cells)
        if each.elapsed_s
    ]
    title = "An execution: median of the blocks, 95 % interval, every block"
    return strips(title, "ms", rows, log=spread_wide(row.value or 0 for row in rows))


def _over_base(result: RunResult) -> str:
    compared = [(each, each.over_base_pct) for each in result.cells if each.over_base_pct]
    # Ten times the base's and more is no matter of per cent.
    times = spread_wide(1 + over.value / 100 for _, over in compared)

    def shown(pct: float) -> float:
        return 1 + pct / 100 if times else pct

    rows = [
        Row(
            each.label,
            shown(over.value),
            (shown(over.low), shown(over.high)),
            (),
            _series(result, each),
        )
        for each, over in compared
    ]
    title = "Elapsed over the base, paired in time; (A/A) is the noise floor"
    return strips(title, "times the base's" if times else "% of the base's", rows, log=times)


def _polls(result: RunResult) -> str:
    points = [
        Point(
            each.cell.skip,
            each.counted.known_polls / each.counted.executions,
            each.label,
            _series(result, each),
        )
        for each in result.cells
        if each.cell.skip and each.counted and each.counted.known_polls
    ]
    drawing = scatter(
        "Break polls of an execution, by skip",
        "BREAK_POLL_SKIP",
        "polls",
        points,
        log_x=True,
        log_y=True,
    )
    return with_key(drawing, _clients(result)) if drawing else ""


def _cancels(result: RunResult) -> str:
    rows = [
        Row(
            each.label + (f" ({each.cancels_lost} lost)" if each.cancels_lost else ""),
            statistics.median(each.cancels_ms) if each.cancels_ms else None,
            None,
            each.cancels_ms,
            _series(result, each),
        )
        for each in result.cells
        if each.cancels_ms or each.cancels_lost
    ]
    title = "From sending a break until the call returned: every one, and the median"
    return strips(title, "ms", rows, log=True)


def _front(result: RunResult) -> str:
    points = [
        Point(
            statistics.median(each.cancels_ms),
            each.over_base_pct.value,
            each.label,
            _series(result, each),
        )
        for each in result.cells
        if each.cell.skip and each.cancels_ms and each.over_base_pct
    ]
    drawing = scatter(
        "Cost against latency: one point a skip",
        "median cancel, ms",
        "% over the base",
        points,
        log_x=True,
    )
    return with_key(drawing, _clients(result)) if drawing else ""


def _round_trips(result: RunResult) -> str:
    if "polls" in result.scenario.record:
        return ""
    rows = [
        Row(each.label, 1e6 * each.counted.round_trip_s, None, (), _series(result, each))
        for each in result.cells
        if each.counted and each.counted.round_trip_s and each.counted.round_trip_s > 0
    ]
    title = "(elapsed - time in the server) / round trips"
    return strips(title, "us", rows, log=True)


def _flames(result: RunResult) -> str:
    """Of each client, the cell that polls most against its base, drawn by who draws all our
    flames."""
    taken = {e.label: e for e in result.cells if e.stacks and not e.cell.twin}
    polling = sorted((e for e in taken.values() if e.cell.skip), key=lambda e: e.cell.skip or 0)
    drawn: dict[str, str] = {}
    for each in polling:
        base = taken.get(each.base or "")
        if base is not None and each.cell.client not in drawn:
            picture = Picture(
                title=f"On CPU: {each.label}, against {base.label}",
                side=Side(each.label, parse_folded(each.stacks["folded"])),
                before=Side(base.label, parse_folded(base.stacks["folded"])),
                layers=built_in("oracle"),
            )
            drawn[each.cell.client] = flame_svg(picture)
    return "\n".join(drawn.values())


def _clients(result: RunResult) -> Sequence[str]:
    return list(dict.fromkeys(each.cell.client for each in result.cells))


def _series(result: RunResult, each: CellResult) -> int:
    return _clients(result).index(each.cell.client)
