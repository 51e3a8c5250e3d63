# SPDX-License-Identifier: GPL-2.0-or-later
"""The user's choices: with a Snapshot, all that a view draws."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from polltrace.top.columns import SORTS
from polltrace.watch.snapshot import ServerRow, Snapshot

# How many of the probe's frames make one of ours.
REFRESH_FRAMES = (1, 2, 5, 10)


class View(Enum):
    TABLE = "table"
    SESSION = "session"
    HELP = "help"


class Pane(Enum):
    """The lower part of an open session."""

    FORECAST = "1"
    FLAME = "2"
    GAPS = "3"
    SYSCALLS = "4"
    NOW = "5"
    SQL = "6"
    TIME = "7"


@dataclass(frozen=True, slots=True)
class UIState:
    """The user's choices.

    `view` is on the screen and `pane` is the lower part of an open session; `sort` is the key of
    the column that orders the table, the other way round with `reverse`. `paused` holds the
    screen, `quit` ends the program.
    `selected` and `opened` are (pid, start_ticks): a reused PID is another process. `timings`
    counts how often gaps were asked for, `countings` system calls, `copies` the cure, `recordings`
    a recording's begin or end. `editing`: keys go into the filter. `refresh` is an index of
    REFRESH_FRAMES. Where a recording `replays`: `speed` is a power of two, `sought_s` the sum of
    all moves in it, in seconds.
    """

    view: View = View.TABLE
    sort: str = "lost"
    reverse: bool = False
    filter: str = ""
    editing: bool = False
    paused: bool = False
    refresh: int = 0
    selected: tuple[int, int] | None = None
    opened: tuple[int, int] | None = None
    timings: int = 0
    countings: int = 0
    copies: int = 0
    recordings: int = 0
    pane: Pane = Pane.FORECAST
    quit: bool = False
    replays: bool = False
    speed: int = 0
    sought_s: float = 0.0


def visible(snapshot: Snapshot, state: UIState) -> tuple[ServerRow, ...]:
    """The rows that match the filter, in the chosen order."""
    filter_text = state.filter.lower()
    rows = (
        [row for row in snapshot.rows if filter_text in searched(row)]
        if filter_text
        else snapshot.rows
    )
    sort = SORTS[state.sort]
    return tuple(sorted(rows, key=sort, reverse=state.reverse))


def searched(row: ServerRow) -> str:
    """The text of a row that the filter searches, in lower case."""
    texts = (row.pid, row.instance, row.client, row.mode.value, row.engine, row.user, row.program)
    return " ".join(map(str, texts)).lower()


def position(rows: Sequence[ServerRow], identity: tuple[int, int] | None) -> int | None:
    """The index of this process in `rows`; None if it has no row."""
    return next((i for i, row in enumerate(rows) if row.identity == identity), None)
