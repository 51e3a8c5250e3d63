# SPDX-License-Identifier: GPL-2.0-or-later
"""Two runs held against each other, cell by cell: pure functions of what their files hold.

The runs were not interleaved, so whatever changed the host in between would look like a change of
the server. Times are therefore taken in units of a yardstick that ran beside them on the server's
processor (host_noise.Yardstick). Counts need nothing of the kind: they are exact.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Self

from polltrace.errors import UsageError
from polltrace.intervals import Estimate, exactly
from scenarios import bootstrap
from scenarios.run_analysis import RunResult, Turns, analysed, by_cell
from scenarios.run_file import RunData
from scenarios.scenario import MATRIX, Cell, varied

CONFIDENCE = 0.95


class Verdict(StrEnum):
    REGRESSION = "regression"
    IMPROVEMENT = "improvement"
    SAME = "no difference beyond the margin"
    UNSURE = "cannot be told from noise"
    MISSING = "not in both runs"


@dataclass(frozen=True, slots=True)
class Compared:
    """One figure of one cell: new to base. `exact` figures have no noise: their interval is a
    point."""

    cell: str
    figure: str
    ratio: Estimate | None
    exact: bool
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Comparison:
    """`margin` is a share: 0.05 lets a figure grow by 5 %. `cautions` are about the runs."""

    margin: float
    confidence: float
    rows: Sequence[Compared]
    cautions: Sequence[str]

    @property
    def regressed(self) -> bool:
        return any(row.verdict is Verdict.REGRESSION for row in self.rows)


def compare(base: RunData, new: RunData, margin: float) -> Comparison:
    """Raises UsageError where the runs have no cell in common, or did different work.

    Times of different hosts are not compared, only counts. The intervals of times hold all at
    once at CONFIDENCE (Bonferroni): with thirty cells one in forty would cry wolf in most
    comparisons otherwise.
    """
    if base.header["scenario"]["statement"] != new.header["scenario"]["statement"]:
        raise UsageError("the runs are of different statements; they cannot be compared")
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
    sides = _Side.of(base), _Side.of(new)
    timed = len(common) * len(_TIMES)
    confidence = 1 - (1 - CONFIDENCE) / timed
    names = varied(common)
    rows = [
        row
        for cell in common
        for row in _cell(sides, cell, cell.label(names), margin, confidence)
        if one_host or row.exact
    ]
    rows += [
        Compared(cell.label(MATRIX), "", None, exact=False, verdict=Verdict.MISSING)
        for cell in dict.fromkeys([*base.cells, *new.cells])
        if not cell.twin and (cell in base.cells) != (cell in new.cells)
    ]
    return Comparison(margin, confidence, rows, _cautions(*sides))


_TIMES = {"elapsed": ("elapsed_s", "unhindered_s"), "server CPU": ("cpu_s",)}
"""What each is judged by. A server that waited for a processor while others had it took longer
without being slower: elapsed is held against the other run's with that time and without it, and
the interval spans both."""


@dataclass(frozen=True, slots=True)
class _Side:
    """A run, its digest, and by figure the timed executions of each cell."""

    run: RunData
    result: RunResult
    times: Mapping[str, Mapping[int, Turns]]

    @classmethod
    def of(cls, run: RunData) -> Self:
        figures = ("yardstick_s", *(field for fields in _TIMES.values() for field in fields))
        return cls(run, analysed(run), {figure: by_cell(run, figure) for figure in figures})


Sides = tuple[_Side, _Side]


def _cell(
    sides: Sides, cell: Cell, label: str, margin: float, confidence: float
) -> Iterator[Compared]:
    for figure in _TIMES:
        ratio = _time_ratio(sides, cell, figure, confidence)
        if ratio is not None:
            yield Compared(label, figure, ratio, exact=False, verdict=_judged(ratio, margin))
    counts = [_counts(side, cell) for side in sides]
    for figure in counts[0]:
        a, b = counts[0][figure], counts[1].get(figure)
        if b is None:
            continue
        if a == 0:
            # Polls where there were none are a regression however few.
            verdict = Verdict.REGRESSION if b else Verdict.SAME
            ratio_or_none = None if b else exactly(1.0)
        else:
            ratio_or_none = exactly(b / a)
            verdict = _judged(ratio_or_none, margin)
        yield Compared(label, figure, ratio_or_none, exact=True, verdict=verdict)


def _judged(ratio: Estimate, margin: float) -> Verdict:
    """Beyond the margin with its whole interval, within it with its whole interval, or neither."""
    if ratio.low > 1 + margin:
        return Verdict.REGRESSION
    if ratio.high < 1 / (1 + margin):
        return Verdict.IMPROVEMENT
    if ratio.high <= 1 + margin and ratio.low >= 1 / (1 + margin):
        return Verdict.SAME
    return Verdict.UNSURE


def _time_ratio(sides: Sides, cell: Cell, figure: str, confidence: float) -> Estimate | None:
    ratios = []
    for field in _TIMES[figure]:
        a, b = (_in_yardsticks(side, cell, field) for side in sides)
        if a and b:
            ratios.append(bootstrap.ratio(a, b, confidence))
    if not ratios:
        return None
    low, high = min(each.low for each in ratios), max(each.high for each in ratios)
    return Estimate(ratios[0].value, low, high)


def _in_yardsticks(side: _Side, cell: Cell, field: str) -> list[float]:
    """One value a block: the median over its turns of the figure by the turn's yardstick."""
    number = side.run.cells.index(cell)
    figures, yardsticks = (side.times[name].get(number, {}) for name in (field, "yardstick_s"))
    return [
        statistics.median(a / b for a, b in zip(figures[block], yardsticks[block], strict=True))
        for block in sorted(figures.keys() & yardsticks.keys())
    ]


def _counts(side: _Side, cell: Cell) -> Mapping[str, float]:
    """What an execution did, by count: the same however fast the host."""
    plain = replace(cell, twin=False)
    counted = side.result.cells[side.run.cells.index(plain)].counted
    if counted is None:
        return {}
    found = {}
    if counted.gets:
        found["consistent gets"] = counted.gets / counted.executions
        if counted.known_polls is not None:
            # At a high skip a session more or less makes one poll more or less.
            polls = counted.known_polls / counted.gets
            found["polls per get"] = polls if counted.known_polls > POLLS_THAT_COUNT else 0.0
    if counted.round_trips:
        found["round trips"] = counted.round_trips / counted.executions
    return found


POLLS_THAT_COUNT = 20


def _cautions(base_side: _Side, new_side: _Side) -> list[str]:
    base, new = base_side.run, new_side.run
    said = []
    for key in ("name", "kernel", "processors"):
        a, b = base.header["host"][key], new.header["host"][key]
        if a != b:
            said.append(f"the runs are of different hosts, {key} {a}, then {b}")
    if base.header["drivers"] != new.header["drivers"]:
        said.append(
            f"drivers: {', '.join(base.header['drivers'])}; then {', '.join(new.header['drivers'])}"
        )
    for name in base.paths.keys() & new.paths.keys():
        if base.paths[name] != new.paths[name]:
            said.append(f"path {name}: {base.paths[name]}; then {new.paths[name]}")
    for name, side in (("BASE", base_side), ("NEW", new_side)):
        said += [f"{name}: {each}" for each in side.result.warnings]
    return said
