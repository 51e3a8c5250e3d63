# SPDX-License-Identifier: GPL-2.0-or-later
"""Check that the layers of a path agree about its delay."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from polltrace.intervals import Estimate
from polltrace.scenarios.analyse.expectations.observation import Observation
from polltrace.scenarios.analyse.result import CellResult, RunResult
from polltrace.scenarios.run.latency.layers import SEED

TENTH = 0.1


def layers_agree(result: RunResult) -> Iterator[Observation]:
    """Every layer grows by the path's addition to a round trip, within a tenth of that."""
    by_label = {cell_result.label: cell_result for cell_result in result.cells}
    for cell_result in result.cells:
        base = by_label.get(cell_result.base or "")
        if base is None or cell_result.cell.path == base.cell.path:
            continue
        true_s = _delay_s(result, cell_result) - _delay_s(result, base)
        if true_s <= 0:
            continue
        for name, layer in cell_result.layers.items():
            if name in base.layers:
                yield _compared(
                    f"{cell_result.label} {name}", layer.added_to(base.layers[name]), true_s
                )


def added_delay(result: RunResult) -> Iterator[Observation]:
    """Between any two paths that delay, (elapsed - DB time) / round trips differs as much as
    their round trips, within a tenth of that."""
    delayed = [e for e in result.cells if _delay_s(result, e) and SEED in e.layers]
    for first, second in itertools.permutations(delayed, 2):
        true_s = _delay_s(result, second) - _delay_s(result, first)
        if (
            true_s <= 0
            or first.cell.client != second.cell.client
            or first.cell.twin
            or second.cell.twin
        ):
            continue
        near, far = first.layers[SEED], second.layers[SEED]
        label = f"{1e3 * near.seconds.value:.3f} to {1e3 * far.seconds.value:.3f} ms"
        yield _compared(label, far.added_to(near), true_s)


def _compared(label: str, added_s: Estimate, true_s: float) -> Observation:
    low, high = (1 - TENTH) * true_s, (1 + TENTH) * true_s
    fulfilled: bool | None = low <= added_s.value <= high
    if not fulfilled and added_s.low <= high and added_s.high >= low:
        fulfilled = None
    words = f"+{1e3 * added_s.value:.3f} [{1e3 * added_s.low:.3f}, {1e3 * added_s.high:.3f}]"
    return Observation(fulfilled, f"{label} {words} of +{1e3 * true_s:g} ms")


def _delay_s(result: RunResult, cell_result: CellResult) -> float:
    return result.scenario.paths[cell_result.cell.path].round_trip_s
