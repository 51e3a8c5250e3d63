# SPDX-License-Identifier: GPL-2.0-or-later
"""Two runs compared, cell by cell: pure functions of their files' content.

The runs were not interleaved, so a change of the host in between would pass for a change of the
server. Times are therefore compared in units of a yardstick that ran between them on the server's
processor (host_noise.Yardstick). Counts are exact and need no yardstick, a path's latency has none.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Self

from polltrace.errors import UsageError
from polltrace.intervals import FEWEST_VALUES, Estimate, exactly
from polltrace.scenarios.analyse import bootstrap
from polltrace.scenarios.analyse.latency_cells import CellLayer
from polltrace.scenarios.analyse.result import RunResult
from polltrace.scenarios.analyse.run import Turns, analysed, by_cell
from polltrace.scenarios.analyse.run_file import RunData
from polltrace.scenarios.plan.cell import MATRIX, Cell, varied

CONFIDENCE = 0.95


class ComparisonOutcome(StrEnum):
    REGRESSION = "regression"
    IMPROVEMENT = "improvement"
    SAME = "no difference beyond the margin"
    UNSURE = "cannot be told from noise"
    TOO_FEW = f"no verdict: fewer than {FEWEST_VALUES} blocks"
    MISSING = "not in both runs"


@dataclass(frozen=True, slots=True)
class Compared:
    """A figure of a cell.

    - `cell`: its label; `figure`: "elapsed", "server CPU", "polls per get", ...
    - `ratio`: new to base; None where the base has none of it, or a run lacks the cell
    - `exact`: a count, whose interval is a point
    - `outcome`: the judgement
    """

    cell: str
    figure: str
    ratio: Estimate | None
    exact: bool
    outcome: ComparisonOutcome


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two runs, compared.

    - `margin`: the share by which a figure may grow: 0.05 is 5 %
    - `confidence`: of each interval, so that all hold at once at CONFIDENCE
    - `rows`: one for each figure of each cell
    - `cautions`: sentences about differences between the runs and about their hosts
    - `yardstick`: whether times are in units of one
    """

    margin: float
    confidence: float
    rows: Sequence[Compared]
    cautions: Sequence[str]
    yardstick: bool = True

    @property
    def regressed(self) -> bool:
        return any(row.outcome is ComparisonOutcome.REGRESSION for row in self.rows)


def compare(base: RunData, new: RunData, margin: float) -> Comparison:
    """Raises UsageError where the runs have no cell in common, or did different work.

    Times of different hosts are not compared, only counts. The intervals of times all hold at once
    at CONFIDENCE (Bonferroni): without that, most comparisons of thirty cells would raise a false
    alarm. They are those of the runs' blocks. Two equal runs differ by more, on some hosts by
    2 % (`make compare-power`), and the margin covers that.
    """
    if base.header["scenario"]["statement"] != new.header["scenario"]["statement"]:
        raise UsageError("the runs are of different statements; they cannot be compared")
    if _statements(base) != _statements(new):
        raise UsageError("the runs' loads execute different statements; they cannot be compared")
    if base.header["work"]["binds"] != new.header["work"]["binds"]:
        raise UsageError(
            f"the runs' binds differ ({base.header['work']['binds']}, then "
            f"{new.header['work']['binds']}), so they did different work: "
            "make the second by 'polltrace run --like BASE'"
        )
    one_host = all(
        base.header["host"][key] == new.header["host"][key] for key in ("name", "processors")
    )
    common = [cell for cell in base.cells if cell in new.cells and not cell.twin]
    if not common:
        raise UsageError("the runs have no cell in common")
    sides = _ComparedRun.of(base), _ComparedRun.of(new)
    blocks = min(len(base.blocks), len(new.blocks))
    per_cell = len(_TIMES) + 1
    timed = sum(per_cell + len(_layers_of(sides[0], cell)) for cell in common)
    confidence = 1 - (1 - CONFIDENCE) / timed
    names = varied(common)
    rows = [
        row
        for cell in common
        for row in _cell(sides, cell, cell.label(names), margin, confidence, blocks)
        if one_host or row.exact
    ]
    rows += [
        Compared(cell.label(MATRIX), "", None, exact=False, outcome=ComparisonOutcome.MISSING)
        for cell in dict.fromkeys([*base.cells, *new.cells])
        if not cell.twin and (cell in base.cells) != (cell in new.cells)
    ]
    return Comparison(margin, confidence, rows, _cautions(*sides))


