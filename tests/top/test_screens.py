# SPDX-License-Identifier: GPL-2.0-or-later
"""Whole screens of `polltrace top`, as text."""

# ruff: noqa: E501 - screens are as wide as they are

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from polltrace.breaks.break_mode import BreakMode
from polltrace.profiles.frames import PollRate
from polltrace.top.help_screen import help_screen
from polltrace.top.keys import press
from polltrace.top.screen import page, table_screen
from polltrace.top.state import UIState, visible
from polltrace.watch.snapshot import PollCosts, Snapshot
from tests.watch.samples import COSTS, KNOT, ROWS, row, snapshot

NARROW = """\
polltrace top  dbhost  5 servers: 2 in-band, 1 out-of-band, 1 local, 1  12:34:56
Lost to break polling: 0.061 CPUs [0.055, 0.067] of 1.93 in use (3.2 %)
500 ns [450, 550] a poll, at one in 8 us of CPU (measured here, untraced)
polltrace takes 1.2 % of a CPU (probe 0.8, screen 0.4), BPF 0.11; lost: nothing
    PID INSTANCE CLIENT          MODE          CPU%   POLLS/S  LOST% POLLS, PAST
    102 ORCL     10.0.0.7:40102  in-band       80.0   100,000   6.34        ▁▃▅█
    103 SALES    10.0.0.9:40103  in-band      100.0    20,000   1.01
    101 ORCL     10.0.0.7:40101  out-of-band   12.5         0   0.00
    105 ORCL     local           local          0.0         0      -
    104 ORCL     2001:db8::1428… unknown          -         -      -



F1 Help  F4 Filter  F6 Sort  Space Pause  +/- Slower/Faster  Enter Open  q Quit
"""

WIDE = """\
polltrace top  dbhost  5 servers: 2 in-band, 1 out-of-band, 1 local, 1 unknown                                                                12:34:56
Lost to break polling: 0.061 CPUs [0.055, 0.067] of 1.93 in use (3.2 %)
500 ns [450, 550] a poll, at one in 8 us of CPU (measured here, untraced)
polltrace takes 1.2 % of a CPU (probe 0.8, screen 0.4), BPF 0.11; lost: nothing
    PID INSTANCE CLIENT             MODE          CPU%   POLLS/S  LOST%   CPUS WORST GAP POLLS, PAST      SKIP WHY
    102 ORCL     10.0.0.7:40102     in-band       80.0   100,000   6.34  0.051   46.7 ms            ▁▃▅█     3 the client did not ask for out-of-ban…
    103 SALES    10.0.0.9:40103     in-band      100.0    20,000   1.01  0.010         -                     3 the client did not ask for out-of-ban…
    101 ORCL     10.0.0.7:40101     out-of-band   12.5         0   0.00  0.000         -                     3
    105 ORCL     local              local          0.0         0      -  0.000         -                     3
    104 ORCL     2001:db8::1428:57… unknown          -         -      -      -         -                     3

F1 Help  F4 Filter  F6 Sort  Space Pause  +/- Slower/Faster  Enter Open  q Quit
"""


def screen(state: UIState, width: int, height: int, shown: Snapshot | None = None) -> str:
    lines = table_screen(shown or snapshot(), state, width=width, height=height, interval_s=1.0)
    assert len(lines) == height
    assert all(line.cell_len <= width for line in lines)
    return "".join(f"{line.plain.rstrip()}\n" for line in lines)


def typed(keys: str, shown: Snapshot, height: int = 24) -> UIState:
    state = UIState()
    for key in keys.split():
        rows = visible(shown, state)
        state = press(state, "" if key == "_" else key, rows, page(height))
    return state


def test_the_screen_at_80_columns() -> None:
    assert screen(UIState(), 80, 14) == NARROW


def test_a_wide_terminal_shows_more() -> None:
    assert screen(UIState(selected=(103, 7)), 150, 12) == WIDE


def test_a_host_of_postgresql_alone_is_shown_without_what_is_oracles() -> None:
    rows = [
        replace(
            row(pid, cpu=9.0, mode=mode, engine="PostgreSQL", skip=None, instance="sales"),
            reason="the interval",
        )
        for pid, mode in ((1, BreakMode.CHECKING), (2, BreakMode.NOT_CHECKING))
    ]
    text = screen(UIState(), 150, 12, snapshot(rows))
    assert "2 servers: 1 checking, 1 not checking " in text
    assert "WHY" in text.splitlines()[4]
    assert "the interval" in text
    assert "SKIP" not in text
    # AND with an Oracle server on the host the column is there
    assert "SKIP" in screen(UIState(), 150, 12, snapshot([*rows, row(3)]))


