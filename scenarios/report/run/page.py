# SPDX-License-Identifier: GPL-2.0-or-later
"""A run as one self-contained HTML page without scripts, fit for a ticket."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator
from html import escape

from polltrace.scenarios.analyse.result import RunResult
from polltrace.scenarios.report.run import figures
from polltrace.scenarios.report.run.text import conclusions, expected_lines, run_text

_STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; color: #222; margin: 2rem auto; max-width: 60rem;
  padding: 0 1rem; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.1rem; margin-top: 2.2rem; }
svg { width: 100%; height: auto; background: #fff; font-size: 12px; }
pre { overflow-x: auto; font-size: 11px; line-height: 1.35; background: #f6f6f6; padding: .8rem; }
.warning { color: #8a3b00; font-weight: 600; }
"""


def run_page(result: RunResult) -> str:
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
        ("Elapsed", figures.elapsed(result)),
        ("Against the base", figures.over_base(result)),
        ("Break polls", figures.polls(result)),
        ("Cancels", figures.cancels(result)),
        ("What a skip costs and what it delays", figures.front(result)),
        ("Round trips", figures.round_trips(result)),
        ("Where the time went", figures.flames(result)),
    ):
        if drawing:
            yield f"<h2>{heading}</h2>\n{drawing}"
    yield f"<h2>All figures</h2>\n<pre>{escape(run_text(result))}</pre>"
    work = result.run.header["work"]
    statement = f"{work['statement'].strip()}\n{work['binds']}"
    yield f"<h2>Statement</h2>\n<pre>{escape(statement)}</pre>"
