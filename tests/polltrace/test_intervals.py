# SPDX-License-Identifier: GPL-2.0-or-later
"""The interval of a median must cover it as often as it claims, whatever the distribution."""

import random

import pytest

from polltrace.intervals import Estimate, median, paired_overhead, propagated, proportion


@pytest.mark.parametrize(
    ("n", "cut"),
    # The largest k with 1 - 2 P(binomial(n, 1/2) < k) >= 0.95, from tables of the sign test.
    [(1, 0), (5, 0), (6, 0), (8, 0), (9, 1), (12, 2), (14, 2), (15, 3), (20, 5), (25, 7)],
)
def test_the_median_has_the_interval_of_the_sign_test(n: int, cut: int) -> None:
    values = list(range(n))
    estimate = median(values)
    assert (estimate.low, estimate.high) == (cut, n - 1 - cut)


def test_skewed_samples_are_covered() -> None:
    # GIVEN an exponential distribution, whose median is ln 2
    order = random.Random(20)
    true_median = 0.6931471805599453
    # WHEN 2,000 samples of 12 are drawn
    estimates = [median([order.expovariate(1) for _ in range(12)]) for _ in range(2000)]
    # THEN the interval holds the truth in 96.1 % of them (binomial cover of 3rd..10th of 12)
    covered = sum(e.low <= true_median <= e.high for e in estimates) / len(estimates)
    assert covered == pytest.approx(0.961, abs=0.015)


def test_pairs_cancel_a_disturbance_of_both_runs() -> None:
    # GIVEN a machine whose speed drifts fourfold, and a treatment that costs 7 %
    drift = [1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 1.2, 1.7]
    base = [[0.4 * d, 0.5 * d, 0.6 * d] for d in drift]
    estimate = paired_overhead(base, [[1.07 * run for run in block] for block in base])
    assert estimate.value == pytest.approx(7)
    assert estimate.half_width == pytest.approx(0, abs=1e-9)
    assert estimate.excludes_zero


def test_a_block_is_one_value_however_many_runs_it_has() -> None:
    # GIVEN blocks that differ by what their processes are like, each with many equal runs
    base = [[1.0] * 100] * 6
    other = [[1.0 + pct / 100] * 100 for pct in (1, 2, 3, 4, 5, 6)]
    estimate = paired_overhead(base, other)
    # THEN the interval is that of six values, not of six hundred
    assert (estimate.low, estimate.high) == pytest.approx((1, 6))
    assert estimate.value == pytest.approx(3.5)


def test_an_interval_that_includes_zero_does_not_exclude_it() -> None:
    assert not Estimate(0.4, -0.2, 1.0).excludes_zero
    assert not Estimate(0.0, 0.0, 0.0).excludes_zero
    assert Estimate(-0.2, -0.3, -0.1).excludes_zero
    assert Estimate(0.2, 0.1, 0.3).excludes_zero


def test_no_values() -> None:
    with pytest.raises(ValueError, match=r"^the median of no values$"):
        median([])


@pytest.mark.parametrize(("base", "other"), [([[1.0]], [[1.0, 2.0]]), ([[1.0]], [[1.0], [1.0]])])
def test_runs_without_a_pair_are_an_error(
    base: list[list[float]], other: list[list[float]]
) -> None:
    with pytest.raises(ValueError, match="longer"):
        paired_overhead(base, other)


@pytest.mark.parametrize(
    ("hits", "trials", "low", "high"),
    # Wilson's score interval at 95 %, from tables.
    [(3, 10, 10.779, 60.322), (1, 1, 20.655, 100), (50, 100, 40.383, 59.617), (0, 10, 0, 27.753)],
)
def test_a_share_has_wilsons_interval(hits: int, trials: int, low: float, high: float) -> None:
    found = proportion(hits, trials)
    assert found.value == 100 * hits / trials
    assert (found.low, found.high) == pytest.approx((low, high), abs=1e-3)


def test_a_share_stays_between_0_and_1_despite_rounding() -> None:
    assert {proportion(n, n).high <= 100 <= proportion(0, n).low + 100 for n in range(1, 99)} == {
        True
    }
    with pytest.raises(ValueError, match=r"^the share of no trials$"):
        proportion(0, 0)


def test_a_function_with_its_maximum_at_the_value_has_no_higher_bound() -> None:
    found = propagated(lambda x: -((x - 1) ** 2), Estimate(1.0, 0.0, 3.0))
    assert (found.value, found.low, found.high) == (0.0, -4.0, 0.0)
