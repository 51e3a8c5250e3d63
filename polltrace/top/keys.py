# SPDX-License-Identifier: GPL-2.0-or-later
"""The effect of each key on the UIState."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from polltrace.top.columns import SORTS
from polltrace.top.state import REFRESH_FRAMES, Pane, UIState, View, position
from polltrace.watch.snapshot import ServerRow

# Of a recording: seconds, and powers of two.
_SEEKS = {"[": -10.0, "]": 10.0, "{": -60.0, "}": 60.0}
_SPEEDS = {"+": -1, "-": 1}
_STEPS = {"up": -1, "k": -1, "down": 1, "j": 1}


def press(state: UIState, key: str, rows: Sequence[ServerRow], page: int) -> UIState:
    """The state after `key`, where `rows` are visible and `page` of them fit the screen."""
    if state.editing:
        return _edit(state, key)
    if key in _ANYWHERE:
        return _ANYWHERE[key](state)
    if state.replays and (key in _SEEKS or key in _SPEEDS):
        return _played(state, key)
    if key == "R" and state.view is not View.HELP:
        return replace(state, recordings=state.recordings + 1)
    if state.view is View.TABLE:
        return _in_table(state, key, rows, page)
    return _elsewhere(state, key)


def _help(state: UIState) -> UIState:
    return _helped(state) if state.view is View.HELP else replace(state, view=View.HELP)


def _helped(state: UIState) -> UIState:
    """Back from the help to where it was asked for."""
    return replace(state, view=View.SESSION if state.opened else View.TABLE)


_ANYWHERE: dict[str, Callable[[UIState], UIState]] = {
    **dict.fromkeys(["q", "f10"], lambda state: replace(state, quit=True)),
    **dict.fromkeys(["h", "?", "f1"], _help),
    " ": lambda state: replace(state, paused=not state.paused),
}


def _pane(state: UIState, pane: Pane) -> UIState:
    """System calls are counted only while their pane is shown."""
    is_syscalls = pane is Pane.SYSCALLS
    return replace(state, pane=pane, countings=state.countings + is_syscalls)


def _in_session(state: UIState, key: str) -> UIState | None:
    panes = list(Pane)
    if key == "c":
        return replace(state, copies=state.copies + 1)
    if key == "t":
        return replace(state, timings=state.timings + 1, pane=Pane.GAPS)
    if key == "tab":
        return _pane(state, panes[(panes.index(state.pane) + 1) % len(panes)])
    if key == "s":
        return _pane(state, Pane.SYSCALLS)
    return _pane(state, Pane(key)) if key in {pane.value for pane in Pane} else None


def _elsewhere(state: UIState, key: str) -> UIState:
    if state.view is View.SESSION and (changed := _in_session(state, key)):
        return changed
    if key in {"escape", "left", "backspace"}:
        if state.view is View.HELP:
            return _helped(state)
        return replace(state, view=View.TABLE, opened=None, pane=Pane.FORECAST)
    return state


def _in_table(state: UIState, key: str, rows: Sequence[ServerRow], page: int) -> UIState:
    selected_at = position(rows, state.selected)
    if key in {"enter", "right"} and rows:
        opened = rows[selected_at or 0].identity
        return replace(state, view=View.SESSION, selected=opened, opened=opened)
    changes = _CHANGES.get(key)
    return changes(state) if changes else _select(state, key, rows, page, selected_at)


def _sorted(state: UIState, sort: str) -> UIState:
    return replace(state, sort=sort, reverse=False)


def _sorted_by_next(state: UIState, step: int) -> UIState:
    sorts = list(SORTS)
    return _sorted(state, sorts[(sorts.index(state.sort) + step) % len(sorts)])


def _played(state: UIState, key: str) -> UIState:
    speed = state.speed + _SPEEDS.get(key, 0)
    sought_s = state.sought_s + _SEEKS.get(key, 0.0)
    return replace(state, speed=min(max(speed, -3), 10), sought_s=sought_s)


def _refreshed(state: UIState, step: int) -> UIState:
    return replace(state, refresh=min(max(state.refresh + step, 0), len(REFRESH_FRAMES) - 1))


_CHANGES: dict[str, Callable[[UIState], UIState]] = {
    **dict.fromkeys(["/", "\\", "f4"], lambda state: replace(state, editing=True)),
    **dict.fromkeys(["f6", ">", ".", "s"], lambda state: _sorted_by_next(state, 1)),
    **dict.fromkeys(["<", ",", "S"], lambda state: _sorted_by_next(state, -1)),
    **dict.fromkeys(["r", "I"], lambda state: replace(state, reverse=not state.reverse)),
    "L": lambda state: _sorted(state, "lost"),
    "P": lambda state: _sorted(state, "cpu"),
    "B": lambda state: _sorted(state, "polls"),
    "N": lambda state: _sorted(state, "pid"),
    "+": lambda state: _refreshed(state, 1),
    "-": lambda state: _refreshed(state, -1),
    "escape": lambda state: replace(state, filter="", selected=None),
}


def _select(
    state: UIState, key: str, rows: Sequence[ServerRow], page: int, selected_at: int | None
) -> UIState:
    if not rows:
        return state
    steps = {**_STEPS, "pageup": -page, "pagedown": page, "home": -len(rows), "end": len(rows)}
    if key not in steps:
        return state
    # The first arrow selects the first row; from there on they move.
    target = (
        0
        if selected_at is None and key in {"up", "down", "j", "k"}
        else (selected_at or 0) + steps[key]
    )
    return replace(state, selected=rows[min(max(target, 0), len(rows) - 1)].identity)


def _edit(state: UIState, key: str) -> UIState:
    if key == "enter":
        return replace(state, editing=False)
    if key == "escape":
        return replace(state, editing=False, filter="")
    if key == "backspace":
        return replace(state, filter=state.filter[:-1])
    if len(key) == 1 and key.isprintable():
        return replace(state, filter=state.filter + key)
    return state
