# SPDX-License-Identifier: GPL-2.0-or-later
"""Prices in the background: each pace once, and never a wait."""

from __future__ import annotations

import select
import threading

import pytest

from polltrace.errors import HostError
from polltrace.intervals import Estimate
from polltrace.watch.pricing import PriceList, pace_knot_us


def test_each_pace_is_measured_once() -> None:
    measured: list[float] = []

    def measure(pace_s: float) -> Estimate:
        measured.append(pace_s)
        return Estimate(pace_s, pace_s, pace_s)

    prices = PriceList(measure)
    prices.want({16, 4})
    prices.wait()
    prices.want({4, 16})
    prices.wait()
    assert sorted(measured) == [pytest.approx(4e-6), pytest.approx(16e-6)]
    assert set(prices.now.by_pace_us) == {4, 16}
    assert not prices.now.waiting


def test_wanting_does_not_wait_and_news_can_be_waited_for() -> None:
    go_on = threading.Event()

    def measure(pace_s: float) -> Estimate:
        go_on.wait(30)
        return Estimate(1e-6, 1e-6, 1e-6)

    prices = PriceList(measure)
    prices.want({8})
    assert prices.now.waiting
    prices.wait(0.01)
    assert not prices.now.by_pace_us
    go_on.set()
    assert select.select([prices], [], [], 30)[0]
    prices.seen()
    assert 8 in prices.now.by_pace_us
    assert not select.select([prices], [], [], 0)[0]


def test_what_fails_is_not_tried_again() -> None:
    tries = []

    def measure(pace_s: float) -> Estimate:
        tries.append(pace_s)
        raise HostError("polltrace-price is not built")

    prices = PriceList(measure)
    prices.want({8})
    prices.wait()
    prices.want({4, 8})
    prices.wait()
    assert len(tries) == 1
    assert prices.now.failed == "polltrace-price is not built"
    assert not prices.now.waiting


@pytest.mark.parametrize(
    ("pace_us", "knot"),
    [(0.2, 1), (1.0, 1), (7.9, 8), (11, 8), (12, 16), (1000, 1024), (1e6, 1024)],
)
def test_a_pace_is_rounded_to_a_power_of_two(pace_us: float, knot: int) -> None:
    assert pace_knot_us(1e-6 * pace_us) == knot
