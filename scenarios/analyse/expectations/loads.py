# SPDX-License-Identifier: GPL-2.0-or-later
"""Checks of a client result cache's effect on a load."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from polltrace.scenarios.analyse.expectations.observation import Observation
from polltrace.scenarios.analyse.result import CellResult, RunResult

FIFTH = 0.2
"""By how much two loads that wait for the client's processor alone may differ."""


def cache_pays(result: RunResult) -> Iterator[Observation]:
    """Sessions with the cache do more than without, and the more the longer the path."""
    factors: list[tuple[float, float]] = []
    for cell_result, base in _pairs(result):
        if cell_result.load and base.load and (times := cell_result.load.times(base.load)):
            words = f"{cell_result.label} {times.value:.1f} times {base.label}"
            yield Observation(times.low > 1, words)
            factors.append((_delay_s(result, cell_result), times.value))
    for (near_s, near), (far_s, far) in zip(sorted(factors), sorted(factors)[1:], strict=False):
        if far_s > near_s:
            yield Observation(
                far > near, f"{near:.1f} times at {1e3 * near_s:g} ms, {far:.1f} at {1e3 * far_s:g}"
            )


def cache_hides_path(result: RunResult) -> Iterator[Observation]:
    """A path that delays does not slow down sessions with the cache, within FIFTH."""
    cached = [cell_result for cell_result, _ in _pairs(result)]
    for cell_result in cached:
        for near in cached:
            same_but_path = replace(near.cell, path=cell_result.cell.path) == cell_result.cell
            if same_but_path and _delay_s(result, near) < _delay_s(result, cell_result):
                assert cell_result.load is not None
                times = cell_result.load.times(near.load) if near.load else None
                if times is not None:
                    fulfilled = times.value >= 1 - FIFTH
                    yield Observation(
                        fulfilled, f"{cell_result.label} {times.value:.2f} times {near.label}"
                    )


def _pairs(result: RunResult) -> Iterator[tuple[CellResult, CellResult]]:
    """Each cell with a cache, and the same one without."""
    by_cell = {cell_result.cell: cell_result for cell_result in result.cells}
    for cell_result in result.cells:
        base = by_cell.get(replace(cell_result.cell, cache=False))
        if (
            cell_result.cell.cache
            and not cell_result.cell.twin
            and cell_result.load
            and base
            and base.load
        ):
            yield cell_result, base


def _delay_s(result: RunResult, cell_result: CellResult) -> float:
    return result.scenario.paths[cell_result.cell.path].round_trip_s