def _statements(run: RunData) -> Sequence[tuple[object, ...]]:
    """The statements of the run's loads; empty for a run of a single statement."""
    workload = run.header.get("workload") or {"statements": ()}
    return [
        (statement["sql"], statement["weight"], statement["rows"])
        for statement in workload["statements"]
    ]


_TIMES = {"elapsed": ("elapsed_s", "unhindered_s"), "server CPU": ("cpu_s",)}
"""The figures of the run file that decide about each. A server that waited for a processor took
longer without being slower, so elapsed time is compared with and without that wait, and the
interval spans both."""


@dataclass(frozen=True, slots=True)
class _ComparedRun:
    """A `run`, its `result`, and by figure the `times` of each cell's executions."""

    run: RunData
    result: RunResult
    times: Mapping[str, Mapping[int, Turns]]

    @classmethod
    def of(cls, run: RunData) -> Self:
        figures = ("yardstick_s", *(field for fields in _TIMES.values() for field in fields))
        return cls(run, analysed(run), {figure: by_cell(run, figure) for figure in figures})


_RunPair = tuple[_ComparedRun, _ComparedRun]


def _cell(  # noqa: PLR0913, PLR0917
    sides: _RunPair, cell: Cell, label: str, margin: float, confidence: float, blocks: int
) -> Iterator[Compared]:
    for figure, ratio in _time_ratios(sides, cell, confidence):
        outcome = time_outcome(ratio, margin, blocks)
        yield Compared(label, figure, ratio, exact=False, outcome=outcome)
    counts = [_counts(side, cell) for side in sides]
    for figure in counts[0]:
        a, b = counts[0][figure], counts[1].get(figure)
        if b is None:
            continue
        if a == 0:
            # Polls where there were none are a regression however few.
            outcome = ComparisonOutcome.REGRESSION if b else ComparisonOutcome.SAME
            ratio_or_none = None if b else exactly(1.0)
        else:
            ratio_or_none = exactly(b / a)
            outcome = outcome_of(ratio_or_none, margin)
        yield Compared(label, figure, ratio_or_none, exact=True, outcome=outcome)


def outcome_of(ratio: Estimate, margin: float) -> ComparisonOutcome:
    """The verdict: the whole interval is beyond the margin, or within it, or neither."""
    if ratio.low > 1 + margin:
        return ComparisonOutcome.REGRESSION
    if ratio.high < 1 / (1 + margin):
        return ComparisonOutcome.IMPROVEMENT
    if ratio.high <= 1 + margin and ratio.low >= 1 / (1 + margin):
        return ComparisonOutcome.SAME
    return ComparisonOutcome.UNSURE


def time_outcome(ratio: Estimate, margin: float, values: int) -> ComparisonOutcome:
    """The verdict on a time, of which each run has this many values or more.

    With fewer than FEWEST_VALUES an interval is the range of the values, which covers the median
    less often than it claims to: of one value it is a point.
    """
    return outcome_of(ratio, margin) if values >= FEWEST_VALUES else ComparisonOutcome.TOO_FEW


def _time_ratios(sides: _RunPair, cell: Cell, confidence: float) -> Iterator[tuple[str, Estimate]]:
    for figure in _TIMES:
        if ratio := _time_ratio(sides, cell, figure, confidence):
            yield figure, ratio
    yield from _layer_ratios(sides, cell, confidence)
    if ratio := _load_ratio(sides, cell, confidence):
        yield "time per transaction", ratio


