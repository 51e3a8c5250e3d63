# SPDX-License-Identifier: GPL-2.0-or-later
"""The model, held against work whose cost at every skip is known exactly."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from polltrace.intervals import Estimate, exactly, propagated
from polltrace.overhead import cost_model
from polltrace.overhead.cancel import CancelLatency
from polltrace.overhead.estimates import (
    EstimateChoice,
    choose,
    combined,
    counted_pct,
    overlap,
)
from polltrace.overhead.forecast import (
    SKIPS,
    CancelLimits,
    CheckingCost,
    SkipForecast,
    forecast,
    out_of_band_saved_pct,
    recommended,
)
from polltrace.overhead.session_load import SessionLoad, counted_load
from polltrace.profiles.frames import PollRate, ProcessTotals
from tests.plain_model import PLAIN

CHECKS, CHECK_S, SKIPPED_S = 1_000_000, 3e-6, 3e-9


RISE = 0.1


def poll_cost_s(interval_s: float) -> float:
    """A poll that costs more the longer the interval between polls."""
    return float(0.4e-6 * (interval_s / 1e-6) ** RISE)


def polls_s(skip: int) -> float:
    """Time of the polls of a million checks of 3 us of work each, at one in `skip`."""
    work_s, polls, own_s = CHECKS * (CHECK_S + SKIPPED_S), CHECKS / skip, 0.0
    for _ in range(50):
        own_s = polls * poll_cost_s((work_s + own_s) / polls)
    return own_s


def cpu_s(skip: int) -> float:
    return CHECKS * (CHECK_S + SKIPPED_S) + polls_s(skip)


def pct(skip: int) -> float:
    return 100 * (polls_s(skip) + CHECKS * SKIPPED_S) / cpu_s(skip)


def cost(now: int) -> CheckingCost:
    return CheckingCost(
        polls=exactly(CHECKS / now / cpu_s(now)),
        poll_cost_s=poll_cost_s(cpu_s(now) * now / CHECKS),
        scale=exactly(1.0),
        checks=exactly(CHECKS * SKIPPED_S / cpu_s(now)),
        rise=exactly(RISE),
    )


@pytest.mark.parametrize("now", [1, 3, 10])
@pytest.mark.parametrize("skip", SKIPS)
def test_every_skip_follows_from_one(now: int, skip: int) -> None:
    found = forecast(cost(now), now, skip, wait_slice_s=3)
    assert found.cpu_pct.value == pytest.approx(pct(skip), rel=1e-3)
    saved = 100 * (1 - cpu_s(skip) / cpu_s(now))
    assert found.saved_pct.value == pytest.approx(saved, rel=1e-3, abs=1e-6)
    assert found.polls_per_cpu_s == pytest.approx(CHECKS / skip / cpu_s(skip), rel=1e-3)
    assert found.cancel_waiting_s == 3 * skip


@pytest.mark.parametrize("now", [1, 3, 10])
def test_out_of_band_saves_the_checks_as_well(now: int) -> None:
    found = out_of_band_saved_pct(cost(now))
    assert found.value == pytest.approx(100 * (1 - CHECKS * CHECK_S / cpu_s(now)), rel=1e-6)
    # Checks that do not poll cost the same at every skip, so no skip saves as much.
    assert found.value > forecast(cost(now), now, 1000, 3).saved_pct.value


def test_the_interval_follows_too_and_stays_in_order() -> None:
    unsure = replace(cost(3), scale=Estimate(1.0, 0.8, 1.3))
    more, now, less = (forecast(unsure, 3, skip, 3) for skip in (1, 3, 100))
    for found in (more, less):
        assert found.saved_pct.low < found.saved_pct.value < found.saved_pct.high
        assert found.cpu_pct.low < found.cpu_pct.value < found.cpu_pct.high
    assert more.saved_pct.high < 0 < less.saved_pct.low
    # At so rare a poll next to nothing is left to be unsure of.
    assert less.cpu_pct.high < 1
    # Whatever a poll takes: the skip of now saves nothing.
    assert now.saved_pct.low == pytest.approx(0)
    assert now.saved_pct.high == pytest.approx(0)


def test_the_cost_per_poll_at_another_interval_is_less_sure() -> None:
    # GIVEN a session of which everything is known exactly, except how the cost rises
    known = replace(cost(3), rise=Estimate(RISE, 0.0, 0.3))
    present, rarer = (forecast(known, 3, skip, wait_slice_s=3) for skip in (3, 30))
    # THEN nothing is uncertain at the present skip
    assert present.saved_pct.half_width == present.cpu_pct.half_width == 0
    # AND at ten times the interval (some more: the work takes less) the ends are powers of it
    own_pct = 100 * polls_s(30) / cpu_s(30)
    checks_pct = rarer.cpu_pct.value - own_pct
    ratio = 10 * cpu_s(30) / cpu_s(3)
    assert rarer.cpu_pct.high == pytest.approx(own_pct * ratio**0.2 + checks_pct, rel=0.01)
    assert rarer.cpu_pct.low == pytest.approx(own_pct * ratio**-0.1 + checks_pct, rel=0.01)


def test_errors_of_independent_inputs_add_up_as_squares() -> None:
    one = Estimate(10.0, 7.0, 14.0)
    found = propagated(lambda a, b: a - b, one, one)
    assert (found.value, found.low, found.high) == (0.0, -5.0, 5.0)


def test_counted_is_rate_times_cost_over_cpu() -> None:
    # GIVEN a session half the time on CPU that polls 50,000 times a second
    session = SessionLoad(busy=0.5, rate=PollRate(50_000, 49_000, 51_000))
    assert session.interval_s == pytest.approx(10e-6)
    share = counted_pct(session, Estimate(0.6e-6, 0.57e-6, 0.63e-6))
    # THEN polls take 6 % of its CPU; 2 % and 5 % of error make 5.4 %
    assert share.value == pytest.approx(6)
    assert share.high == pytest.approx(6 * (1 + 0.02693 * 2), rel=1e-3)
    assert share.low == pytest.approx(6 * (1 - 0.02693 * 2), rel=1e-3)


def test_the_cost_of_counting_is_taken_off() -> None:
    # GIVEN 100,000 polls counted in a second on CPU, at 1 us of our own each
    totals = ProcessTotals(1, 1, 1.0, 100_000, 0, (), (), ())
    session = counted_load(totals, 2.0, probe_s_per_poll=1e-6)
    # THEN they are the polls of 0.9 seconds, give or take half of what we think we cost
    assert session.busy == 0.5
    assert session.polls_per_cpu_s == pytest.approx(100_000 / 0.9)
    assert session.rate.low == pytest.approx(0.5 * 100_000 / 0.95)
    assert session.rate.high == pytest.approx(0.5 * 100_000 / 0.85)
    idle = counted_load(ProcessTotals(1, 1, 0.0, 0, 0, (), (), ()), 2.0, 1e-6)
    assert idle == SessionLoad(0.0, PollRate(0.0, 0.0, 0.0))
    assert idle.polls_per_cpu_s == 0
    # A cost that would be more than half of the time was measured wrongly.
    costly = counted_load(totals, 2.0, probe_s_per_poll=9e-6)
    assert costly.polls_per_cpu_s == pytest.approx(200_000)


def test_no_polls_cost_nothing_up_to_what_could_have_been_missed() -> None:
    share = counted_pct(SessionLoad(busy=1.0, rate=PollRate(0, 0, 30)), exactly(1e-6))
    assert (share.value, share.low) == (0, 0)
    assert share.high == pytest.approx(0.003)
    half = counted_pct(SessionLoad(busy=0.5, rate=PollRate(0, 0, 30)), exactly(1e-6))
    assert half.high == pytest.approx(0.006)
    idle = SessionLoad(busy=0.0, rate=PollRate(0, 0, 30))
    assert (idle.polls_per_cpu_s, idle.interval_s) == (0, math.inf)
    assert counted_pct(idle, exactly(1e-6)) == exactly(0.0)


def test_no_share_is_negative() -> None:
    unsure = SessionLoad(busy=1.0, rate=PollRate(1000, 0, 3000))
    assert counted_pct(unsure, Estimate(1e-6, 0.0, 2e-6)).low == 0


def test_which_estimate_to_trust() -> None:
    for touching in (Estimate(8, 7, 9), Estimate(4, 3, 5)):
        assert overlap(Estimate(6, 5, 7), touching)
        both = choose(Estimate(6, 5, 7), touching)
        assert both == EstimateChoice(True, "both", "their mean is nearer to the truth than either")
    costlier = choose(Estimate(6, 5, 6.9), Estimate(8, 7, 9))
    assert (costlier.agree, costlier.trusted) == (False, "sampled")
    assert costlier.why == (
        "a poll costs this process more than its time in the kernel shows, because of a "
        "system-call filter (seccomp, audit), another tracer or a busy socket"
    )
    lower = choose(Estimate(6, 5, 7), Estimate(3, 2, 4))
    assert (lower.agree, lower.trusted) == (False, "counted")
    assert lower.why == (
        "samples see only the poll itself and not the slower work after it (cold caches and "
        "branches), which the cost per poll includes"
    )
    alone = choose(Estimate(6, 5, 7), None)
    assert alone == EstimateChoice(True, "counted", "there are no samples to check it by")


def test_two_estimates_together() -> None:
    # Both as unsure: the geometric mean, and a root of two the surer.
    mean = combined(Estimate(4, 2, 8), Estimate(9, 4.5, 18))
    assert mean.value == pytest.approx(6)
    root = 2 ** (1 / 2**0.5)
    assert (mean.value / mean.low, mean.high / mean.value) == pytest.approx((root, root))
    # Twice as unsure on the logarithmic scale, a quarter of the weight.
    uneven = combined(Estimate(1, 0.5, 2), Estimate(32, 8, 128))
    assert uneven.value == pytest.approx(2)
    # What is known exactly is not moved, and what may be nothing has no logarithm.
    assert combined(exactly(5.0), Estimate(6, 4, 8)) == exactly(5.0)
    assert combined(Estimate(6, 4, 8), exactly(5.0)) == exactly(5.0)
    assert combined(Estimate(5, 4, 6), Estimate(0, 0, 1)) == Estimate(5, 4, 6)
    assert combined(Estimate(0, 0, 1), Estimate(5, 4, 6)) == Estimate(0, 0, 1)


def test_errors_in_common_widen_the_interval(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cost_model, "_shipped", lambda: replace(PLAIN, together=2.0))
    mean = combined(Estimate(4, 2, 8), Estimate(9, 4.5, 18))
    assert mean.high / mean.value == pytest.approx(2 ** (2 / 2**0.5))


def with_cancels(skip: int, scale: Estimate = exactly(1.0)) -> SkipForecast:
    """A skip's forecast where a cancel on CPU takes 10 us times the skip at worst."""
    made = forecast(replace(cost(3), scale=scale), 3, skip, wait_slice_s=3)
    return replace(made, cancel_ms=CancelLatency(0.005 * skip, 0.01 * skip, 0.01 * skip))


