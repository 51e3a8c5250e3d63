# SPDX-License-Identifier: GPL-2.0-or-later
"""Costs in the background: each interval once, and never a wait."""

from __future__ import annotations

import select
import threading

import pytest

from polltrace.errors import HostError
from polltrace.intervals import Estimate
from polltrace.watch.calibration import Calibration, calibrated_interval_us


def test_each_interval_is_measured_once() -> None:
    measured: list[float] = []

    def measure(interval_s: float) -> Estimate:
        measured.append(interval_s)
        return Estimate(interval_s, interval_s, interval_s)

    calibration = Calibration(measure)
    calibration.want({16, 4})
    calibration.wait()
    calibration.want({4, 16})
    calibration.wait()
    assert sorted(measured) == [pytest.approx(4e-6), pytest.approx(16e-6)]
    assert set(calibration.now.by_interval_us) == {4, 16}
    assert not calibration.now.waiting


def test_wanting_does_not_wait_and_news_can_be_waited_for() -> None:
    go_on = threading.Event()

    def measure(interval_s: float) -> Estimate:
        go_on.wait(30)
        return Estimate(1e-6, 1e-6, 1e-6)

    calibration = Calibration(measure)
    calibration.want({8})
    assert calibration.now.waiting
    calibration.wait(0.01)
    assert not calibration.now.by_interval_us
    go_on.set()
    assert select.select([calibration], [], [], 30)[0]
    calibration.seen()
    assert 8 in calibration.now.by_interval_us
    assert not select.select([calibration], [], [], 0)[0]


def test_a_failed_calibration_is_not_repeated() -> None:
    tries = []

    def measure(interval_s: float) -> Estimate:
        tries.append(interval_s)
        raise HostError("polltrace-calibrate is not built")

    calibration = Calibration(measure)
    calibration.want({8})
    calibration.wait()
    calibration.want({4, 8})
    calibration.wait()
    assert len(tries) == 1
    assert calibration.now.failed == "polltrace-calibrate is not built"
    assert not calibration.now.waiting


@pytest.mark.parametrize(
    ("interval_us", "knot"),
    [(0.2, 1), (1.0, 1), (7.9, 8), (11, 8), (12, 16), (1000, 1024), (1e6, 1024)],
)
def test_an_interval_is_rounded_to_a_power_of_two(interval_us: float, knot: int) -> None:
    assert calibrated_interval_us(1e-6 * interval_us) == knot
