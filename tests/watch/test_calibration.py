# SPDX-License-Identifier: GPL-2.0-or-later
"""Costs in the background: each knot once, and never a wait."""

from __future__ import annotations

import select
import threading

import pytest

from polltrace.engines import BREAK_POLL, TIMER_CHECK
from polltrace.errors import HostError
from polltrace.intervals import Estimate
from polltrace.overhead.calibration import CheckCost
from polltrace.overhead.poll_cost import Knot
from polltrace.watch.calibration import Calibration

SLOW, QUICK = Knot(BREAK_POLL, 16), Knot(BREAK_POLL, 4)
TIMER = Knot(TIMER_CHECK, 1024)


def test_each_knot_is_measured_once() -> None:
    measured: list[Knot] = []

    def measure(knot: Knot) -> CheckCost:
        measured.append(knot)
        return CheckCost(Estimate(1e-6, 1e-6, 1e-6))

    calibration = Calibration(measure)
    calibration.want({TIMER, SLOW, QUICK})
    calibration.wait()
    calibration.want({QUICK, SLOW, TIMER})
    calibration.wait()
    assert measured == [QUICK, SLOW, TIMER]
    assert set(calibration.poll_costs.by_knot) == set(measured)
    assert not calibration.poll_costs.waiting


def test_a_calibration_runs_in_the_background_and_signals_its_end() -> None:
    go_on = threading.Event()

    def measure(_knot: Knot) -> CheckCost:
        go_on.wait(30)
        return CheckCost(Estimate(1e-6, 1e-6, 1e-6))

    calibration = Calibration(measure)
    calibration.want({SLOW})
    assert calibration.poll_costs.waiting
    calibration.wait(0.01)
    assert not calibration.poll_costs.by_knot
    go_on.set()
    assert select.select([calibration], [], [], 30)[0]
    calibration.seen()
    assert SLOW in calibration.poll_costs.by_knot
    assert not select.select([calibration], [], [], 0)[0]


def test_a_failed_calibration_is_not_repeated() -> None:
    tries = []

    def measure(knot: Knot) -> CheckCost:
        tries.append(knot)
        raise HostError("polltrace-calibrate is not built")

    calibration = Calibration(measure)
    calibration.want({SLOW})
    calibration.wait()
    calibration.want({QUICK, SLOW})
    calibration.wait()
    assert len(tries) == 1
    assert calibration.poll_costs.failed == "polltrace-calibrate is not built"
    assert not calibration.poll_costs.waiting


def test_a_disturbed_calibration_is_repeated_until_one_is_not() -> None:
    # GIVEN a host that is busy, busier, and quiet in the end
    now, measured = 0.0, []
    shares = iter((0.5, 0.7, None))

    def measure(_knot: Knot) -> CheckCost:
        share = next(shares)
        measured.append(share)
        cost = 1e-6 * (1 + (share or 0.0))
        return CheckCost(Estimate(cost, cost / 2, 2 * cost), share)

    calibration = Calibration(measure, lambda: now)

    def cost_at(then: float) -> float:
        nonlocal now
        now = then
        calibration.want({SLOW})
        calibration.wait()
        return calibration.poll_costs.by_knot[SLOW].value

    # THEN it is not repeated at once, the least disturbed counts, and the first quiet one is last
    assert cost_at(0) == cost_at(10) == pytest.approx(1.5e-6)
    assert calibration.poll_costs.disturbed == {SLOW}
    assert cost_at(20) == pytest.approx(1.5e-6)
    assert cost_at(40) == pytest.approx(1.5e-6)
    assert len(measured) == 2
    assert cost_at(60) == pytest.approx(1e-6)
    assert calibration.poll_costs.disturbed == set()
    assert cost_at(1e6) == pytest.approx(1e-6)
    assert measured == [0.5, 0.7, None]


@pytest.mark.parametrize(
    ("interval_us", "knot_us"),
    [(0.2, 1), (1.0, 1), (7.9, 8), (11, 8), (12, 16), (1000, 1024), (1e6, 1024)],
)
def test_an_interval_is_rounded_to_a_power_of_two(interval_us: float, knot_us: int) -> None:
    knot = Knot.nearest(BREAK_POLL, 1e-6 * interval_us)
    assert knot == Knot(BREAK_POLL, knot_us)
    assert knot.with_ends() == {knot}


@pytest.mark.parametrize(
    ("interval_s", "knot_us"), [(1e-5, 1024), (1e-3, 1024), (4e-3, 4096), (0.1, 8192)]
)
def test_a_timers_checks_are_rare_and_forecast_at_every_interval(
    interval_s: float, knot_us: int
) -> None:
    knot = Knot.nearest(TIMER_CHECK, interval_s)
    assert knot.interval_us == knot_us
    assert {each.interval_us for each in knot.with_ends()} == {1024, knot_us, 8192}
