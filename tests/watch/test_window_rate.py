# SPDX-License-Identifier: GPL-2.0-or-later
"""Rates from a few short windows: right on a busy host, and as uncertain as they are."""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import pairwise

import pytest

from polltrace.profiles.frames import PollRate, PollWindows, ProcessTotals, WindowProducts
from polltrace.watch.history import Counts, History
from polltrace.watch.window_rate import rate_of, window_rate

# Windows of 10 ms, two a second.
WINDOW_S, EVERY_S = 0.01, 0.5

# Polls and CPU seconds in one window.
Window = tuple[float, float]


def products(pairs: Iterable[tuple[Window, Window]]) -> WindowProducts:
    """Sums of the products of each pair of windows."""
    terms = [(p * q, (p * d + q * c) / 2, c * d) for (p, c), (q, d) in pairs]
    return WindowProducts(*[sum(term) for term in zip(*terms, strict=True)])


def sums(windows: list[Window]) -> PollWindows:
    """The sums that a probe sends of these windows."""
    return PollWindows(
        len(windows),
        sum(polls for polls, _ in windows),
        WINDOW_S * len(windows),
        sum(cpu_s for _, cpu_s in windows),
        0.0,
        products(zip(windows, windows, strict=True)),
        products(pairwise(windows)),
    )


def known(rate: PollRate | None) -> PollRate:
    assert rate is not None
    return rate


def test_the_scheduler_does_not_change_the_rate_of_a_process_that_was_starved() -> None:
    """It had the processor in every window and a tenth of the time besides: 100,000 polls a CPU
    second are 10,000 a second, not 100,000."""
    found = known(window_rate(sums([(1000.0, 0.01)] * 10), cpu_s=0.5, seconds=5.0))
    assert (found.per_s, found.low, found.high) == pytest.approx((10_000,) * 3)
    # And where the windows hardly saw it.
    found = known(window_rate(sums([(20.0, 0.0002)] * 10), cpu_s=0.5, seconds=5.0))
    assert found.per_s == pytest.approx(10_000)


def trials(chance: random.Random, share: float, spread: float) -> Iterator[tuple[float, PollRate]]:
    """The true rate of two seconds, and what ten windows say. The process is on CPU for about
    that share of each, and its polls a CPU second differ from window to window by `spread`."""
    for _ in range(200):
        moments = [
            (chance.random() < share, 100_000 * max(0.0, chance.gauss(1, spread)))
            for _ in range(200)
        ]
        seen = [
            (WINDOW_S * rate, WINDOW_S) if on else (0.0, 0.0)
            for on, rate in chance.sample(moments, 10)
        ]
        truth = sum(rate for on, rate in moments if on) / 200
        found = window_rate(sums(seen), sum(on for on, _ in moments) * WINDOW_S, 2.0)
        if found is not None:
            yield truth, found


@pytest.mark.parametrize("share", [0.3, 0.6, 1.0])
@pytest.mark.parametrize("spread", [0.1, 0.4])
def test_the_interval_holds_the_truth(share: float, spread: float) -> None:
    found = list(trials(random.Random(11), share, spread))
    held = sum(rate.low <= truth <= rate.high for truth, rate in found)
    assert len(found) > 190
    assert held >= 0.93 * len(found)


def drifting(chance: random.Random, count: int) -> list[Window]:
    """Windows of a process that is always on CPU and whose rate drifts slowly around its mean."""
    drift, windows = 0.0, []
    for _ in range(count):
        drift = 0.5 * drift + math.sqrt(0.75) * 0.5 * (chance.random() - 0.5)
        windows.append((1000 * (1 + drift), WINDOW_S))
    return windows


def test_the_interval_is_wider_where_neighbouring_windows_are_alike() -> None:
    chance, held, held_without = random.Random(2), 0, 0
    for _ in range(2000):
        windows = sums(drifting(chance, 80))
        rate = known(window_rate(windows, 40.0, 40.0))
        held += rate.low <= 100_000 <= rate.high
        rate = known(window_rate(replace(windows, neighbours=None), 40.0, 40.0))
        held_without += rate.low <= 100_000 <= rate.high
    assert held >= 0.90 * 2000
    assert held_without < 0.80 * 2000


