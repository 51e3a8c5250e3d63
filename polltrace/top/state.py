# SPDX-License-Identifier: GPL-2.0-or-later
"""What the user has chosen: the other half of what a view draws."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from polltrace.top.columns import SORTS
from polltrace.watch.snapshot import Row, Snapshot

# How many of the probe's frames make one of ours.
PACES = (1, 2, 5, 10)


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


@dataclass(frozen=True, slots=True)
class UIState:
    """`selected` and `opened` are (pid, start_ticks), so that no other process takes their place.

    `timings` counts how often gaps were asked for, `countings` system calls. `editing`: keys go
    into the filter. `pace` is an index of PACES. Where a recording `replays`: its `speed` as a
    power of two, and how far it was moved to and fro in all.
    """

    view: View = View.TABLE
    sort: str = "lost"
    reverse: bool = False
    filter: str = ""
    editing: bool = False
    paused: bool = False
    pace: int = 0
    selected: tuple[int, int] | None = None
    opened: tuple[int, int] | None = None
    timings: int = 0
    countings: int = 0
    pane: Pane = Pane.FORECAST
    quit: bool = False
    replays: bool = False
    speed: int = 0
    sought_s: float = 0.0


def visible(snapshot: Snapshot, state: UIState) -> tuple[Row, ...]:
    """The rows that pass the filter, in the chosen order."""
    wanted = state.filter.lower()
    rows = [row for row in snapshot.rows if wanted in searched(row)] if wanted else snapshot.rows
    sort = SORTS[state.sort]
    return tuple(sorted(rows, key=sort, reverse=state.reverse))


def searched(row: Row) -> str:
    """The text of a row that a filter is looked for in, in lower case."""
    said = (row.pid, row.instance, row.client, row.mode.value, row.engine, row.user, row.program)
    return " ".join(map(str, said)).lower()


def position(rows: Sequence[Row], identity: tuple[int, int] | None) -> int | None:
    """Where in `rows` this process is."""
    return next((i for i, row in enumerate(rows) if row.identity == identity), None)