def recommended_skip(forecasts: list[SkipForecast], limits: CancelLimits) -> int | None:
    found = recommended(forecasts, limits)
    return found.break_poll_skip if found else None


def test_the_lowest_skip_that_is_as_good_as_the_best_is_recommended() -> None:
    unbounded = CancelLimits(1, math.inf)
    # Known exactly, every higher skip is better.
    sure = [with_cancels(skip) for skip in SKIPS]
    best = max(sure, key=lambda each: each.saved_pct.value)
    assert best.break_poll_skip == 1000
    # By the interval of the best, whose saving takes in that of some lower skips.
    unsure = [with_cancels(skip, Estimate(1.0, 0.8, 1.2)) for skip in SKIPS]
    low = next(each for each in unsure if each.break_poll_skip == 1000).saved_pct.low
    as_good = [each.break_poll_skip for each in unsure if each.saved_pct.value >= low]
    assert 1 < len(as_good) < len(SKIPS) - 1
    assert recommended_skip(unsure, unbounded) == as_good[0] < 1000


def saving(skip: int, saved: Estimate, now: int = 3) -> SkipForecast:
    return replace(with_cancels(skip), saved_pct=saved, in_force=skip == now)


def test_a_skip_below_the_default_is_no_gain() -> None:
    """Where all skips are as good, the default stays; a higher one that is in force is lowered."""
    noise = Estimate(0.1, -0.2, 0.4)
    assert recommended_skip([saving(skip, noise) for skip in SKIPS], CancelLimits(1, 3000)) == 3
    at_100 = [saving(skip, noise, now=100) for skip in SKIPS]
    assert recommended_skip(at_100, CancelLimits(1, 3000)) == 3
    at_1 = [saving(skip, noise, now=1) for skip in SKIPS]
    assert recommended_skip(at_1, CancelLimits(1, 3000)) == 1
    # Nothing else keeps this limit.
    assert recommended_skip([saving(skip, noise) for skip in SKIPS], CancelLimits(1, 3)) == 1


