# SPDX-License-Identifier: GPL-2.0-or-later
"""The yardstick, and the lines of a report on a noisy host."""

from __future__ import annotations

import os
import time
from dataclasses import replace
from typing import Any, cast

import pytest

from polltrace.scenarios.plan.plan import Plan
from polltrace.scenarios.plan.scenario_file import find
from polltrace.scenarios.run import host_noise
from polltrace.scenarios.run.host_noise import HostTotals, Yardstick, noise, now, warnings
from polltrace.scenarios.run.runner import MeasureLoad, ScenarioRunner
from polltrace.scenarios.run.work import Work

QUIET = {"steal_pct": 0.1, "busy_pct": 60.0, "load": 1.8, "mhz": 3000.0}


def test_the_yardstick_is_cpu_time_that_was_really_spent() -> None:
    yardstick = Yardstick(min(os.sched_getaffinity(0)))
    where = os.sched_getaffinity(0)
    began = time.thread_time()
    measured = [yardstick.measure() for _ in range(10)]
    assert 0 < sum(measured) <= time.thread_time() - began
    assert len(set(measured)) > 1
    assert os.sched_getaffinity(0) == where


def test_noise_is_what_passed_between_two_moments() -> None:
    """user nice system idle iowait irq softirq steal, in ticks: 200 in all, 30 of them stolen."""
    before = HostTotals((100, 0, 50, 800, 50, 0, 0, 10), 1.0, 3000.0)
    after = HostTotals((140, 0, 60, 900, 70, 0, 0, 40), 2.5, 2900.0)
    assert noise(before, after) == {
        "steal_pct": pytest.approx(15.0),
        "busy_pct": pytest.approx(40.0),
        "load": 2.5,
        "mhz": 2900.0,
    }


def test_this_host_has_totals() -> None:
    totals = now()
    assert len(totals.ticks) == 8
    assert sum(totals.ticks) > 0


@pytest.mark.parametrize(
    ("noisy", "word"),
    [({"steal_pct": 3.0}, "stolen"), ({"load": 6.0}, "busy"), ({"mhz": 2500.0}, "clock")],
)
def test_a_noisy_host_is_reported(noisy: dict[str, float], word: str) -> None:
    assert warnings([QUIET, QUIET, QUIET], processors=2) == []
    found = warnings([QUIET, {**QUIET, **noisy}, {**QUIET, **noisy}], processors=2)
    assert len(found) == 1
    assert word in found[0]


def test_sessions_side_by_side_are_no_noise(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a load the load average before the first block counts; of other runs that after each."""
    loads = iter((0.5, *[9.0] * 20))
    monkeypatch.setattr(host_noise, "now", lambda: HostTotals((0,) * 8, next(loads), 0.0))
    scenario = replace(find("result-cache-latch"), blocks=2)
    plan = Plan(scenario, scenario.cells()[:1], 1, 0, 0, False, False)
    written: list[tuple[str, dict[str, Any]]] = []

    def run(load: MeasureLoad | None) -> list[float]:
        written.clear()
        runner = ScenarioRunner(
            *(plan, Work("", {}), cast("Any", None), {}, cast("Any", None), {}),
            *(lambda kind, _, **values: written.append((kind, values)), lambda *_: None, load),
        )
        monkeypatch.setattr(runner, "_block", runner._block if load else lambda _: None)
        runner.run()
        return [values["load"] for kind, values in written if kind == "noise"]

    assert run(lambda *_: {}) == [0.5, 0.5]
    assert run(None) == [9.0, 9.0]
