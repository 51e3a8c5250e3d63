# SPDX-License-Identifier: GPL-2.0-or-later
"""The table as lines: a header for the host, the servers, the keys."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from polltrace.breaks.break_mode import BreakMode
from polltrace.top.columns import TopColumn, shown
from polltrace.top.header import header
from polltrace.top.state import REFRESH_FRAMES, UIState, position, visible
from polltrace.watch.snapshot import ServerRow, Snapshot

KEYS = "F1 Help  F4 Filter  F6 Sort  Space Pause  +/- Slower/Faster  Enter Open  q Quit"
REPLAY_KEYS = "[ ] 10 s back/on  { } 60 s  +/- Slower/Faster  Space Pause  F1 Help  q Quit"
# Lines that are not servers: the header, the columns' titles, the keys.
_OTHER_LINES = 6
_STYLES = {BreakMode.IN_BAND: "yellow", BreakMode.UNKNOWN: "dim"}


Columns = Sequence[tuple[TopColumn, int]]


def page(height: int) -> int:
    """The number of servers that fit a screen of `height` lines."""
    return max(1, height - _OTHER_LINES)


def table_screen(  # noqa: PLR0913 - all that it shows
    snapshot: Snapshot,
    state: UIState,
    status: str = "",
    *,
    width: int,
    height: int,
    interval_s: float,
) -> list[Text]:
    """The screen, exactly `height` lines of at most `width`; `interval_s` is the probe's, `status`
    stands where the keys do otherwise."""
    rows = visible(snapshot, state)
    columns = shown(width, snapshot)
    room = page(height)
    selected_at = position(rows, state.selected)
    first = (selected_at or 0) // room * room
    body = [
        table_row(row, columns, width, selected=row.identity == state.selected)
        for row in rows[first : first + room]
    ]
    if not rows:
        body = [Text(_nothing(snapshot, state), style="dim")]
    lines = [*header(snapshot, width), titles(columns, width, state), *body]
    lines += [Text("")] * (height - 1 - len(lines))
    bottom = _bottom(state, interval_s, len(rows), len(snapshot.rows))
    if status and not state.editing:
        bottom = Text(status, style="bold")
    bottom.truncate(width)
    return [*lines[: height - 1], bottom]


def titles(columns: Columns, width: int, state: UIState) -> Text:
    """The line of the columns' titles; the one it is sorted by is marked."""
    line = Text(style="reverse")
    sorted_by = "cores" if state.sort == "lost" and width >= 92 else state.sort
    for column, wide in columns:
        style = "bold cyan" if column.key == sorted_by else ""
        line.append(_fit(column.title, column, wide), style)
        line.append(" ")
    line.pad_right(width)
    line.truncate(width)
    return line


def table_row(row: ServerRow, columns: Columns, width: int, *, selected: bool = False) -> Text:
    """The line of one server."""
    line = Text(style="reverse" if selected else "")
    for column, wide in columns:
        style = ""
        if column.key == "mode":
            style = _STYLES.get(row.mode, "")
        elif column.key in {"lost", "cores", "past"} and row.lost_pct and row.lost_pct.value >= 1:
            style = "bold red"
        line.append(_fit(column.cell(row, wide), column, wide), style)
        line.append(" ")
    line.truncate(width)
    if not selected:
        line.rstrip()
    return line


def _fit(text: str, column: TopColumn, width: int) -> str:
    if len(text) > width:
        text = text[: width - 1] + "…"
    return text.rjust(width) if column.right else text.ljust(width)


def _nothing(snapshot: Snapshot, state: UIState) -> str:
    if snapshot.t_s is None:
        return "Attaching to the dedicated servers of this host …"
    if snapshot.to_inspect:
        return f"Looking at {snapshot.to_inspect:,} processes …"
    if state.filter and snapshot.rows:
        return f"None of {len(snapshot.rows):,} servers matches '{state.filter}' (Esc: all)."
    return "No dedicated server process on this host; one that comes is shown at once."


def _bottom(state: UIState, interval_s: float, matching: int, servers: int) -> Text:
    if state.editing:
        return Text(f"Filter: {state.filter}_   Enter: keep   Esc: clear", style="bold")
    notes = []
    if state.replays:
        notes.append(f"x{2.0**state.speed:g}")
    if state.paused:
        notes.append("PAUSED")
    if state.filter:
        notes.append(f"'{state.filter}': {matching:,} of {servers:,}")
    if state.refresh:
        notes.append(f"every {interval_s * REFRESH_FRAMES[state.refresh]:g} s")
    if state.reverse:
        notes.append("reversed")
    if state.replays:
        return Text(f"{'  '.join(notes)}  {REPLAY_KEYS}", style="bold")
    if notes:
        return Text(
            f"{'  '.join(notes)}  F1 Help  Space Go on/Pause  Esc All  q Quit", style="bold"
        )
    return Text(KEYS, style="dim")
