# SPDX-License-Identifier: GPL-2.0-or-later
"""Whether the layers of a path agree about its delay."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from polltrace.intervals import Estimate
from polltrace.scenarios.analyse.expectations.observation import Observation
from polltrace.scenarios.analyse.result import CellResult, RunResult
from polltrace.scenarios.run.latency.layers import SEED

TENTH = 0.1


def layers_agree(result: RunResult) -> Iterator[Observation]:
    """Every layer grows by what the path adds to a round trip, within a tenth of that."""
    by_label = {each.label: each for each in result.cells}
    for each in result.cells:
        base = by_label.get(each.base or "")
        if base is None or each.cell.path == base.cell.path:
            continue
        true_s = _delay_s(result, each) - _delay_s(result, base)
        if true_s <= 0:
            continue
        for name, layer in each.layers.items():
            if name in base.layers:
                yield _compared(f"{each.label} {name}", layer.added_to(base.layers[name]), true_s)


def added_delay(result: RunResult) -> Iterator[Observation]:
    """Of any two paths that delay, (elapsed - DB time) / round trips differs by what their round
    trips differ by, within a tenth of that."""
    delayed = [e for e in result.cells if _delay_s(result, e) and SEED in e.layers]
    for one, other in itertools.permutations(delayed, 2):
        true_s = _delay_s(result, other) - _delay_s(result, one)
        if true_s <= 0 or one.cell.client != other.cell.client or one.cell.twin or other.cell.twin:
            continue
        near, far = one.layers[SEED], other.layers[SEED]
        label = f"{1e3 * near.seconds.value:.3f} to {1e3 * far.seconds.value:.3f} ms"
        yield _compared(label, far.added_to(near), true_s)


def _compared(label: str, added_s: Estimate, true_s: float) -> Observation:
    low, high = (1 - TENTH) * true_s, (1 + TENTH) * true_s
    held: bool | None = low <= added_s.value <= high
    if not held and added_s.low <= high and added_s.high >= low:
        held = None
    words = f"+{1e3 * added_s.value:.3f} [{1e3 * added_s.low:.3f}, {1e3 * added_s.high:.3f}]"
    return Observation(held, f"{label} {words} of +{1e3 * true_s:g} ms")


def _delay_s(result: RunResult, each: CellResult) -> float:
    return result.scenario.paths[each.cell.path].round_trip_s
