# SPDX-License-Identifier: GPL-2.0-or-later
"""The effect of keys on the state; how terminals spell them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from polltrace.top.columns import SORTS
from polltrace.top.keyboard import keys
from polltrace.top.keys import press
from polltrace.top.state import Pane, UIState, View, visible
from polltrace.watch.snapshot import ServerRow
from tests.watch.samples import row, snapshot

ROWS = tuple(row(pid) for pid in range(1, 11))


def after(*pressed: str, rows: tuple[ServerRow, ...] = ROWS) -> UIState:
    state = UIState()
    for key in pressed:
        state = press(state, key, rows, 4)
    return state


@pytest.mark.parametrize(
    ("pressed", "pid"),
    [
        (["down"], 1),
        (["down", "down"], 2),
        (["up"], 1),
        (["end"], 10),
        (["end", "down"], 10),
        (["end", "up"], 9),
        (["down", "pagedown"], 5),
        (["end", "pageup"], 6),
        (["end", "home"], 1),
        (["j", "j", "k"], 1),
    ],
)
def test_arrows_select(pressed: list[str], pid: int) -> None:
    assert after(*pressed).selected == (pid, 7)


def test_a_selection_is_a_process_and_not_a_place() -> None:
    state = after("down", "down")
    without_it = tuple(each for each in ROWS if each.pid != 2)
    reused = (*without_it, replace(row(2), start_ticks=8))
    assert visible(snapshot(reused), state)
    assert state.selected == (2, 7)
    assert press(state, "down", reused, 4).selected == (1, 7)


def test_enter_opens_and_escape_goes_back() -> None:
    state = after("down", "down", "enter")
    assert (state.view, state.opened) == (View.SESSION, (2, 7))
    for back in ("escape", "left"):
        closed = press(state, back, ROWS, 4)
        assert (closed.view, closed.opened, closed.selected) == (View.TABLE, None, (2, 7))


def test_enter_with_nothing_selected_opens_the_first() -> None:
    assert after("enter").opened == (1, 7)
    assert after("enter", rows=()).view is View.TABLE


def test_keys_go_into_the_filter_while_it_is_edited() -> None:
    assert after("/", "q", " ", "x", "backspace").filter == "q "
    assert not after("/", "q").quit
    assert after("/", "a", "up", "enter").filter == "a"
    assert after("/", "a", "escape").filter == ""
    assert after("/", "a", "enter", "escape").filter == ""


def test_every_sort_is_reached_and_the_last_is_followed_by_the_first() -> None:
    seen = [after(*["f6"] * times).sort for times in range(len(SORTS) + 1)]
    assert seen == [*SORTS, "lost"]
    assert after("f6", "<").sort == "lost"
    assert after("r", "P").reverse is False


def test_the_refresh_interval_stays_in_its_limits() -> None:
    assert after("-").refresh == 0
    assert after(*["+"] * 20).refresh == 3
    assert after("+", "+", "-").refresh == 1


def test_gaps_are_timed_in_an_open_session_only() -> None:
    assert after("enter", "t", "t").timings == 2
    assert after("t").timings == 0
    assert after("/", "t").filter == "t"


def test_keys_for_help_pause_and_quit() -> None:
    assert after("h").view is View.HELP
    assert after("h", "escape").view is View.TABLE
    for back in ("h", "escape"):
        helped = after("enter", "h", back)
        assert (helped.view, helped.opened) == (View.SESSION, (1, 7))
    assert after(" ").paused
    assert not after(" ", " ").paused
    assert after("q").quit
    assert after("enter", "q").quit


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("q", ["q"]),
        ("\x1b[A\x1bOB\x1b[5~", ["up", "down", "pageup"]),
        ("\x1b", ["escape"]),
        ("\r\n\x7f", ["enter", "enter", "backspace"]),
        ("\x1bOP\x1b[14~\x1b[17~\x1b[21~", ["f1", "f4", "f6", "f10"]),
        ("\x1b[1;5Ax", ["x"]),  # Ctrl-Up is no key of ours
        ("é", ["é"]),
        ("", []),
    ],
)
def test_terminal_input_is_read_as_keys(text: str, expected: list[str]) -> None:
    assert keys(text) == expected


def test_the_cure_is_copied_of_an_open_session_and_either_is_recorded() -> None:
    assert after("enter", "c", "c").copies == 2
    assert after("c").copies == 0
    assert (after("down", "R").recordings, after("enter", "R", "R").recordings) == (1, 2)
    assert after("h", "R").recordings == 0
    assert after("/", "R").filter == "R"


def test_panes_of_an_open_session() -> None:
    assert after("enter", "2").pane is Pane.FLAME
    assert after("enter", "tab", "tab").pane is Pane.GAPS
    assert after("enter", *["tab"] * 7).pane is Pane.FORECAST
    assert after("enter", "6").pane is Pane.SQL
    assert after("enter", "7").pane is Pane.TIME
    assert after("enter", "t").pane is Pane.GAPS
    assert (after("enter", "4").countings, after("enter", "4", "s").countings) == (1, 2)
    assert after("enter", "4", "escape").pane is Pane.FORECAST
    assert after("2").pane is Pane.FORECAST
