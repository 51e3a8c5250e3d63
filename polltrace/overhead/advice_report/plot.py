# SPDX-License-Identifier: GPL-2.0-or-later
"""A small plot in text: labelled points, x on a logarithmic scale."""

from __future__ import annotations

import math
from collections.abc import Sequence

WIDTH, HEIGHT = 62, 9

# x (greater than 0), y (not negative), label
PlotPoint = tuple[float, float, str]


def plot(points: Sequence[PlotPoint], x_title: str, y_title: str) -> list[str]:
    """Lines of at most WIDTH + 10 columns; none for fewer than two points.

    A point is a `*` with its label to the right, or to the left where the right has no space. Of
    points at the same place the first is shown.
    """
    if len(points) < 2:
        return []
    x_start, x_end = (math.log10(end(x for x, _, _ in points)) for end in (min, max))
    top = max(y for _, y, _ in points) or 1.0
    rows = [[" "] * WIDTH for _ in range(HEIGHT)]
    for x, y, label in points:
        column = round((math.log10(x) - x_start) / ((x_end - x_start) or 1) * (WIDTH - 1))
        row = rows[round((1 - y / top) * (HEIGHT - 1))]
        fits_right = column + len(label) + 2 <= WIDTH
        first = column if fits_right else column - len(label) - 1
        text = f"*{' '}{label}" if fits_right else f"{label} *"
        neighbours = row[max(0, first - 1) : first + len(text) + 1]
        if all(cell == " " for cell in neighbours):
            row[first : first + len(text)] = text
        elif row[column] == " ":
            row[column] = "*"
    lines = []
    for row_number, row in enumerate(rows):
        value = top * (1 - row_number / (HEIGHT - 1))
        scale = f"{value:>6.2f}" if row_number % 2 == 0 else ""
        lines.append(f"{scale:>6} |{''.join(row)}".rstrip())
    ends = f"{_short(10**x_start)}{_short(10**x_end):>{WIDTH - len(_short(10**x_start))}}"
    return [
        f"{y_title:>6}",
        *lines,
        f"{'':>6} +{'-' * WIDTH}",
        f"{'':>8}{ends}",
        f"{'':>8}{x_title}",
    ]


def _short(value: float) -> str:
    return f"{value:.3g}" if value < 1000 else f"{value:,.0f}"
