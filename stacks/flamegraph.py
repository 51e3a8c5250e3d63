# SPDX-License-Identifier: GPL-2.0-or-later
"""A flame graph, or the difference of two, as one HTML file that needs nothing else.

The page fetches nothing and may not: its content security policy allows the one script it carries,
by hash, and no other source of anything. A hostile function name therefore stays text.
"""

from __future__ import annotations

import base64
import hashlib
from html import escape
from importlib import resources

from polltrace.stacks.flamedata import embedded, function_table, page_data, used_layers
from polltrace.stacks.folded import total
from polltrace.stacks.layers.table import Layer
from polltrace.stacks.picture import Picture, Side
from polltrace.stacks.stack_tree import call_tree

CHANGES = (("#62a8e5", "smaller share"), ("#f3f3f3", "no change"), ("#f59b42", "larger share"))


def flame_graph(picture: Picture) -> str:
    """The page. Of two profiles widths are one side's, colours show growth and decrease."""
    calls = call_tree(picture.side.folded, picture.before.folded if picture.before else None)
    used = used_layers(calls, picture.layers)
    data = page_data(calls, picture)
    style, script = _asset("flame.css"), _asset("flame.js")
    policy = f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}"
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width">
<title>{escape(picture.title)}</title>
<style>{style}</style>
</head>
<body>
<h1>{escape(picture.title)}</h1>
<p>{escape(_subtitle(picture))}</p>{_notes(picture)}
<form>
<label>Find <input id="find" type="search" placeholder="regular expression"
 value="{escape(picture.find)}"></label>
<button id="out" type="button" disabled>Zoom out</button>
{_choices(picture.before, picture.side, bool(used))}
<output id="found" for="find"></output>
</form>
{_key(used, picture.before is not None)}
<svg id="graph" tabindex="0" role="application" aria-label="Flame graph. Arrow keys move between
 frames, Enter zooms in, Escape zooms out." aria-describedby="frame" width="100%"></svg>
<output id="frame" aria-live="polite"></output>
<noscript><p>The picture needs JavaScript; the table does not.</p></noscript>
{function_table(picture.side, picture.before)}
<script type="application/json" id="data">{embedded(data)}</script>
<script>{script}</script>
</body>
</html>
"""


def _subtitle(picture: Picture) -> str:
    sides = [side for side in (picture.before, picture.side) if side is not None]
    return " · ".join(f"{s.name}: {total(s.folded):,} {picture.unit}" for s in sides)


def _notes(picture: Picture) -> str:
    items = "".join(f"<li>{escape(note)}</li>" for note in picture.notes)
    return f'\n<ul id="notes">{items}</ul>' if items else ""


def _choices(before: Side | None, after: Side, has_layers: bool) -> str:
    if before is None:
        return ""
    widths = _radio("side", (("after", after.name), ("before", before.name)))
    colours = _radio("colour", (("change", "change"), ("layer", "layer"))) if has_layers else ""
    return f"<fieldset><legend>Widths</legend>{widths}</fieldset>" + (
        f"<fieldset><legend>Colours</legend>{colours}</fieldset>" if colours else ""
    )


def _radio(name: str, choices: tuple[tuple[str, str], ...]) -> str:
    return "".join(
        f'<label><input type="radio" name="{name}" value="{value}"{" checked" if not i else ""}> '
        f"{escape(text)}</label>"
        for i, (value, text) in enumerate(choices)
    )


def _key(used: tuple[Layer, ...], differential: bool) -> str:
    kinds = [("layer", layer.colour, layer.title) for layer in used]
    if differential:
        kinds += [("change", colour, text) for colour, text in CHANGES]
    hidden = "layer" if differential else "change"
    rows = "".join(
        f'<li data-colour="{kind}"{" hidden" if kind == hidden else ""}>'
        f'<svg viewBox="0 0 12 12" aria-hidden="true"><rect width="12" height="12"'
        f' fill="{colour}" stroke="#767676"/></svg>{escape(text)}</li>'
        for kind, colour, text in kinds
    )
    return f'<ul id="key">{rows}</ul>' if rows else ""


def _asset(name: str) -> str:
    return (resources.files("polltrace.stacks") / "drawing" / name).read_text("utf-8")


def _hash(content: str) -> str:
    digest = hashlib.sha256(content.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"
