# SPDX-License-Identifier: GPL-2.0-or-later
"""The data of a flame graph's page: the calls for its script, the functions as a table."""

from __future__ import annotations

import json
from collections.abc import Sequence
from html import escape
from typing import Any

from polltrace.stacks.compare import compare
from polltrace.stacks.layers.table import KERNEL, NAMELESS, OTHER, Layer, LayerTable
from polltrace.stacks.picture import Picture, Side
from polltrace.stacks.stack_tree import CalledFunction

MOST_TABLE_ROWS = 40


def used_layers(calls: Sequence[CalledFunction], layers: LayerTable) -> tuple[Layer, ...]:
    """The layers that the calls belong to, in the table's order; none without a table."""
    if not layers.layers:
        return ()
    used = {layers.layer(name) for name in {c.name for c in calls if c.depth}}
    return tuple(layer for layer in (*layers.layers, OTHER, NAMELESS, KERNEL) if layer in used)


def page_data(calls: Sequence[CalledFunction], picture: Picture) -> dict[str, Any]:
    """The input of the page's script: names and layers by number, a row for each call."""
    used = used_layers(calls, picture.layers)
    names = {name: i for i, name in enumerate(dict.fromkeys(c.name for c in calls))}
    place = {layer: i for i, layer in enumerate(used)}
    return {
        "unit": picture.unit,
        "differential": picture.before is not None,
        "before": picture.before.name if picture.before else "",
        "after": picture.side.name,
        "names": list(names),
        "layers": [{"title": layer.title, "colour": layer.colour} for layer in used],
        "layerOf": [place.get(picture.layers.layer(name), -1) for name in names],
        "calls": [[c.depth, names[c.name], c.before, c.after] for c in calls],
    }


def function_table(after: Side, before: Side | None) -> str:
    """The functions that took, or changed, the most: for readers who cannot see the picture."""
    changes = compare(before.folded if before else {}, after.folded)[:MOST_TABLE_ROWS]
    heads = ["Function", f"own, {after.name}", f"with callees, {after.name}"]
    if before is not None:
        heads += [f"own, {before.name}", f"with callees, {before.name}", "change of own"]
    rows = []
    for c in changes:
        cells = [f"{c.self_after:.2%}", f"{c.total_after:.2%}"]
        if before is not None:
            cells += [
                f"{c.self_before:.2%}",
                f"{c.total_before:.2%}",
                f"{100 * c.self_change:+.2f} points",
            ]
        rows.append(
            f"<tr><td>{escape(c.name)}</td>" + "".join(f"<td>{v}</td>" for v in cells) + "</tr>"
        )
    head = "".join(f'<th scope="col">{escape(h)}</th>' for h in heads)
    body = "\n".join(rows)
    return (
        "<details><summary>The functions as a table</summary>\n"
        f"<table><thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody></table></details>"
    )


def embedded(data: dict[str, Any]) -> str:
    """JSON that cannot end the script element it stands in."""
    text = json.dumps(data, ensure_ascii=True, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