def test_fewer_polls_never_cost_more() -> None:
    steep = replace(cost(3), rise=Estimate(0.5, 0.0, 0.8))
    shares = [forecast(steep, 3, skip, wait_slice_s=3).cpu_pct for skip in SKIPS]
    for end in ("value", "low", "high"):
        ends = [getattr(share, end) for share in shares]
        assert ends == sorted(ends, reverse=True)


def test_the_skip_in_force_is_marked() -> None:
    forecasts = [forecast(cost(10), 10, skip, wait_slice_s=3) for skip in SKIPS]
    assert [each.break_poll_skip for each in forecasts if each.in_force] == [10]


@pytest.mark.parametrize(
    ("limits", "skip"),
    [
        (CancelLimits(1, 3000), 1000),
        (CancelLimits(1, 2999.9), 300),
        (CancelLimits(0.01, 3000), 1000),
        (CancelLimits(0.0099, 3000), 300),
        (CancelLimits(0.0002, 3000), 10),
        (CancelLimits(1, 9), 3),
        (CancelLimits(1e-6, 3000), None),
        (CancelLimits(1, 2), None),
    ],
)
def test_the_forecast_keeps_both_limits(limits: CancelLimits, skip: int | None) -> None:
    known = [
        replace(each, saved_pct=exactly(each.saved_pct.value)) for each in map(with_cancels, SKIPS)
    ]
    assert recommended_skip(known, limits) == skip


def test_where_gaps_were_not_timed_nothing_is_recommended() -> None:
    assert recommended([forecast(cost(3), 3, skip, wait_slice_s=3) for skip in SKIPS]) is None
