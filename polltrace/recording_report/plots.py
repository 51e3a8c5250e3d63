# SPDX-License-Identifier: GPL-2.0-or-later
"""Plots as inline SVG, coloured by the page's style sheet so that they follow light and dark."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from html import escape

from polltrace.intervals import Estimate
from polltrace.plot_scale import Scale
from polltrace.stacks.text import printable

WIDTH, HEIGHT = 560, 300
LEFT, RIGHT, TOP, BOTTOM = 64, 28, 14, 46


@dataclass(frozen=True, slots=True)
class Axis:
    """An axis with a `title` and a `scale`; `text` formats a value."""

    title: str
    scale: Scale
    text: Callable[[float], str]


def log_axis(title: str, values: Iterable[float], text: Callable[[float], str]) -> Axis:
    """An axis of full decades around the positive values; one decade where there are none."""
    positive = [value for value in values if value > 0 and math.isfinite(value)] or [1.0]
    low, high = (math.log10(edge(positive)) for edge in (min, max))
    bottom = math.floor(low)
    scale = Scale(10.0**bottom, 10.0 ** max(math.ceil(high), bottom + 1), is_log=True)
    return Axis(title, scale, text)


def linear_axis(title: str, low: float, high: float, text: Callable[[float], str]) -> Axis:
    """An axis from `low` to a little above `high`."""
    scale = Scale(low, high * 1.02 if high > low else low + 1, is_log=False)
    return Axis(title, scale, text)


@dataclass(frozen=True, slots=True)
class Plot:
    """A frame with the axes `x` and `y`; the caller draws the marks into it."""

    x: Axis
    y: Axis

    def place(self, x: float, y: float) -> tuple[float, float]:
        """The coordinates of a point in the picture."""
        across = LEFT + self.x.scale.at(x) * (WIDTH - LEFT - RIGHT)
        return across, TOP + (1 - self.y.scale.at(y)) * (HEIGHT - TOP - BOTTOM)

    def line(self, points: Sequence[tuple[float, float]], style: str) -> str:
        places = (self.place(*point) for point in points)
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
        return f'<polyline class="line {style}" points="{path}"/>'

    def bar(self, x_from: float, x_to: float, y: float, label: str) -> str:
        x_left, top = self.place(x_from, y)
        x_right, _ = self.place(x_to, y)
        height, width = HEIGHT - BOTTOM - top, x_right - x_left - 1
        return (
            f'<rect class="bar" x="{x_left:.1f}" y="{top:.1f}" width="{max(width, 1):.1f}"'
            f' height="{max(height, 0.5):.1f}"><title>{text(label)}</title></rect>'
        )

    def dot(self, x: float, y: Estimate, label: str, style: str) -> str:
        """A point with its interval and its name."""
        across, up = self.place(x, y.value)
        _, bottom = self.place(x, y.low)
        _, top = self.place(x, y.high)
        end = across > WIDTH - 90
        anchor, name_x = ("end", across - 9) if end else ("start", across + 9)
        return (
            f'<line class="whisker" x1="{across:.1f}" y1="{top:.1f}" x2="{across:.1f}"'
            f' y2="{bottom:.1f}"/>'
            f'<circle class="dot {style}" cx="{across:.1f}" cy="{up:.1f}" r="5"/>'
            f'<text class="name {style}" x="{name_x:.1f}" y="{up - 6:.1f}"'
            f' text-anchor="{anchor}">{text(label)}</text>'
        )

    def svg(self, marks: Iterable[str], label: str) -> str:
        """The picture; `label` describes it, for a screen reader."""
        return (
            f'<svg class="plot" viewBox="0 0 {WIDTH} {HEIGHT}" role="img"'
            f' aria-label="{text(label)}">{self._axes()}{"".join(marks)}</svg>'
        )

    def _axes(self) -> str:
        bottom, right = HEIGHT - BOTTOM, WIDTH - RIGHT
        parts = []
        for value in self.x.scale.ticks():
            x, _ = self.place(value, self.y.scale.low)
            parts.append(f'<line class="grid" x1="{x:.1f}" y1="{TOP}" x2="{x:.1f}" y2="{bottom}"/>')
            parts.append(
                f'<text x="{x:.1f}" y="{bottom + 16}" text-anchor="middle">'
                f"{text(self.x.text(value))}</text>"
            )
        for value in self.y.scale.ticks():
            _, y = self.place(self.x.scale.low, value)
            parts.append(f'<line class="grid" x1="{LEFT}" y1="{y:.1f}" x2="{right}" y2="{y:.1f}"/>')
            parts.append(
                f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">'
                f"{text(self.y.text(value))}</text>"
            )
        middle, half = (LEFT + right) / 2, (TOP + bottom) / 2
        parts.append(
            f'<text class="axis" x="{middle:.0f}" y="{HEIGHT - 8}" text-anchor="middle">'
            f"{text(self.x.title)}</text>"
            f'<text class="axis" x="14" y="{half:.0f}" text-anchor="middle"'
            f' transform="rotate(-90 14 {half:.0f})">{text(self.y.title)}</text>'
        )
        return "".join(parts)


def text(raw: str) -> str:
    """Text that is safe in markup: a process's name cannot end an element."""
    return escape(printable(raw))
