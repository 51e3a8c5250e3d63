# SPDX-License-Identifier: GPL-2.0-or-later
"""Parts of HTML pages: the shell with its security policy, tables, flame graphs."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from html import escape
from importlib.resources import files

from polltrace import __version__
from polltrace.recording_report.plots import text
from polltrace.stacks.flamegraph import flame_graph
from polltrace.stacks.picture import Picture

# The heights of a flame graph's surroundings, of one of its rows, and of the largest frame.
_AROUND_PX, _ROW_PX, _HIGHEST_PX = 270, 18, 1400


def shell(title: str, body: str, *, has_graph: bool) -> str:
    """A complete page. It can load nothing: only the style and the script that it contains are
    allowed, by hash, and the flame graph has a sandbox of its own.
    """
    style = (files("polltrace.recording_report") / "page.css").read_text("utf-8")
    drawing = files("polltrace.stacks") / "drawing"
    styles, scripts = [style], []
    if has_graph:
        styles.append((drawing / "flame.css").read_text("utf-8"))
        scripts.append((drawing / "flame.js").read_text("utf-8"))
    allowed = [f"style-src {' '.join(map(_hash, styles))}"]
    allowed += [f"script-src {_hash(script)}" for script in scripts]
    policy = "; ".join(["default-src 'none'", *allowed])
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width">
<title>{text(title)}</title>
<style>{style}</style>
</head>
<body>
{body}
<footer>Made by polltrace {__version__}; this page needs nothing else.</footer>
</body>
</html>
"""


def flame_frame(picture: Picture) -> str:
    """A flame graph's page, embedded in a frame."""
    depth = max((len(names) for names in picture.side.folded), default=0)
    if picture.before is not None:
        depth = max(depth, *(len(names) for names in picture.before.folded), 0)
    height = min(_AROUND_PX + _ROW_PX * (depth + 1), _HIGHEST_PX)
    page = escape(flame_graph(picture))
    return (
        f'<iframe sandbox="allow-scripts" height="{height}" title="{text(picture.title)}"'
        f' srcdoc="{page}"></iframe>'
    )


def table(
    heads: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    text_columns: Sequence[int] = (),
    marked: Sequence[int] = (),
    caption: str = "",
) -> str:
    """A table. Cells are text; `text_columns` are words, the others figures; `marked` rows are
    highlighted.
    """
    words = dict.fromkeys(text_columns, ' class="left"')
    head = "".join(f'<th scope="col"{words.get(i, "")}>{text(h)}</th>' for i, h in enumerate(heads))
    body = "\n".join(
        ('<tr class="now">' if number in marked else "<tr>")
        + "".join(f"<td{words.get(i, '')}>{text(cell)}</td>" for i, cell in enumerate(row))
        + "</tr>"
        for number, row in enumerate(rows)
    )
    above = f"<caption>{text(caption)}</caption>" if caption else ""
    return (
        f'<div class="wide"><table>{above}<thead><tr>{head}</tr></thead>\n'
        f"<tbody>\n{body}\n</tbody></table></div>"
    )


def figure(title: str, drawing: str, caption: str) -> str:
    """A plot with its caption; empty where there is no drawing."""
    if not drawing:
        return ""
    return (
        f"<figure><h3>{text(title)}</h3>{drawing}<figcaption>{text(caption)}</figcaption></figure>"
    )


def _hash(content: str) -> str:
    digest = hashlib.sha256(content.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"
