# SPDX-License-Identifier: GPL-2.0-or-later
"""A flame graph, or the difference of two, as one HTML file that needs nothing else.

The page fetches nothing and may not: its content security policy allows the one script it carries,
by hash, and no other source of anything. A hostile function name therefore stays text.
"""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass
from html import escape
from importlib import resources

from stacks.calltree import call_tree
from stacks.flamedata import Side, embedded, function_table, page_data, used_layers
from stacks.folded import total
from stacks.layers.table import EMPTY, Layer, LayerTable

CHANGES = (("#62a8e5", "smaller share"), ("#f3f3f3", "no change"), ("#f59b42", "larger share"))


@dataclass(frozen=True, slots=True)
class FlameGraph:
    """One profile, or with `before` two: then widths are one side's, colours say what changed.

    layers: frames take their layers' colours; unit: what is counted; find: what the page searches
    for when it opens, a JavaScript regular expression.
    """

    title: str
    side: Side
    before: Side | None = None
    layers: LayerTable = EMPTY
    unit: str = "samples"
    find: str = ""

    def html(self) -> str:
        """The page."""
        calls = call_tree(self.side.folded, self.before.folded if self.before else None)
        used = used_layers(calls, self.layers)
        data = page_data(calls, self.side, self.before, self.layers, self.unit)
        style, script = _asset("flame.css"), _asset("flame.js")
        policy = f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}"
        return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width">
<title>{escape(self.title)}</title>
<style>{style}</style>
</head>
<body>
<h1>{escape(self.title)}</h1>
<p>{escape(self._subtitle())}</p>
<form>
<label>Find <input id="find" type="search" placeholder="regular expression"
 value="{escape(self.find)}"></label>
<button id="out" type="button" disabled>Zoom out</button>
{_choices(self.before, self.side, bool(used))}
<output id="found" for="find"></output>
</form>
{_key(used, self.before is not None)}
<svg id="graph" tabindex="0" role="application" aria-label="Flame graph. Arrow keys move between
 frames, Enter zooms in, Escape zooms out." aria-describedby="frame" width="100%"></svg>
<output id="frame" aria-live="polite"></output>
<noscript><p>The picture needs JavaScript; the table does not.</p></noscript>
{function_table(self.side, self.before)}
<script type="application/json" id="data">{embedded(data)}</script>
<script>{script}</script>
</body>
</html>
"""

    def _subtitle(self) -> str:
        sides = [self.side] if self.before is None else [self.before, self.side]
        return " · ".join(f"{s.name}: {total(s.folded):,} {self.unit}" for s in sides)


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
    return (resources.files("stacks") / "drawing" / name).read_text("utf-8")


def _hash(content: str) -> str:
    digest = hashlib.sha256(content.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"
