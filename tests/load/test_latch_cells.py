# SPDX-License-Identifier: GPL-2.0-or-later
"""The figures of a latch's readers, and who wins, from loads made by hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from polltrace.scenarios.analyse.latch_cells import latch_figures, times_of_fewest, winners
from polltrace.scenarios.analyse.load_cells import cell_load
from polltrace.scenarios.analyse.result import CellResult
from polltrace.scenarios.plan.cell import Cell


def line(block: int, per_s: float, **more: Any) -> dict[str, Any]:
    """Two seconds of blocks of 100 queries, two gets each; one get of 100 missed."""
    gets = round(400 * per_s)
    counts = {"gets": gets, "misses": gets // 100, "sleeps": 4, "wait_us": 100_000}
    times = {
        **{"thread_ns": 2_000_000_000, "cpu_ns": 1_500_000_000, "samples": 50, "spun": 5},
        **{"sleeps": 2, "slept_ns": 20_000_000},
    }
    return {
        **{"kind": "load", "block": block, "transactions": round(2 * per_s)},
        **{"queries": round(200 * per_s), "elapsed_s": 2.0, "later_per_s": per_s},
        **{"errors": 0, "lost": 0, "latency_ms": None, "server_cpu_s": None, "client_cpu": 0.0},
        **{"cache": {}, "warnings": [], "latch": counts, "latch_time": times, **more},
    }


def cell(mode: str, rates: Sequence[float], sessions: int = 2, **more: Any) -> CellResult:
    which = Cell(result_cache=mode, sessions=sessions)
    lines = [line(block, rate, **more) for block, rate in enumerate(rates)]
    none: dict[str, Any] = dict.fromkeys(
        ("base", "elapsed_s", "cpu_s", "over_base_pct", "cpu_over_base_pct", "counted")
    )
    empty: dict[str, Any] = {"cancels_ms": [], "cancels_lost": 0, "cancels_wrong": 0, "stacks": {}}
    return CellResult(cell=which, label=mode, load=cell_load(lines), **none, **empty)


def test_the_figures_of_a_cell() -> None:
    each = cell("exclusive", [1000, 1100, 900, 1000, 1000, 1000])
    found = latch_figures(each)
    assert each.load
    assert found
    assert found.misses
    assert found.spun_pct
    assert found.slept_pct
    assert each.load.queries_per_s.value == pytest.approx(100_000)
    assert found.misses.value == pytest.approx(100)
    assert found.sleeps_per_s.value == pytest.approx(2)
    assert found.waited_pct.value == pytest.approx(2.5)  # 0.1 s of two sessions' 2 s
    assert found.slept_pct.value == pytest.approx(1)
    assert found.spun_pct.value == pytest.approx(10)  # 30 of 300 samples
    assert found.spun_pct.low < 10 < found.spun_pct.high


def test_an_unmeasured_value_is_not_zero() -> None:
    none = {"gets": 0, "misses": 0, "sleeps": 0, "wait_us": 0}
    found = latch_figures(cell("off", [1000], latch=none, latch_time={}))
    assert found
    assert found.misses is found.spun_pct is found.slept_pct is None
    assert latch_figures(cell("off", [1000], latch={})) is None


def test_the_faster_cell_is_named() -> None:
    shared, exclusive = cell("shared", [110] * 6), cell("exclusive", [100] * 6)
    off = cell("off", [55, 56, 54, 55, 55, 55])
    (found,) = winners([off, exclusive, shared])
    assert [each.label for each in found.cells] == ["shared", "exclusive", "off"]
    assert found.certain
    assert [each.value for each in found.ahead_pct] == pytest.approx([10, 100], rel=0.02)
    (close,) = winners([exclusive, cell("shared", [95, 105, 101, 102, 103, 101])])
    assert not close.certain  # one block has it the other way round, by its interval at the least
    (few,) = winners([cell("shared", [110] * 5), cell("exclusive", [100] * 5)])
    assert not few.certain
    assert list(winners([shared, cell("exclusive", [100] * 6, sessions=4)])) == []


def test_growth_is_the_ratio_to_the_cell_of_fewest_sessions() -> None:
    one, two = cell("shared", [100] * 6, sessions=1), cell("shared", [190] * 6)
    times = times_of_fewest(two, [one, two])
    assert times
    assert times.value == pytest.approx(1.9)
    assert times_of_fewest(one, [one, two]) is None
