# SPDX-License-Identifier: GPL-2.0-or-later
"""The forecast for checks that a timer starts: how many at another interval, and what they cost."""

from __future__ import annotations

from dataclasses import replace

import pytest

from polltrace.breaks.break_mode import BreakMode
from polltrace.engines import engines
from polltrace.intervals import Estimate
from polltrace.overhead.advice_report.client_check import client_check_data, client_check_text
from polltrace.overhead.cancel import Gaps
from polltrace.overhead.client_check import (
    checks_per_s,
    client_check_advice,
    interval_in_force,
    unbroken_s,
)
from polltrace.overhead.poll_cost import constant
from polltrace.overhead.session_load import SessionLoad
from polltrace.profiles.frames import PollRate
from tests.watch.samples import server

POSTGRESQL = next(each for each in engines() if each.short == "pgsql")
SERVER = replace(server(102), engine=POSTGRESQL, instance="shop")
COST = constant(Estimate(40e-6, 30e-6, 60e-6))
TEN_MS = Gaps(((10.05, 20.0), (10.1, 15.0), (14.0, 1.0)))


def load(busy: float, checks: float) -> SessionLoad:
    return SessionLoad(busy, PollRate(checks, checks, checks))


@pytest.mark.parametrize(
    ("busy", "checks", "now_s", "runnable", "interval_s", "expected"),
    [
        # On a processor all the time: one in each interval.
        (1.0, 100.0, 0.01, 1.0, 0.001, 1000.0),
        (1.0, 100.0, 0.01, 1.0, 0.1, 10.0),
        # Half of the time without a statement.
        (0.5, 50.0, 0.01, 0.5, 0.001, 500.0),
        # In a statement that waits for a lock, all the time.
        (0.01, 100.0, 0.01, 0.01, 0.1, 10.0),
        # A quarter of a processor: each check comes 10 ms late, at every interval.
        (0.25, 50.0, 0.01, 1.0, 0.01, 50.0),
        (0.25, 50.0, 0.01, 1.0, 0.001, 1 / 0.011),
        # Nothing is known of when it was runnable (a recording): it was on CPU, at least.
        (0.5, 50.0, 0.01, None, 0.1, 5.0),
        # No checks now.
        (0.5, 0.0, None, 0.5, 0.1, 10.0),
    ],
)
def test_checks_at_another_interval(  # noqa: PLR0917 - the columns of the table
    busy: float,
    checks: float,
    now_s: float | None,
    runnable: float | None,
    interval_s: float,
    expected: float,
) -> None:
    found = checks_per_s(interval_s, load(busy, checks), now_s, runnable)
    assert found == pytest.approx(expected)


def test_the_interval_in_force_has_the_measured_cost() -> None:
    found = client_check_advice(SERVER, True, load(0.25, 50.0), TEN_MS, cost=COST, runnable=1.0)
    assert (found.mode, found.setting) == (BreakMode.CHECKING, 0.01)
    assert found.unbroken_s == pytest.approx(0.004)
    (now,) = [each for each in found.forecast if each.setting == found.setting]
    assert found.cpu_pct is not None
    assert (
        now.cpu_pct.value == pytest.approx(found.cpu_pct.value) == pytest.approx(100 * 200 * 40e-6)
    )
    assert (found.cpu_pct.low, found.cpu_pct.high) == pytest.approx(
        (100 * 200 * 30e-6, 100 * 200 * 60e-6)
    )
    assert "every 10 ms" in client_check_text(found, 1.0)
    assert "<- now" in client_check_text(found, 1.0)


def test_an_unmeasured_cost_is_unknown() -> None:
    found = client_check_advice(SERVER, True, load(0.5, 50.0), TEN_MS, cost=None)
    assert found.cpu_pct is found.check_cost_s is None
    assert not found.forecast
    text = client_check_text(found, 1.0)
    assert "50.0 times a second" in text
    assert "not measured" in text
    assert client_check_data(found, 1.0)["cpu_pct"] is None


def test_a_session_that_was_not_on_cpu_has_no_forecast() -> None:
    found = client_check_advice(SERVER, None, load(0.0, 0.0), Gaps(()), cost=COST)
    assert found.mode is BreakMode.UNKNOWN
    assert "measure again while a statement runs" in client_check_text(found, 1.0)


def test_the_interval_is_a_round_number_below_the_shortest_gaps() -> None:
    assert interval_in_force(TEN_MS) == 0.01
    assert interval_in_force(Gaps(((10.05, 4.0),))) is None
    assert interval_in_force(Gaps(((13.7, 50.0),))) == pytest.approx(0.0137)
    assert unbroken_s(TEN_MS, None) == 0.0
