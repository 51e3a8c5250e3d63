# SPDX-License-Identifier: GPL-2.0-or-later
"""The report of `polltrace diff` on two recordings, as a page."""

from __future__ import annotations

from collections.abc import Sequence

from polltrace import __version__
from polltrace.engines.drawing import layers_of, searched
from polltrace.profiles.sampled import OFF_CPU, ON_CPU
from polltrace.recording.difference import Difference
from polltrace.recording.stacks import folded_stacks
from polltrace.recording_report.diff import (
    HEADS,
    ChangeRow,
    bpf_lines,
    figure_rows,
    folded_pair,
    sides_lines,
    verdict,
)
from polltrace.recording_report.html import flame_frame, shell, table
from polltrace.recording_report.plots import text
from polltrace.recording_report.sentences import quality
from polltrace.stacks.folded import Folded
from polltrace.stacks.picture import NANOSECONDS, Picture, Side


def diff_page(difference: Difference) -> str:
    """The report as one page, whose flame graphs show growth and decrease."""
    kind, earlier, later = folded_pair(difference)
    rows = figure_rows(difference)
    changed = [row for row in rows if not row.is_noise]
    noise = [row for row in rows if row.is_noise]
    title = "On-CPU stacks" if kind == ON_CPU else "Stacks at break polls"
    graphs = _graph(difference, "Where the time goes, and went", title, "samples", earlier, later)
    if difference.waits:
        off_cpu = [
            folded_stacks(side.recording, OFF_CPU)
            for side in (difference.earlier, difference.later)
        ]
        heading = "Waits, before and after"
        graphs += _graph(difference, heading, "Off-CPU stacks", NANOSECONDS, *off_cpu)
    body = [
        "<header><h1>Break polling, before and after</h1>",
        *(f'<p class="about">{text(side)}</p>' for side in sides_lines(difference)),
        "</header>",
        f'<section class="verdict"><p>{text(" ".join(verdict(difference)))}</p></section>',
        table(HEADS, [row.cells for row in changed], text_columns=[0]) if changed else "",
        _noise_html(noise),
        graphs,
        *(f'<p class="note">{text(line)}</p>' for line in bpf_lines(difference) if line),
        "<h2>How good this is</h2>",
        *(
            f"<h3>{name}</h3><ul>{''.join(f'<li>{text(e)}</li>' for e in quality(side))}</ul>"
            for name, side in (("Before", difference.earlier), ("After", difference.later))
        ),
    ]
    return shell("Break polling, before and after", "\n".join(body), has_graph=bool(graphs))


def _graph(  # noqa: PLR0913, PLR0917
    difference: Difference, heading: str, title: str, unit: str, earlier: Folded, later: Folded
) -> str:
    """A differential flame graph; nothing without stacks."""
    if not earlier and not later:
        return ""
    engines = difference.earlier.engines | difference.later.engines
    return f"<h2>{heading}</h2>" + flame_frame(
        Picture(
            title=title,
            side=Side("after", later),
            before=Side("before", earlier),
            layers=layers_of(engines),
            unit=unit,
            find=searched(engines),
            exporter=f"polltrace {__version__}",
        )
    )


def _noise_html(rows: Sequence[ChangeRow]) -> str:
    """The figures whose change is noise, grey and collapsed; nothing without such figures."""
    if not rows:
        return ""
    figures = "1 figure" if len(rows) == 1 else f"{len(rows)} figures"
    cells = table(HEADS, [row.cells for row in rows], text_columns=[0])
    return (
        f'<details class="noise"><summary>{figures} whose change cannot be told from noise'
        f"</summary>{cells}</details>"
    )
