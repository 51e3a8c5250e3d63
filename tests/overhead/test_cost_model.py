# SPDX-License-Identifier: GPL-2.0-or-later
"""The fitted model: its data file, and what follows from polls that were timed in place."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import pytest

from polltrace.intervals import Estimate, exactly
from polltrace.overhead import cost_model as module
from polltrace.overhead.cost_model import (
    FEWEST_TIMED,
    CostModel,
    calibrated_cost,
    check_cost,
    in_place,
    timed_cost,
    usual_mean_ns,
)
from polltrace.overhead.estimates import sampled_pct
from polltrace.overhead.host_factors import HostFactors
from polltrace.overhead.poll_cost import PollCost
from polltrace.profiles.frames import Bucket
from tests.plain_model import PLAIN

SHIPPED = Path(module.__file__).with_name("cost_model.json")
CURVE = PollCost([(1e-6, Estimate(4e-7, 2e-7, 6e-7)), (1e-4, Estimate(8e-7, 4e-7, 1.2e-6))])


def test_the_model_that_ships_was_fitted_and_says_on_what() -> None:
    found = CostModel.of(json.loads(SHIPPED.read_text("utf-8")))
    factors = found.calibrated, found.timed, found.sampled
    spread = found.between_hosts.timed, found.between_hosts.sampled, found.between_hosts.calibrated
    for factor in (*factors, *spread, found.timer_check):
        assert 0 < factor.low < factor.value < factor.high
    # A rarer poll costs more, and rarer polls cost less together.
    assert 0 <= found.rise.low < found.rise.value < found.rise.high < 1
    # The duration in the kernel is less than all that a poll costs, and more than a quarter of it.
    assert 1 < found.timed.value < 4
    # What is read in place is better known than what a stand-in takes.
    assert found.timed.high / found.timed.low < found.calibrated.high / found.calibrated.low
    for key in ("fitted", "sessions", "statements", "hosts", "kernels", "command"):
        assert found.provenance[key]


@pytest.mark.parametrize("data", [{}, {"format": "polltrace-cost-model", "version": 99}])
def test_another_format_is_refused(data: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="not a cost model"):
        CostModel.of(data)


def test_a_whole_check_costs_what_it_takes_whatever_the_factor_of_a_poll(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    model = replace(PLAIN, calibrated=Estimate(2.0, 1.0, 5.0), timer_check=Estimate(0.5, 0.25, 1.5))
    monkeypatch.setattr(module, "_shipped", lambda: model)
    assert calibrated_cost(2e-5) == Estimate(4e-5, 2e-5, 1e-4)
    found = check_cost(2e-5)
    assert (found.value, found.low, found.high) == pytest.approx((1e-5, 5e-6, 3e-5))


def test_costs_are_what_was_measured_by_the_factor() -> None:
    assert calibrated_cost(4e-7) == PLAIN.calibrated.scaled(4e-7)
    found = timed_cost([Bucket(400, 401, 5000)], 3)
    assert found is not None
    assert (found.value, found.low, found.high) == pytest.approx((6e-7, 4.8e-7, 8e-7))


def test_the_factors_rise_with_the_skip_as_far_as_they_were_fitted() -> None:
    rising = replace(PLAIN, timed_rise=0.1, sampled_rise=0.2)
    for at, factor, rise in (
        (rising.timed_at, PLAIN.timed, 0.1),
        (rising.sampled_at, PLAIN.sampled, 0.2),
    ):
        assert at(1).value == pytest.approx(factor.value)
        assert at(10).value == pytest.approx(factor.value * 10**rise)
        assert at(10).high == pytest.approx(factor.high * 10**rise)
        assert at(1000) == at(40)
        # One that is not known is taken for Oracle's default.
        assert at(None) == at(3)


def test_a_sessions_skip_decides_about_both_of_its_estimates(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rising = replace(PLAIN, timed_rise=0.1, sampled_rise=0.2)
    monkeypatch.setattr(module, "_shipped", lambda: rising)
    durations = [Bucket(400, 401, 5000)]
    one, ten = (timed_cost(durations, skip) for skip in (1, 10))
    assert one is not None
    assert ten is not None
    assert ten.value / one.value == pytest.approx(10**0.1)
    share = exactly(5.0)
    assert sampled_pct(share, 10).value == pytest.approx(5.0 * 10**0.2)


def test_the_longest_three_per_cent_are_no_part_of_the_mean() -> None:
    quick, slow = Bucket(300, 303, 970), Bucket(1_000_000, 1_000_001, 30)
    assert usual_mean_ns([slow, quick, Bucket(500, 501, 9700), Bucket(10**9, 10**9 + 1, 300)]) == (
        pytest.approx((970 * 301 + 9700 * 500) / 10670)
    )
    assert usual_mean_ns([quick, slow]) is None


def test_too_few_polls_are_no_mean() -> None:
    assert usual_mean_ns([]) is None
    assert usual_mean_ns([Bucket(300, 301, FEWEST_TIMED - 1)]) is None
    assert timed_cost([Bucket(300, 301, 10)], 3) is None


def test_a_sessions_own_durations_replace_the_calibration() -> None:
    found = in_place(CURVE, [Bucket(800, 801, 5000)], 3)
    assert found is not None
    for interval_s in (1e-6, 1e-5, 1e-3):
        assert found.at(interval_s).value == pytest.approx(1.2e-6)
        assert found.at(interval_s).low == pytest.approx(0.96e-6)
    assert in_place(CURVE, [], 3) is CURVE
    assert in_place(None, [], 3) is None


def test_the_factors_of_a_host_multiply_those_of_the_model() -> None:
    host = HostFactors(
        timed=Estimate(0.5, 0.45, 0.55), sampled=exactly(0.8), calibrated=exactly(0.7)
    )
    timed = timed_cost([Bucket(400, 401, 5000)], 3, host)
    assert timed is not None
    assert timed.value == pytest.approx(3e-7)
    # Errors that are independent add up as squares.
    assert timed.low == pytest.approx(
        3e-7 / math.exp(math.hypot(math.log(1.25), math.log(1 / 0.9)))
    )
    assert sampled_pct(exactly(5.0), 3, host).value == pytest.approx(4.0)
    assert calibrated_cost(4e-7, host).value == pytest.approx(2.8e-7)


def test_a_host_that_was_not_measured_has_the_spread_of_those_that_were(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    spread = HostFactors(Estimate(0.8, 0.6, 1.1), exactly(1.0), exactly(1.0))
    monkeypatch.setattr(module, "_shipped", lambda: replace(PLAIN, between_hosts=spread))
    known = HostFactors(exactly(0.8), exactly(1.0), exactly(1.0))
    durations = [Bucket(400, 401, 5000)]
    unmeasured, measured = (timed_cost(durations, 3, host) for host in (None, known))
    assert unmeasured is not None
    assert measured is not None
    assert unmeasured.value == pytest.approx(measured.value)
    assert unmeasured.low < measured.low < measured.high < unmeasured.high
