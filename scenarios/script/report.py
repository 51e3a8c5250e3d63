# SPDX-License-Identifier: GPL-2.0-or-later
"""Report of a query's rows: headings, pages, wrapped values."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence

from polltrace.scenarios.script.display import DisplayColumn
from polltrace.scenarios.script.settings import Settings

Row = Sequence[str | None]
Place = tuple[int, DisplayColumn]


def report(
    columns: Sequence[DisplayColumn], settings: Settings, rows: Iterable[Row]
) -> Iterator[str]:
    """Lines padded to the widths of their columns, as the rows arrive; none without a row."""
    groups = _groups(columns, settings)
    heading = [line for group in groups for line in _heading(group, settings)]
    lines_left = 0
    for row in rows:
        lines, wrapped = _row(groups, row, settings)
        if settings.pagesize and lines_left < len(lines):
            yield from [""] * settings.newpage
            lines_left = settings.pagesize - settings.newpage
            if settings.heading:
                yield from heading
                lines_left -= len(heading)
        yield from lines
        lines_left -= len(lines)
        if settings.recsep == "each" or (settings.recsep == "wrapped" and wrapped):
            yield ""
            lines_left -= 1


def _groups(columns: Sequence[DisplayColumn], settings: Settings) -> list[list[Place]]:
    """Displayed columns, grouped into lines of LINESIZE characters."""
    groups: list[list[Place]] = []
    width_left = 0
    for place in enumerate(columns):
        column = place[1]
        if not column.visible:
            continue
        if not groups or width_left < column.width + len(settings.colsep):
            groups.append([])
            width_left = settings.linesize + len(settings.colsep)
        groups[-1].append(place)
        width_left -= column.width + len(settings.colsep)
    return groups


def _heading(group: Sequence[Place], settings: Settings) -> Iterator[str]:
    height = max(len(column.heading) for _, column in group)
    for line in range(height):
        cells = []
        for _, column in group:
            blank = height - len(column.heading)
            text = column.heading[line - blank] if line >= blank else ""
            cells.append(_justified(text[: column.width], column))
        yield settings.colsep.join(cells)
    if settings.underline:
        yield settings.colsep.join(settings.underline * column.width for _, column in group)


def _justified(text: str, column: DisplayColumn) -> str:
    match column.justify:
        case "right":
            return text.rjust(column.width)
        case "center":
            return text.center(column.width)
        case _:
            return text.ljust(column.width)


def _row(groups: Sequence[Sequence[Place]], row: Row, settings: Settings) -> tuple[list[str], bool]:
    """Lines of one row, and whether a value was wrapped."""
    lines: list[str] = []
    for group in groups:
        cells = [folded(column, column.of(row[index])) for index, column in group]
        for line in range(max(map(len, cells))):
            lines.append(
                settings.colsep.join(
                    _padded(cell[line] if line < len(cell) else "", column)
                    for cell, (_, column) in zip(cells, group, strict=True)
                )
            )
    return lines, len(lines) > 1


def _padded(text: str, column: DisplayColumn) -> str:
    return text.rjust(column.width) if column.right else text.ljust(column.width)


def folded(column: DisplayColumn, text: str) -> list[str]:
    """Lines of a value within its column."""
    if column.right:
        fits = len(text) <= column.width and not text.startswith("#")
        return [text if fits else "#" * column.width]
    lines: list[str] = []
    for line in text.replace("\t", " ").split("\n"):
        if column.fold == "word":
            lines += textwrap.wrap(line, column.width, break_on_hyphens=False) or [""]
        else:
            starts = range(0, len(line) or 1, column.width)
            lines += [line[start : start + column.width] for start in starts]
    return lines[:1] if column.fold == "truncate" else lines
