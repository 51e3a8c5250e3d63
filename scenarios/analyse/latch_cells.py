# SPDX-License-Identifier: GPL-2.0-or-later
"""Figures of the server result cache's latch under a cell's readers, and the fastest cell."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from polltrace.intervals import FEWEST_VALUES, Estimate, proportion
from polltrace.scenarios.analyse import bootstrap
from polltrace.scenarios.analyse.load_cells import CellLoad
from polltrace.scenarios.analyse.result import CellResult
from polltrace.scenarios.analyse.run_file import Line


@dataclass(frozen=True, slots=True)
class LatchFigures:
    """The latch figures of a cell. Intervals are of the median over the blocks, except that of
    `spun_pct`, which is of all samples. None: there were no gets, or it was not measured.

    - `misses`: of 10,000 gets
    - `sleeps_per_s`: of all sessions together
    - `waited_pct`: the share of the sessions' time in waits for the latch, spinning included, as
      V$LATCH times them
    - `spun_pct`: the share of samples on CPU in the function that spins
    - `slept_pct`: the share of the sessions' time off CPU, asleep for the latch
    """

    misses: Estimate | None
    sleeps_per_s: Estimate
    waited_pct: Estimate
    spun_pct: Estimate | None
    slept_pct: Estimate | None


def latch_figures(cell_result: CellResult) -> LatchFigures | None:
    """The figures of a cell; None if its loads watched no latch."""
    if cell_result.load is None or not cell_result.load.latch:
        return None
    lines = cell_result.load.lines
    sessions = cell_result.cell.sessions

    def median(lines: Sequence[Line], value: Callable[[Line], float]) -> Estimate | None:
        return bootstrap.median([value(line) for line in lines]) if lines else None

    measured = [line["latch_time"] for line in lines if line.get("latch_time")]
    samples = sum(line["samples"] for line in measured)
    lines_with_gets = [line for line in lines if line["latch"]["gets"]]
    return LatchFigures(
        misses=median(
            lines_with_gets, lambda line: 1e4 * line["latch"]["misses"] / line["latch"]["gets"]
        ),
        sleeps_per_s=bootstrap.median(
            [line["latch"]["sleeps"] / line["elapsed_s"] for line in lines]
        ),
        waited_pct=bootstrap.median(
            [1e-4 * line["latch"]["wait_us"] / line["elapsed_s"] / sessions for line in lines]
        ),
        spun_pct=proportion(sum(line["spun"] for line in measured), samples) if samples else None,
        slept_pct=median(
            [line for line in measured if line["thread_ns"]],
            lambda line: 100 * line["slept_ns"] / line["thread_ns"],
        ),
    )


def times_of_fewest(cell_result: CellResult, cells: Sequence[CellResult]) -> Estimate | None:
    """The rate as a multiple of the same cell's with the fewest sessions; None for that cell."""
    same_cells = [
        c for c in cells if replace(c.cell, sessions=cell_result.cell.sessions) == cell_result.cell
    ]
    fewest = min(same_cells, key=lambda c: c.cell.sessions)
    if fewest is cell_result or cell_result.load is None or fewest.load is None:
        return None
    return cell_result.load.times(fewest.load)


@dataclass(frozen=True, slots=True)
class Winner:
    """A group of `cells` that differ in their use of the result cache alone, fastest first: by how
    much per cent the first is ahead of each of the others, block by block."""

    cells: Sequence[CellResult]
    ahead_pct: Sequence[Estimate]

    @property
    def certain(self) -> bool:
        """True if the first is ahead of all others, beyond the noise."""
        blocks = len(_load(self.cells[0]).later_per_s)
        return blocks >= FEWEST_VALUES and all(estimate.low > 0 for estimate in self.ahead_pct)


def winners(cells: Sequence[CellResult]) -> Iterator[Winner]:
    """Yield a Winner for each group of cells that differ in `result_cache` alone."""
    groups: dict[object, list[CellResult]] = {}
    for cell_result in cells:
        rate = cell_result.load and cell_result.load.per_s.value
        if rate and cell_result.cell.result_cache and not cell_result.cell.twin:
            groups.setdefault(replace(cell_result.cell, result_cache=""), []).append(cell_result)
    for group in groups.values():
        if len(group) > 1:
            first, *slower = sorted(group, key=lambda cell_result: -_load(cell_result).per_s.value)
            ahead = [_ahead_pct(first, cell_result) for cell_result in slower]
            yield Winner([first, *slower], ahead)


def _ahead_pct(first: CellResult, slower: CellResult) -> Estimate:
    times = _load(first).times(_load(slower))
    if times is None:  # one of its loads did nothing
        return Estimate(float("inf"), float("-inf"), float("inf"))
    return Estimate(*(100 * (factor - 1) for factor in (times.value, times.low, times.high)))


def _load(cell_result: CellResult) -> CellLoad:
    assert cell_result.load is not None
    return cell_result.load
