# SPDX-License-Identifier: GPL-2.0-or-later
"""One session opened: the screen drawn from a measurement of it."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from polltrace.breaks.break_mode import BreakMode
from polltrace.profiles.frames import (
    Bucket,
    Header,
    PollRate,
    PollWindows,
    ProcessTotals,
    Syscall,
    WindowProducts,
)
from polltrace.profiles.latch_wait import LatchWait
from polltrace.profiles.profile import Profile
from polltrace.servers.servers import Server
from polltrace.top.session_panes import flame
from polltrace.top.session_screen import session_screen
from polltrace.top.session_view import SessionView, session_view
from polltrace.top.state import Pane
from polltrace.watch.snapshot import PollCosts
from tests.watch.samples import ASKED, COSTS, named_stack, postgresql_server, row, server

CHECK = "poll sntpoltsts snttmoredata nsmore2recv nioqts kcbgtcr main"
WORK = "sqlite3VdbeExec opifch2 main"


STACKS = [named_stack(WORK, 150), named_stack(WORK, 40, at=8), named_stack(CHECK, 10, check=True)]


def profile(*, polls: int, rate: PollRate | None, cpu_s: float = 4.0) -> Profile:
    totals = ProcessTotals(102, 7, cpu_s, polls, 0, (), (), (), rate)
    header = Header("0.1.0", "dbhost", "6.1", "watch", "fentry")
    return Profile(header, 5.0, {}, (totals,), frozenset(), {}, complete=False)


def text(
    session: SessionView,
    *,
    of: Server | None = None,
    height: int = 24,
    pane: Pane = Pane.FORECAST,
    status: str = "",
) -> str:
    mode = BreakMode.IN_BAND
    shown = row(102, polls=80_000, cpu=80.0, mode=mode) if of is None else None
    lines = session_screen(shown, session, pane, status, width=80, height=height)
    assert len(lines) == height
    assert all(line.cell_len <= 80 for line in lines)
    return "".join(f"{line.plain.rstrip()}\n" for line in lines)


SCREEN = """\
102  Oracle Database ORCL  10.0.0.7:40102  CPU 80.0 %  80,000 polls/s
Break mode: in-band:
  the client did not ask for out-of-band breaks (its platform, driver or
  sqlnet.ora)
  does NOT catch SIGURG, does NOT own its socket, polls on CPU
  BREAK_POLL_SKIP=3 in /u01/network/admin/sqlnet.ora
Counted: 5.00 % [4.50, 5.59] of its CPU, 80,000 polls a second x 500 ns
Sampled: 5.00 % [2.74, 8.96] of its CPU, by 200 samples; both: 5.00 %

  SKIP         LOST% [95 %]      SAVED% [95 %] CANCEL p99    WORST   WAITING
     1 13.64 [12.36, 15.05] -10.0 [-11.1, -9.0]          -        -       3 s
     3    5.00 [4.49, 5.64]     0.0 [0.0, 0.0]          -        -       9 s <-
    10    1.55 [1.39, 1.92]     3.5 [3.1, 3.9]          -        -      30 s
    30    0.52 [0.47, 0.84]     4.5 [4.0, 5.0]          -        -      90 s
   100    0.16 [0.14, 0.47]     4.8 [4.4, 5.4]          -        -     300 s
   300    0.05 [0.05, 0.37]     4.9 [4.4, 5.5]          -        -     900 s
  1000    0.02 [0.01, 0.33]     5.0 [4.5, 5.6]          -        -   3,000 s

On-CPU stacks in 5 s, innermost first
  5.0 % poll < sntpoltsts < snttmoredata < nsmore2recv < nioqts < kcbgtcr < main
 95.0 % sqlite3VdbeExec < opifch2 < main