@pytest.mark.parametrize("width", range(20, 200, 7))
@pytest.mark.parametrize("height", [3, 7, 24, 60])
def test_every_size_is_filled_exactly(width: int, height: int) -> None:
    screen(UIState(selected=(101, 7)), width, height)


def test_a_script_of_keys_ends_in_this_screen() -> None:
    # Filter for "in-band", keep it, sort by PID reversed, select the second, slower.
    state = typed("/ i n - b a n d enter N r down down +", snapshot())
    lines = screen(state, 80, 10).splitlines()
    assert [line.split()[0] for line in lines[5:7]] == ["103", "102"]
    assert state.selected == (102, 7)
    assert (
        lines[-1]
        == (
            "'in-band': 2 of 5  every 2 s  reversed  F1 Help  Space Go on/Pause  Esc All  q Quit"[
                :80
            ]
        )
    )


def test_a_filter_that_nothing_matches_is_reported() -> None:
    assert "None of 5 servers matches 'nobody'" in screen(UIState(filter="nobody"), 80, 24)


def test_the_screen_before_the_probe_is_attached() -> None:
    empty = Snapshot("", "12:00:00", None, (), PollCosts({}), None, {}, snapshot(()).totals)
    text = screen(UIState(), 80, 24, empty)
    assert "Attaching to the dedicated servers of this host" in text
    assert "Lost to break polling: not known yet" in text


def test_a_page_further_down_is_shown_with_what_is_selected() -> None:
    many = snapshot([row(pid, cpu=1.0) for pid in range(1, 101)])
    state = typed("end", many, height=24)
    lines = screen(state, 80, 24, many).splitlines()
    assert state.selected == (100, 7)
    assert any(line.split()[:1] == ["100"] for line in lines[5:23])


def test_without_a_cost_per_poll_no_loss_is_shown() -> None:
    rows = [row(7, polls=1000, cpu=50.0, mode=BreakMode.IN_BAND, calibrated=False)]
    text = screen(UIState(), 120, 12, snapshot(rows, costs=PollCosts({}, waiting=True)))
    assert "Lost to break polling: not known yet" in text
    assert "A poll's cost is being measured" in text
    assert text.splitlines()[5].split()[4:8] == ["50.0", "1,000", "-", "-"]


def test_a_failed_calibration_is_reported_with_its_reason() -> None:
    text = screen(UIState(), 80, 12, snapshot(costs=PollCosts({}, failed="not built")))
    assert "A poll's cost is not known: not built" in text


def test_losses_are_in_the_header() -> None:
    shown = snapshot(costs=COSTS)
    assert "lost: nothing" in screen(UIState(), 80, 12, shown)


def test_help_fits_the_smallest_terminal() -> None:
    lines = help_screen(80, 24)
    assert len(lines) == 24
    assert all(len(line.plain) <= 80 for line in lines)
    assert "Esc: back" in "".join(line.plain for line in lines)


def test_rows_of_the_samples_are_the_hosts_totals() -> None:
    totals = snapshot().totals
    assert totals.sessions[BreakMode.IN_BAND] == 2
    assert totals.used_cores == pytest.approx(sum(each.cpu_pct or 0 for each in ROWS) / 100)
    assert totals.lost_cores is not None
    # A poll, and checks that do not poll: 7.5 ns [0, 30] by the tests' model.
    assert totals.lost_cores.value == pytest.approx(120_000 * 507.5e-9)
    assert totals.lost_cores.low == pytest.approx(120_000 * (507.5e-9 - math.hypot(50e-9, 7.5e-9)))
    assert totals.lost_cores.high == pytest.approx(
        120_000 * (507.5e-9 + math.hypot(50e-9, 22.5e-9))
    )


def test_a_figure_that_is_hardly_known_is_marked() -> None:
    known, vague = ROWS[1], replace(ROWS[2], rate=PollRate(20_000, 3000, 90_000))
    lines = screen(UIState(), 100, 12, snapshot([known, vague])).splitlines()
    shown = {line.split()[0]: line.split()[6:8] for line in lines[5:7]}
    assert shown == {"102": ["6.34", "0.051"], "103": ["1.01?", "0.010?"]}


def test_a_session_outside_every_window_is_reported_as_missing() -> None:
    unseen = replace(ROWS[2], rate=None, poll_cost_s=None, knot=None, polls=5000)
    text = screen(UIState(), 150, 12, snapshot([ROWS[1], unseen]))
    assert "without 1 whose cost is not known yet" in text


def test_a_calibration_on_a_busy_host_is_marked() -> None:
    text = screen(UIState(), 100, 12, snapshot(costs=replace(COSTS, disturbed=frozenset({KNOT}))))
    assert "(measured here, while others had the CPU)" in text