def test_fewer_windows_give_a_wider_interval() -> None:
    chance = random.Random(5)
    one = [(1000 * chance.gauss(1, 0.2), 0.01) for _ in range(10)]
    widths = []
    for seen in (one, one[:5], one[:3]):
        found = known(window_rate(sums(seen), 5.0, 5.0))
        widths.append((found.high - found.low) / found.per_s)
    assert widths == sorted(widths)
    assert widths[2] > 3 * widths[0]
    # One window does not show how much they differ: any number is possible.
    alone = known(window_rate(sums([*one[:1], *[(0.0, 0.0)] * 9]), 5.0, 5.0))
    assert alone.low == 0
    assert alone.high > 20 * alone.per_s


def test_no_poll_in_little_cpu_time_bounds_the_rate_only_loosely() -> None:
    found = known(window_rate(sums([(0.0, 0.001)] * 10), 5.0, 5.0))
    assert (found.per_s, found.low) == (0.0, 0.0)
    assert found.high == pytest.approx(300)


def test_without_squares_the_interval_is_unbounded() -> None:
    windows = PollWindows(10, 10_000.0, 0.1, 0.1)
    found = known(window_rate(windows, 5.0, 5.0))
    assert (found.per_s, found.low) == pytest.approx((100_000, 0.0))


def test_the_sums_of_a_later_span_are_those_of_its_own_windows() -> None:
    chance = random.Random(3)
    windows = [(1000 * chance.random(), 0.01 * chance.random()) for _ in range(30)]
    later = sums(windows).since(sums(windows[:10]))
    own = windows[10:]
    assert later.squares == pytest.approx(products(zip(own, own, strict=True)))
    # The first is a neighbour of the window before the span.
    assert later.neighbours == pytest.approx(products(pairwise(windows[9:])))
    assert later.count == 20
    assert later.polls == pytest.approx(sum(polls for polls, _ in own))


def test_a_process_has_a_rate_from_its_third_window_on() -> None:
    totals = ProcessTotals(7, 11, 0.5, 30, 0, (), (), ())
    assert rate_of(totals, 5.0) is None
    two, three = (replace(totals, windows=sums([(10.0, 0.001)] * count)) for count in (2, 3))
    assert rate_of(two, 5.0) is None
    # 10,000 polls a CPU second, half a CPU second in five.
    assert known(rate_of(three, 5.0)).per_s == pytest.approx(1000)


def test_an_exact_rate_is_taken_as_it_is() -> None:
    exact = PollRate(7.0, 7.0, 7.0)
    totals = ProcessTotals(7, 11, 0.5, 30, 0, (), (), (), exact)
    assert rate_of(replace(totals, windows=sums([(10.0, 0.001)] * 3)), 5.0) == exact


def seen_and_unseen() -> History:
    """Ran for five seconds in sight of the windows, then for ten out of it."""
    history = History.since(0.0)
    for second in range(1, 16):
        seen = [(1000.0, 0.01)] * min(2 * second, 10) + [(0.0, 0.0)] * max(0, 2 * second - 10)
        history.add(Counts(second, 0.9 * second, sums(seen)))
    return history


def test_a_process_that_ran_in_no_window_has_no_rate() -> None:
    history = seen_and_unseen()
    assert history.rate is None
    # Its polls until then stay, and those since are counted once it is seen again.
    assert history.polls == pytest.approx(0.9 * 5 * 100_000)
    history.add(Counts(16, 0.9 * 16, sums([(1000.0, 0.01)] * 11 + [(0.0, 0.0)] * 21)))
    assert history.polls == pytest.approx(0.9 * 16 * 100_000)
    assert known(history.rate).per_s == pytest.approx(90_000)


def test_a_process_that_hardly_ran_has_a_rate_of_zero() -> None:
    history = History.since(0.0)
    for second in range(1, 8):
        history.add(Counts(second, 0.0005 * second, sums([(0.0, 0.0)] * 2 * second)))
    assert known(history.rate).per_s == 0