1 Forecast 2 Flame 3 Gaps 4 Calls 5 Now 6 SQL 7 Time c Cure R Record Esc Back ?
"""


def in_band() -> SessionView:
    return session_view(
        server(102),
        profile(polls=4000, rate=PollRate(80_000, 79_000, 81_000)),
        STACKS,
        COSTS,
    )


def test_the_screen_of_an_in_band_session() -> None:
    assert text(in_band()) == SCREEN


def test_the_rate_of_a_live_session_comes_from_its_windows() -> None:
    live = profile(polls=4000, rate=None)
    # 100,000 polls a CPU second; the session had 4 CPU seconds in 5 s.
    equal = WindowProducts(10 * 1000.0**2, 10 * 1000.0 * 0.01, 10 * 0.01**2)
    windows = PollWindows(10, 10_000.0, 0.1, 0.1, 0.0, equal, WindowProducts())
    live = replace(live, totals=(replace(live.only(), windows=windows),))
    shown = text(session_view(server(102), live, STACKS, COSTS))
    assert "of its CPU, 80,000 polls a second x 500 ns\n" in shown


def test_a_session_that_spins_for_a_latch() -> None:
    stacks = [replace(STACKS[0], latch=LatchWait(("main", "kslgetl"), sleeps=False)), *STACKS[1:]]
    polls = profile(polls=4000, rate=PollRate(80_000, 79_000, 81_000))
    shown = text(session_view(server(102), polls, stacks, COSTS))
    assert "\nSpinning for latches: 75.00 % [68.57, 80.49] of its CPU\n" in shown
    assert "latches" not in SCREEN


def test_the_default_is_not_shown_for_a_file_that_was_not_read() -> None:
    unread = replace(server(102).settings, problem="it is a FIFO", skip_is_default=True)
    of = replace(server(102), settings=unread)
    shown = text(
        session_view(of, profile(polls=4000, rate=PollRate(80e3, 79e3, 81e3)), STACKS, COSTS)
    )
    assert "BREAK_POLL_SKIP not known: /u01/network/admin/sqlnet.ora is not readable" in shown
    assert "BREAK_POLL_SKIP=3" not in shown


def test_timed_gaps_show_how_long_a_cancel_waits() -> None:
    gaps = (Bucket(8_000, 12_000, 999), Bucket(2_000_000, 2_000_000, 1))
    timed = ProcessTotals(102, 7, 1.0, 1000, 0, (), (), (), None, gaps)
    watched = profile(polls=4000, rate=PollRate(80_000, 79_000, 81_000))
    shown = text(session_view(server(102), watched, STACKS, COSTS, timed))
    assert "worst gap 2 ms (1 s)" in shown
    assert "Timed:" not in text(in_band())


@pytest.mark.parametrize("pane", Pane)
@pytest.mark.parametrize("height", [1, 5, 12, 24, 60])
def test_every_height_is_filled_exactly(height: int, pane: Pane) -> None:
    text(in_band(), height=height, pane=pane)
    shown = text(in_band(), height=height, pane=pane, status="Recording 102").splitlines()
    assert "c Cure R Record" in shown[-1]
    assert shown[-2:-1] in ([], ["Recording 102"])


def test_the_flame_is_as_wide_as_the_samples() -> None:
    lines = flame(in_band(), width=100, height=10)
    assert lines[1].plain == "main"  # common to all
    assert lines[2].plain == "kcbgt" + "opifch2".ljust(95)  # 5 % and 95 %
    assert lines[3].plain == "nioqt" + "sqlite3VdbeExec".ljust(95)
    assert lines[4].plain.rstrip() == "nsmor"
    assert lines[7].plain.rstrip() == "poll"
    checks = [span for span in lines[2].spans if "red" in str(span.style)]
    assert [(span.start, span.end) for span in checks] == [(0, 5)]


def test_gaps_are_drawn_by_their_length() -> None:
    buckets = (Bucket(8_000, 12_000, 999), Bucket(2_000_000, 2_000_100, 1))
    shown = text(replace(in_band(), gaps=buckets), pane=Pane.GAPS)
    assert re.search(r"^ +3 us +999 +99\.900 █+$", shown, re.MULTILINE)
    assert re.search(r"^ +1 ms +1 +0\.100 █$", shown, re.MULTILINE)
    assert "the worst was 2 ms" in shown
    assert "Not timed yet" in text(in_band(), pane=Pane.GAPS)


def test_a_gap_of_postgresqls_keeps_a_lost_client_waiting() -> None:
    gaps = (Bucket(10_000_000, 10_100_000, 9), Bucket(30_000_000, 30_100_000, 1))
    seen = replace(in_band(), server=postgresql_server(102), gaps=gaps)
    shown = text(seen, pane=Pane.GAPS, of=seen.server)
    assert "notices that its client is gone after 30.1 ms at most" in shown
    assert "cancel" not in shown


def test_a_timer_is_not_called_off_before_it_could_be_seen() -> None:
    """Few windows, and no check in them: of one in each second none need have come."""
    none = profile(polls=0, rate=PollRate(0, 0, 1))
    for window_s, mode in ((0.5, "unknown"), (1.2, "not checking")):
        totals = replace(none.only(), windows=PollWindows(9, 0.0, window_s, window_s))
        seen = session_view(
            postgresql_server(102), replace(none, totals=(totals,)), STACKS[:1], COSTS
        )
        assert f"Break mode: {mode}\n" in text(seen, of=seen.server)


def test_system_calls_are_shown_most_frequent_first() -> None:
    calls = (Syscall(0, "read", 30, 3), Syscall(7, "poll", 30_000, 0))
    totals = ProcessTotals(102, 7, 1.0, 1000, 0, (), calls, ())
    shown = text(replace(in_band(), counted=(totals, 3.0)), pane=Pane.SYSCALLS)
    assert re.search(r"^poll +30,000 +10,000\.0\nread +30 +10\.0 +3$", shown, re.MULTILINE)


def test_without_a_cost_per_poll_there_is_no_forecast() -> None:
    session = session_view(
        server(102), profile(polls=4000, rate=PollRate(1e5, 9e4, 2e5)), STACKS, PollCosts({})
    )
    shown = text(session)
    assert "BREAK_POLL_SKIP " not in shown
    assert "Counted" not in shown
    assert f"{ASKED[:40]}" in shown
    assert "Sampled: 5.00 %" in shown


def test_an_out_of_band_session_lists_its_evidence() -> None:
    session = session_view(
        server(102, owner=102), profile(polls=0, rate=PollRate(0, 0, 1)), STACKS[:1], COSTS
    )
    shown = text(session)
    assert "Break mode: out-of-band\n" in shown
    assert "catches SIGURG, owns its socket, makes no break polls on CPU" in shown


def test_a_session_that_ended_stays_as_it_was_seen_last() -> None:
    shown = text(in_band().ended(), of=server(102))
    assert shown.startswith("The process has ended.\n")
    assert "Counted: 5.00 %" in shown


def test_a_local_session_that_polls_another_socket_has_no_forecast() -> None:
    local = replace(server(102), local=True, socket=None)
    seen = session_view(
        local, profile(polls=400_000, rate=PollRate(80_000, 76_000, 84_000)), [], COSTS
    )
    assert seen.advice is not None
    assert not seen.advice.forecast
    assert "Counted: " in text(seen, of=local)
