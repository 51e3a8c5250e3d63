# SPDX-License-Identifier: GPL-2.0-or-later
"""What a client result cache makes of a load."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from polltrace.scenarios.analyse.expectations.observation import Observation
from polltrace.scenarios.analyse.result import CellResult, RunResult

FIFTH = 0.2
"""By how much two loads that wait for the client's processor alone may differ."""


def cache_pays(result: RunResult) -> Iterator[Observation]:
    """With the cache sessions do more than without, and the more the longer the path."""
    factors: list[tuple[float, float]] = []
    for each, base in _pairs(result):
        if each.load and base.load and (times := each.load.times(base.load)):
            words = f"{each.label} {times.value:.1f} times {base.label}"
            yield Observation(times.low > 1, words)
            factors.append((_delay_s(result, each), times.value))
    for (near_s, near), (far_s, far) in zip(sorted(factors), sorted(factors)[1:], strict=False):
        if far_s > near_s:
            yield Observation(
                far > near, f"{near:.1f} times at {1e3 * near_s:g} ms, {far:.1f} at {1e3 * far_s:g}"
            )


def cache_hides_path(result: RunResult) -> Iterator[Observation]:
    """With the cache a path that delays does not slow sessions down, within FIFTH."""
    cached = [each for each, _ in _pairs(result)]
    for each in cached:
        for near in cached:
            same = replace(near.cell, path=each.cell.path) == each.cell
            if same and _delay_s(result, near) < _delay_s(result, each):
                assert each.load is not None
                times = each.load.times(near.load) if near.load else None
                if times is not None:
                    held = times.value >= 1 - FIFTH
                    yield Observation(held, f"{each.label} {times.value:.2f} times {near.label}")


def _pairs(result: RunResult) -> Iterator[tuple[CellResult, CellResult]]:
    """Each cell with a cache, and the same one without."""
    by_cell = {each.cell: each for each in result.cells}
    for each in result.cells:
        base = by_cell.get(replace(each.cell, cache=False))
        if each.cell.cache and not each.cell.twin and each.load and base and base.load:
            yield each, base


def _delay_s(result: RunResult, each: CellResult) -> float:
    return result.scenario.paths[each.cell.path].round_trip_s
