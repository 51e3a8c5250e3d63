# SPDX-License-Identifier: GPL-2.0-or-later
"""The bench that measures how often `compare` recognizes a slower server."""

from __future__ import annotations

from statistics import median

import pytest

from bench.compare_power import flagged, power, slower
from polltrace.scenarios.plan.cell import Cell

from .made_runs import made_run

RUNS = [
    made_run({Cell(break_mode="in-band", skip=3): {"cpu_ms": 30.0, "waited_ms": 3.0}}, seed=seed)
    for seed in (1, 2, 3)
]


def test_a_slower_server_takes_more_cpu_time_and_waits_no_longer() -> None:
    worse = slower(RUNS[0], 0.1)
    for old, new in zip(RUNS[0].of("sample"), worse.of("sample"), strict=True):
        assert new["cpu_s"] == pytest.approx(1.1 * old["cpu_s"])
        assert new["elapsed_s"] - new["cpu_s"] == pytest.approx(old["elapsed_s"] - old["cpu_s"])
    assert worse.of("counted") == RUNS[0].of("counted")


def test_power_rises_with_growth_and_falls_with_the_margin() -> None:
    head, _, *rows = power(RUNS)
    assert head.count("margin") == 3
    found = {
        row.split("|")[1].strip(): [int(w.split()[0]) for w in row.split("|")[2:-1]] for row in rows
    }
    assert found["10 %"] == [2, 2, 2]
    assert found["nothing (A/A)"][1:] == [0, 0]
    assert sorted(found["2 %"], reverse=True) == found["2 %"]
    assert median(found["1 %"]) < 2


def test_only_times_are_flagged() -> None:
    more_polls = made_run({Cell(break_mode="in-band", skip=3): {"cpu_ms": 30.0, "polls": 9000.0}})
    some_polls = made_run({Cell(break_mode="in-band", skip=3): {"cpu_ms": 30.0, "polls": 3000.0}})
    assert not flagged(some_polls, more_polls, 0.05)
