# SPDX-License-Identifier: GPL-2.0-or-later
"""The demo's measurements, and the conclusions from them."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from polltrace.intervals import Estimate, median, paired_overhead
from polltrace.scenarios.analyse.run import CANCELLED
from polltrace.scenarios.analyse.run_file import Line
from polltrace.scenarios.plan.cell import WAIT_SLICE_S, Cell
from polltrace.scenarios.run.session import LONGEST_CANCEL_S


@dataclass(frozen=True, slots=True)
class DemoSession:
    """One session of a cell.

    - `elapsed_s`: seconds of each timed execution, with no probe attached
    - `counted_s`: seconds of its counted executions together, under the probe
    - `consistent_gets`, `break_polls`, `break_polls_lab`: of the counted executions, by the V$
      views, by the probe and by the lab
    - `lost`: events that the probe reports as lost
    - `cancel_ms`: from sending the break until the call returned
    - `cancel_error`: its error; `cancelled`: whether the call ended as a cancel does
    """

    elapsed_s: Sequence[float]
    counted_s: float
    consistent_gets: int
    break_polls: int
    break_polls_lab: int
    lost: int
    cancel_ms: float
    cancel_error: str
    cancelled: bool


@dataclass(frozen=True, slots=True)
class CellTotals:
    """The sessions of one cell together.

    - `elapsed_s`: of an execution, the median over the sessions
    - `overhead_pct`: against out-of-band, paired
    - `gets`, `polls`, `polls_lab`, `lost`: totals of the counted executions
    - `cancel_ms`: the median
    """

    elapsed_s: Estimate
    overhead_pct: Estimate
    gets: int
    polls: int
    polls_lab: int
    lost: int
    cancel_ms: float


@dataclass(frozen=True, slots=True)
class DemoResult:
    """The demo's measurements.

    - `driver`: name and version; `probe`: the variant of the probe
    - `rows`: the statement's limit; `timed`, `counted`: executions of a session
    - `sessions`: by cell, the fastest cell first; those with the same index are of the same block
    - `stack`: names of one user stack at a break poll of `polling`, outermost first
    - `polling`: the cell that polls most, `fastest`: the one that never polls
    """

    driver: str
    probe: str
    rows: int
    timed: int
    counted: int
    sessions: Mapping[Cell, Sequence[DemoSession]]
    stack: Sequence[str]
    fastest: Cell
    polling: Cell

    def totals(self, cell: Cell) -> CellTotals:
        sessions = self.sessions[cell]
        return CellTotals(
            elapsed_s=median([statistics.median(each.elapsed_s) for each in sessions]),
            overhead_pct=paired_overhead(
                [each.elapsed_s for each in self.sessions[self.fastest]],
                [each.elapsed_s for each in sessions],
            ),
            gets=sum(each.consistent_gets for each in sessions),
            polls=sum(each.break_polls for each in sessions),
            polls_lab=sum(each.break_polls_lab for each in sessions),
            lost=sum(each.lost for each in sessions),
            cancel_ms=statistics.median(each.cancel_ms for each in sessions),
        )

    @property
    def slowed_pct(self) -> Estimate:
        """How much longer an execution of `polling` takes while it is counted."""
        return median(
            [
                100 * (each.counted_s / self.counted / statistics.median(each.elapsed_s) - 1)
                for each in self.sessions[self.polling]
            ]
        )

    @property
    def longest_wait_s(self) -> float:
        """How long a cancel may take in a row-lock wait, at the last cell's skip."""
        return WAIT_SLICE_S * ([*self.sessions][-1].skip or 1)

    @property
    def counts_agree(self) -> bool:
        """Whether the probe counted exactly what the lab did, losing nothing, in every session."""
        return all(
            each.break_polls == each.break_polls_lab and not each.lost
            for sessions in self.sessions.values()
            for each in sessions
        )

    @property
    def cancels_work(self) -> bool:
        return all(each.cancelled for sessions in self.sessions.values() for each in sessions)


def demo_session(lines: Sequence[Line], cell: int, block: int) -> DemoSession:
    """One session, of the lines that a run has written."""
    ours = [each for each in lines if each.get("cell") == cell and each["block"] == block]
    samples = sorted((e for e in ours if e["kind"] == "sample"), key=lambda e: int(e["turn"]))
    counted = next(each for each in ours if each["kind"] == "counted")
    cancel = next(each for each in ours if each["kind"] == "cancel")
    statistics_ = counted["v$"]["statistics"]
    error = "lost" if cancel["lost"] else str(cancel["error"])
    return DemoSession(
        elapsed_s=[each["elapsed_s"] for each in samples],
        counted_s=counted["elapsed_s"],
        consistent_gets=int(statistics_["consistent gets"]),
        break_polls=counted["break_polls"],
        break_polls_lab=int(statistics_.get("lab break polls", 0)),
        lost=counted["lost"],
        cancel_ms=cancel.get("ms", 1e3 * LONGEST_CANCEL_S),
        cancel_error=error,
        cancelled=error in CANCELLED and cancel["usable"],
    )
