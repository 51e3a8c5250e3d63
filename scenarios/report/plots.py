# SPDX-License-Identifier: GPL-2.0-or-later
"""A few plots as SVG, without a library or a script: dots, whiskers and lines on plain axes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from html import escape

from polltrace.plot_scale import Scale

WIDTH = 920
_LEFT, _RIGHT, _TOP, _BOTTOM, _ROW = 300, 24, 34, 46, 22
WIDE = 30
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
"""Distinguishable with every kind of colour vision (Okabe and Ito)."""


@dataclass(frozen=True, slots=True)
class Strip:
    """A line of a strip plot.

    - `label`: at its left
    - `value`: a large dot, in the unit of the plot; `interval`: a whisker round it
    - `dots`: small dots
    - `series`: the number of its colour
    """

    label: str
    value: float | None
    interval: tuple[float, float] | None = None
    dots: Sequence[float] = ()
    series: int = 0


@dataclass(frozen=True, slots=True)
class Marker:
    """A dot at `x` and `y`, in the units of the axes, with a `label` and the colour of `series`."""

    x: float
    y: float
    label: str
    series: int = 0


@dataclass(frozen=True, slots=True)
class _Axis:
    """An axis whose `scale` goes from `start` to `end` in pixels."""

    scale: Scale
    start: float
    end: float

    def at(self, value: float) -> float:
        """The pixel of a value."""
        return self.start + self.scale.at(value) * (self.end - self.start)


def strips(title: str, unit: str, rows: Sequence[Strip], *, log: bool = False) -> str:
    """A row for each strip, with its dots, its median and its interval."""
    values = [
        v for r in rows for v in (*r.dots, *(r.interval or ()), *((r.value,) if r.value else ()))
    ]
    if not values:
        return ""
    height = _TOP + _ROW * len(rows) + _BOTTOM
    axis = _axis(values, _LEFT, WIDTH - _RIGHT, log=log)
    drawn = [_grid_x(axis, _TOP, height - _BOTTOM, unit)]
    for number, row in enumerate(rows):
        y = _TOP + _ROW * (number + 0.5)
        colour = COLOURS[row.series % len(COLOURS)]
        drawn.append(_text(_LEFT - 8, y + 4, row.label, "end"))
        drawn += [
            f'<circle cx="{axis.at(v):.1f}" cy="{y:.1f}" r="2.5" fill="{colour}" opacity="0.45"/>'
            for v in row.dots
        ]
        words = row.label
        if row.interval:
            low, high = (axis.at(v) for v in row.interval)
            drawn.append(
                f'<path d="M{low:.1f} {y:.1f}H{high:.1f}" stroke="{colour}" stroke-width="3"/>'
            )
            words += f": {row.value:.4g} [{row.interval[0]:.4g}, {row.interval[1]:.4g}] {unit}"
        if row.value is not None:
            drawn.append(
                f'<circle cx="{axis.at(row.value):.1f}" cy="{y:.1f}" r="5" fill="{colour}">'
                f"<title>{escape(words)}</title></circle>"
            )
    return _svg(title, height, drawn)


def spread_wide(values: Iterable[float]) -> bool:
    """True if a linear axis would squeeze the small values together."""
    positive = [value for value in values if value > 0]
    return len(positive) > 1 and max(positive) > WIDE * min(positive)


def scatter(  # noqa: PLR0913
    title: str,
    x_unit: str,
    y_unit: str,
    points: Sequence[Marker],
    *,
    log_x: bool = False,
    log_y: bool = False,
    joined: bool = True,
) -> str:
    """Points of several series on two axes, those of a series joined in the order given."""
    if not points:
        return ""
    height = 400
    x = _axis([p.x for p in points], 90, WIDTH - 230, log=log_x)
    # Room for the unit of y between the title and its axis.
    top = _TOP + 20
    y = _axis([p.y for p in points], height - _BOTTOM, top, log=log_y)
    drawn = [_grid_x(x, top, height - _BOTTOM, x_unit), _grid_y(y, 90, WIDTH - 230, y_unit)]
    for series in sorted({p.series for p in points}):
        ours = [p for p in points if p.series == series]
        colour = COLOURS[series % len(COLOURS)]
        if joined and len(ours) > 1:
            line = "L".join(f"{x.at(p.x):.1f} {y.at(p.y):.1f}" for p in ours)
            drawn.append(f'<path d="M{line}" fill="none" stroke="{colour}" stroke-width="1.5"/>')
        drawn += [
            f'<circle cx="{x.at(p.x):.1f}" cy="{y.at(p.y):.1f}" r="4.5" fill="{colour}">'
            f"<title>{escape(p.label)}: {p.x:.4g} {escape(x_unit)}, {p.y:.4g} {escape(y_unit)}"
            "</title></circle>"
            for p in ours
        ]
    return _svg(title, height, drawn)


def with_key(drawing: str, names: Sequence[str]) -> str:
    """The plot with its series named at the right."""
    key = "".join(
        f'<circle cx="{WIDTH - 212}" cy="{_TOP + 12 + 20 * n}" r="5"'
        f' fill="{COLOURS[n % len(COLOURS)]}"/>' + _text(WIDTH - 200, _TOP + 16 + 20 * n, name)
        for n, name in enumerate(names)
    )
    return drawing.replace("</svg>", f"{key}</svg>")


def _axis(values: Sequence[float], start: float, end: float, *, log: bool) -> _Axis:
    if log:
        positive = [v for v in values if v > 0] or [1.0]
        low, high = min(positive) / 1.4, max(positive) * 1.4
        # At least one tick.
        if math.floor(math.log10(high)) < math.ceil(math.log10(low)):
            low = 10.0 ** math.floor(math.log10(low))
    else:
        room = (max(values) - min(values)) * 0.06 or abs(max(values)) * 0.06 or 1.0
        low, high = min(values) - room, max(values) + room
    return _Axis(Scale(low, high, log), start, end)


def _grid_x(axis: _Axis, top: float, bottom: float, unit: str) -> str:
    return _grid(
        axis,
        lambda p: f"M{p:.1f} {top}V{bottom}",
        lambda p, word: _text(p, bottom + 18, word, "middle"),
    ) + _text((axis.start + axis.end) / 2, bottom + 38, unit, "middle")


def _grid_y(axis: _Axis, left_x: float, right: float, unit: str) -> str:
    return _grid(
        axis,
        lambda p: f"M{left_x} {p:.1f}H{right}",
        lambda p, word: _text(left_x - 8, p + 4, word, "end"),
    ) + _text(left_x - 60, _TOP + 8, unit)


def _grid(axis: _Axis, line: Callable[[float], str], word: Callable[[float, str], str]) -> str:
    return "".join(
        f'<path d="{line(axis.at(tick))}" stroke="#ddd"/>{word(axis.at(tick), f"{tick:g}")}'
        for tick in axis.scale.ticks()
    )


def _text(x: float, y: float, words: str, anchor: str = "start") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(words)}</text>'


def _svg(title: str, height: float, drawn: Iterable[str]) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:.0f}" role="img"'
        f' aria-label="{escape(title)}"><text x="4" y="18" font-weight="bold">{escape(title)}'
        f"</text>{''.join(drawn)}</svg>"
    )
