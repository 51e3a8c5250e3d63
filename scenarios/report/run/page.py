# SPDX-License-Identifier: GPL-2.0-or-later
"""A run as one self-contained HTML page without scripts, fit for a ticket."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from polltrace.scenarios.analyse.result import RunResult
from polltrace.scenarios.report.document import document
from polltrace.scenarios.report.run import figures
from polltrace.scenarios.report.run.text import conclusions, expected_lines, run_text


def run_page(result: RunResult) -> str:
    scenario = result.scenario
    body = "\n".join(_sections(result))
    return document(f"{scenario.name}: polltrace run", f"{scenario.name}: {scenario.title}", body)


def _sections(result: RunResult) -> Iterator[str]:
    for warning in result.warnings:
        yield f'<p class="warning">{escape(warning)}</p>'
    if result.scenario.expected:
        yield f"<h2>Expected</h2>\n<pre>{escape(chr(10).join(expected_lines(result, 100)))}</pre>"
    if items := "".join(f"<li>{escape(conclusion)}</li>" for conclusion in conclusions(result)):
        yield f"<h2>Found</h2>\n<ul>{items}</ul>"
    for heading, drawing in (
        ("Loads", figures.loads(result)),
        ("Elapsed", figures.elapsed(result)),
        ("Against the base", figures.over_base(result)),
        ("Break polls", figures.polls(result)),
        ("Cancels", figures.cancels(result)),
        ("Lost clients", figures.losses(result)),
        ("What a skip costs and what it delays", figures.front(result)),
        ("Round trips", figures.round_trips(result)),
        ("Where the time went", figures.flames(result)),
    ):
        if drawing:
            yield f"<h2>{heading}</h2>\n{drawing}"
    yield f"<h2>All figures</h2>\n<pre>{escape(run_text(result))}</pre>"
    for statement in _statements(result):
        yield f"<h2>Statement</h2>\n<pre>{escape(statement)}</pre>"


def _statements(result: RunResult) -> Iterator[str]:
    if workload := result.run.header.get("workload"):
        yield from (statement["sql"] for statement in workload["statements"])
    else:
        work = result.run.header["work"]
        yield f"{work['statement'].strip()}\n{work['binds']}"
