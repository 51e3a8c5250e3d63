# SPDX-License-Identifier: GPL-2.0-or-later
"""A flame graph as a still picture: SVG without script, for a document or a mail.

The page of flamegraph.py is the better tool; this one is for places where scripts may not run.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape

from polltrace.stacks.folded import total
from polltrace.stacks.picture import Picture
from polltrace.stacks.stack_tree import CalledFunction, call_tree
from polltrace.stacks.text import printable

WIDTH, ROW, TITLE, NOTE, LETTER, NARROWEST = 1200, 18, 44, 16, 7.3, 0.4
_SMALLER, _SAME, _LARGER = (98, 168, 229), (243, 243, 243), (245, 155, 66)


@dataclass(frozen=True, slots=True)
class Box:
    """A call and where it is drawn: its left edge `x` and its `width`, in units of the picture."""

    call: CalledFunction
    x: float
    width: float


def flame_svg(picture: Picture) -> str:
    """The picture. Widths are those of `side`; with `before`, colours show the changes."""
    calls = call_tree(picture.side.folded, picture.before.folded if picture.before else None)
    boxes = list(_boxes(calls))
    deepest = max((box.call.depth for box in boxes), default=0)
    notes = "".join(
        f'<text x="4" y="{TITLE + 9 + NOTE * i}" fill="#595959">{escape(printable(note))}</text>\n'
        for i, note in enumerate(picture.notes)
    )
    height = TITLE + NOTE * len(picture.notes) + (deepest + 1) * ROW + 4
    changes = _changes(picture, calls)
    largest = max((abs(change) for change in changes.values()), default=0.0)
    drawn = "\n".join(
        _drawn(box, height, changes.get(box.call), _colour(box.call, picture, changes, largest))
        for box in boxes
    )
    sides = [side for side in (picture.before, picture.side) if side is not None]
    subtitle = " · ".join(f"{s.name}: {total(s.folded):,} {picture.unit}" for s in sides)
    if picture.before is not None:
        subtitle += " · blue: smaller share, orange: larger share, in points"
    return f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" \
width="{WIDTH}" height="{height}" role="img" font-family="monospace" font-size="12">
<title>{escape(printable(picture.title))}</title>
<rect width="100%" height="100%" fill="#fff"/>
<text x="4" y="17" font-size="15" font-weight="bold">{escape(printable(picture.title))}</text>
<text x="4" y="35" fill="#595959">{escape(printable(subtitle))}</text>
{notes}{drawn}
</svg>
"""


def _boxes(calls: tuple[CalledFunction, ...]) -> Iterator[Box]:
    """Those wide enough to be seen; callees stand side by side from their caller's left edge."""
    whole = calls[0].after
    edges = [0.0]
    for call in calls:
        del edges[call.depth + 1 :]
        x, width = edges[call.depth], WIDTH * call.after / whole if whole else 0.0
        edges[call.depth] = x + width
        edges.append(x)
        if width >= NARROWEST:
            yield Box(call, x, width)


def _changes(picture: Picture, calls: tuple[CalledFunction, ...]) -> dict[CalledFunction, float]:
    """How much each call's share grew, 0 to 1; empty without a profile to compare with."""
    if picture.before is None:
        return {}
    before, after = calls[0].before or 1, calls[0].after or 1
    return {call: call.after / after - call.before / before for call in calls}


def _drawn(box: Box, height: int, change: float | None, colour: str) -> str:
    call = box.call
    y = height - 4 - (call.depth + 1) * ROW
    label = printable(call.name)  # XML knows no control characters
    if call.depth and change is not None and abs(change) >= 0.0005:
        label += f" {'−' if change < 0 else '+'}{100 * abs(change):.1f}"  # noqa: RUF001
    letters = int((box.width - 6) / LETTER)
    text = label if len(label) <= letters else label[: letters - 1] + "…"
    words = f'<text x="{box.x + 3:.2f}" y="{y + 13}">{escape(text)}</text>' if letters > 2 else ""
    return (
        f"<g><title>{escape(label)}: {call.after:,}, {box.width / WIDTH:.2%}</title>"
        f'<rect x="{box.x:.2f}" y="{y}" width="{box.width:.2f}" height="{ROW - 1}"'
        f' fill="{colour}" stroke="#fff" stroke-width="0.5"/>{words}</g>'
    )


def _colour(
    call: CalledFunction, picture: Picture, changes: dict[CalledFunction, float], largest: float
) -> str:
    if call.depth == 0:
        return "#e6e6e6"
    if picture.before is None:
        return picture.layers.layer(call.name).colour
    amount = (abs(changes[call]) / largest) ** 0.5 if largest else 0.0
    end = _SMALLER if changes[call] < 0 else _LARGER
    mixed = (round(a + (b - a) * amount) for a, b in zip(_SAME, end, strict=True))
    return "#" + "".join(f"{part:02x}" for part in mixed)
