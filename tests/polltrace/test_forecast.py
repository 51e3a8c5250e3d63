# SPDX-License-Identifier: GPL-2.0-or-later
"""The model, held against work whose cost at every skip is known exactly."""

from __future__ import annotations

import random

import pytest

from polltrace.forecast import SKIPS, cancel_latency, forecast, recommended
from polltrace.frames import Bucket, PollRate, ProcessTotals
from polltrace.intervals import Estimate
from polltrace.overhead import Session, agree, counted_pct, counted_session

CHECKS, CHECK_S, PRICE_S = 1_000_000, 3e-6, 0.6e-6


def cpu_s(skip: int) -> float:
    """CPU time of a million checks of 3 us of work each, with a poll of 0.6 us in `skip`."""
    return CHECKS * CHECK_S + CHECKS / skip * PRICE_S


def pct(skip: int) -> float:
    return 100 * CHECKS / skip * PRICE_S / cpu_s(skip)


def exactly(value: float) -> Estimate:
    return Estimate(value, value, value)


@pytest.mark.parametrize("now", [1, 3, 10])
@pytest.mark.parametrize("skip", SKIPS)
def test_every_skip_follows_from_one(now: int, skip: int) -> None:
    polls_per_cpu_s = CHECKS / now / cpu_s(now)
    found = forecast(exactly(pct(now)), polls_per_cpu_s, now, skip, wait_slice_s=3)
    assert found.cpu_pct.value == pytest.approx(pct(skip))
    assert found.saved_pct.value == pytest.approx(100 * (1 - cpu_s(skip) / cpu_s(now)), abs=1e-9)
    assert found.polls_per_s == pytest.approx(CHECKS / skip / cpu_s(skip))
    assert found.cancel_waiting_s == 3 * skip


def test_the_interval_follows_too_and_stays_in_order() -> None:
    now = Estimate(6.0, 5.0, 8.0)
    more = forecast(now, 1e5, 3, 1, 3)
    less = forecast(now, 1e5, 3, 100, 3)
    for found in (more, less):
        assert found.saved_pct.low < found.saved_pct.value < found.saved_pct.high
        assert found.cpu_pct.low < found.cpu_pct.value < found.cpu_pct.high
    assert more.saved_pct.high < 0 < less.saved_pct.low


def test_counted_is_rate_times_price_over_cpu() -> None:
    # GIVEN a session half the time on CPU that polls 50,000 times a second
    session = Session(busy=0.5, rate=PollRate(50_000, 49_000, 51_000))
    assert session.pace_s == pytest.approx(10e-6)
    share = counted_pct(session, Estimate(0.6e-6, 0.57e-6, 0.63e-6))
    # THEN polls take 6 % of its CPU; 2 % and 5 % of error make 5.4 %
    assert share.value == pytest.approx(6)
    assert share.high == pytest.approx(6 * (1 + 0.02693 * 2), rel=1e-3)
    assert share.low == pytest.approx(6 * (1 - 0.02693 * 2), rel=1e-3)


def test_what_counting_cost_is_taken_off() -> None:
    # GIVEN 100,000 polls counted in a second on CPU, at 1 us of our own each
    totals = ProcessTotals(1, 1, 1.0, 100_000, 0, (), (), ())
    session = counted_session(totals, 2.0, probe_s_per_poll=1e-6)
    # THEN they are the polls of 0.9 seconds, give or take half of what we think we cost
    assert session.busy == 0.5
    assert session.polls_per_cpu_s == pytest.approx(100_000 / 0.9)
    assert session.rate.low == pytest.approx(0.5 * 100_000 / 0.95)
    assert session.rate.high == pytest.approx(0.5 * 100_000 / 0.85)
    idle = counted_session(ProcessTotals(1, 1, 0.0, 0, 0, (), (), ()), 2.0, 1e-6)
    assert idle.polls_per_cpu_s == 0


def test_no_polls_cost_nothing_up_to_what_could_have_been_missed() -> None:
    share = counted_pct(Session(busy=1.0, rate=PollRate(0, 0, 30)), exactly(1e-6))
    assert (share.value, share.low) == (0, 0)
    assert share.high == pytest.approx(0.003)
    assert Session(busy=0.0, rate=PollRate(0, 0, 0)).polls_per_cpu_s == 0


def test_agreement() -> None:
    assert agree(Estimate(6, 5, 7), Estimate(8, 7, 9))
    assert not agree(Estimate(6, 5, 6.9), Estimate(8, 7, 9))


def test_equal_gaps_wait_half_of_one_on_average() -> None:
    gaps = [Bucket(99_000, 101_000, 1000)]
    found = cancel_latency(gaps, skip_now=3, skip=3)
    assert found is not None
    assert found.median == pytest.approx(0.05)
    assert found.p99 == pytest.approx(0.099)
    assert found.worst == pytest.approx(0.1)
    longer = cancel_latency(gaps, skip_now=3, skip=300)
    assert longer is not None
    assert longer.worst == pytest.approx(10)


def test_waits_are_those_of_breaks_at_random_moments() -> None:
    # GIVEN gaps of very different lengths, and breaks at random moments among them
    order = random.Random(7)
    lengths_us = [order.choice([10, 10, 10, 10, 2000]) for _ in range(20_000)]
    gaps = [
        Bucket(10_000, 10_001, lengths_us.count(10)),
        Bucket(2_000_000, 2_000_001, lengths_us.count(2000)),
    ]
    ends, now = [], 0
    for length in lengths_us:
        now += length
        ends.append(now)
    moments = sorted(order.uniform(0, now) for _ in range(20_000))
    at, waits = 0, []
    for moment in moments:
        while ends[at] < moment:
            at += 1
        waits.append((ends[at] - moment) / 1000)
    waits.sort()
    found = cancel_latency(gaps, 3, 3)
    assert found is not None
    assert found.median == pytest.approx(waits[len(waits) // 2], rel=0.03)
    assert found.p99 == pytest.approx(waits[len(waits) * 99 // 100], rel=0.03)


def test_no_gap_no_latency() -> None:
    assert cancel_latency([], 3, 10) is None


def test_the_limit_decides() -> None:
    forecasts = [forecast(exactly(6), 1e5, 3, skip, wait_slice_s=3) for skip in SKIPS]
    best = recommended(forecasts, most_cancel_s=30)
    assert best is not None
    assert best.break_poll_skip == 10
    assert recommended(forecasts, most_cancel_s=1) is None
