# SPDX-License-Identifier: GPL-2.0-or-later
"""The latency of a run's cells, layer by layer, and a path's addition to each."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from polltrace.intervals import Estimate
from polltrace.scenarios.analyse import bootstrap
from polltrace.scenarios.analyse.run_file import Line
from polltrace.scenarios.run.latency.layers import LAYERS, SEED


@dataclass(frozen=True, slots=True)
class CellLayer:
    """A layer's latency in one cell: `blocks_s`, for each block, in its order, the shortest of its
    seconds per round trip. Waiting for a processor only adds to it, and on a busy host often does:
    the shortest is the path's."""

    name: str
    blocks_s: Sequence[float]

    @property
    def seconds(self) -> Estimate:
        return bootstrap.median(self.blocks_s)

    def added_to(self, base: CellLayer) -> Estimate:
        """Seconds more than `base`, block by block."""
        pairs = zip(self.blocks_s, base.blocks_s, strict=True)
        return bootstrap.median([ours - theirs for ours, theirs in pairs])


def cell_layers(lines: Sequence[Line]) -> Mapping[str, CellLayer]:
    """The layers of a cell by name, in the order of LAYERS, from its `latency` lines."""
    by_layer: dict[str, dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    for line in lines:
        for name, seconds, trips, _ in line["samples"]:
            per_trip = seconds if name == SEED else seconds / trips
            by_layer[name][line["block"]].append(per_trip)
    return {
        name: CellLayer(name, [min(seconds) for _, seconds in sorted(by_layer[name].items())])
        for name in LAYERS
        if name in by_layer
    }