def _time_ratio(sides: _RunPair, cell: Cell, figure: str, confidence: float) -> Estimate | None:
    ratios = []
    for field in _TIMES[figure]:
        a, b = (_in_yardsticks(side, cell, field) for side in sides)
        if a and b:
            ratios.append(bootstrap.ratio(a, b, confidence))
    if not ratios:
        return None
    low, high = min(ratio.low for ratio in ratios), max(ratio.high for ratio in ratios)
    return Estimate(ratios[0].value, low, high)


def _layers_of(side: _ComparedRun, cell: Cell) -> Mapping[str, CellLayer]:
    return side.result.cells[side.run.cells.index(cell)].layers


def _layer_ratios(sides: _RunPair, cell: Cell, confidence: float) -> Iterator[tuple[str, Estimate]]:
    """The latency of each layer, as measured: most of it is no work of a processor's, so there is
    no yardstick for it. A layer that takes no longer than its error has no ratio."""
    old, new = (_layers_of(side, cell) for side in sides)
    for name in [layer for layer in old if layer in new]:
        blocks = old[name].blocks_s, new[name].blocks_s
        if min(map(min, blocks)) > 0:
            yield name, bootstrap.ratio(*blocks, confidence)


def _load_ratio(sides: _RunPair, cell: Cell, confidence: float) -> Estimate | None:
    """The ratio of two loads' rates, without a yardstick, because clients are part of the work."""
    loads = [side.result.cells[side.run.cells.index(cell)].load for side in sides]
    rates = [list(load.later_per_s) for load in loads if load and min(load.later_per_s) > 0]
    if len(rates) < len(sides):
        return None
    old, new = rates
    return bootstrap.ratio([1 / rate for rate in old], [1 / rate for rate in new], confidence)


def _in_yardsticks(side: _ComparedRun, cell: Cell, field: str) -> list[float]:
    """A value for each block: the median over its turns of figure / the turn's yardstick."""
    number = side.run.cells.index(cell)
    figures, yardsticks = (side.times[name].get(number, {}) for name in (field, "yardstick_s"))
    return [
        statistics.median(a / b for a, b in zip(figures[block], yardsticks[block], strict=True))
        for block in sorted(figures.keys() & yardsticks.keys())
    ]


def _counts(side: _ComparedRun, cell: Cell) -> Mapping[str, float]:
    """Counts for each execution, which do not depend on the speed of the host."""
    plain = replace(cell, twin=False)
    counted = side.result.cells[side.run.cells.index(plain)].counted
    if counted is None:
        return {}
    counts = {}
    if counted.gets:
        counts["consistent gets"] = counted.gets / counted.executions
        if counted.known_polls is not None:
            # At a high skip a cell has so few polls that one more or less is a regression.
            polls = counted.known_polls / counted.gets
            counts["polls per get"] = polls if counted.known_polls > POLLS_THAT_COUNT else 0.0
    if counted.round_trips:
        counts["round trips"] = counted.round_trips / counted.executions
    return counts


POLLS_THAT_COUNT = 20
"""Fewer polls than this in a cell are taken for none."""


def _cautions(base_side: _ComparedRun, new_side: _ComparedRun) -> list[str]:
    base, new = base_side.run, new_side.run
    cautions = []
    for key in ("name", "kernel", "processors"):
        a, b = base.header["host"][key], new.header["host"][key]
        if a != b:
            cautions.append(f"the runs are of different hosts, {key} {a}, then {b}")
    if base.header["drivers"] != new.header["drivers"]:
        cautions.append(
            f"drivers: {', '.join(base.header['drivers'])}; then {', '.join(new.header['drivers'])}"
        )
    for name in base.paths.keys() & new.paths.keys():
        if base.paths[name] != new.paths[name]:
            cautions.append(f"path {name}: {base.paths[name]}; then {new.paths[name]}")
    for name, side in (("BASE", base_side), ("NEW", new_side)):
        cautions += [f"{name}: {warning}" for warning in side.result.warnings]
    return cautions
