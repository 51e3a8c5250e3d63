# SPDX-License-Identifier: GPL-2.0-or-later
"""How the latch of the server's result cache bore the readers of a cell, and which cell wins."""

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
    """Of one cell. Intervals are of the median over the blocks, except that of `spun_pct`, which is
    of all samples. None: there were no gets, or it was not measured.

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


def latch_figures(each: CellResult) -> LatchFigures | None:
    """None where its loads watched no latch."""
    if each.load is None or not each.load.latch:
        return None
    lines = each.load.lines
    sessions = each.cell.sessions

    def median(lines: Sequence[Line], value: Callable[[Line], float]) -> Estimate | None:
        return bootstrap.median([value(line) for line in lines]) if lines else None

    measured = [line["latch_time"] for line in lines if line.get("latch_time")]
    samples = sum(line["samples"] for line in measured)
    got = [line for line in lines if line["latch"]["gets"]]
    return LatchFigures(
        misses=median(got, lambda line: 1e4 * line["latch"]["misses"] / line["latch"]["gets"]),
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


def times_of_fewest(each: CellResult, cells: Sequence[CellResult]) -> Estimate | None:
    """How many times the rate of the same cell with the fewest sessions; None for that one."""
    same = [c for c in cells if replace(c.cell, sessions=each.cell.sessions) == each.cell]
    fewest = min(same, key=lambda c: c.cell.sessions)
    if fewest is each or each.load is None or fewest.load is None:
        return None
    return each.load.times(fewest.load)


@dataclass(frozen=True, slots=True)
class Winner:
    """Of `cells` that differ in the use of the result cache alone, the fastest first: by how much
    per cent the first is ahead of each of the others, block by block."""

    cells: Sequence[CellResult]
    ahead_pct: Sequence[Estimate]

    @property
    def certain(self) -> bool:
        """Whether the first is ahead of all others, beyond what is noise."""
        blocks = len(_load(self.cells[0]).later_per_s)
        return blocks >= FEWEST_VALUES and all(each.low > 0 for each in self.ahead_pct)


def winners(cells: Sequence[CellResult]) -> Iterator[Winner]:
    """One for each group of cells that differ in `result_cache` alone."""
    groups: dict[object, list[CellResult]] = {}
    for each in cells:
        rate = each.load and each.load.per_s.value
        if rate and each.cell.result_cache and not each.cell.twin:
            groups.setdefault(replace(each.cell, result_cache=""), []).append(each)
    for group in groups.values():
        if len(group) > 1:
            first, *others = sorted(group, key=lambda each: -_load(each).per_s.value)
            ahead = [_ahead_pct(first, each) for each in others]
            yield Winner([first, *others], ahead)


def _ahead_pct(first: CellResult, other: CellResult) -> Estimate:
    times = _load(first).times(_load(other))
    if times is None:  # one of its loads did nothing
        return Estimate(float("inf"), float("-inf"), float("inf"))
    return Estimate(*(100 * (each - 1) for each in (times.value, times.low, times.high)))


def _load(each: CellResult) -> CellLoad:
    assert each.load is not None
    return each.load
