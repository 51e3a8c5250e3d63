# SPDX-License-Identifier: GPL-2.0-or-later
"""The demo's measurements, and the conclusions from them."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from polltrace.intervals import Estimate, median, paired_overhead
from polltrace.overhead.advice import Advice
from polltrace.scenarios.analyse.run import CANCELLED
from polltrace.scenarios.analyse.run_file import Line
from polltrace.scenarios.plan.cell import WAIT_SLICE_S, Cell
from polltrace.scenarios.run.session import LONGEST_CANCEL_S


@dataclass(frozen=True, slots=True)
class DemoSession:
    """A session of a cell.

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
class CheckingShare:
    """Break checking's share at `skip`, in per cent.

    - `measured_pct`: of the elapsed time, by the sessions with and without checks
    - `advised_pct`: of the CPU time, as `polltrace advise` forecasts it from a session at the
      first skip; None where it has no forecast
    """

    skip: int
    measured_pct: Estimate
    advised_pct: Estimate | None


@dataclass(frozen=True, slots=True)
class DemoResult:
    """The demo's measurements.

    - `driver`: name and version; `probe`: the variant of the probe
    - `rows`: the statement's limit; `timed`, `counted`: executions of a session
    - `sessions`: by cell, the fastest cell first; those with the same index are of the same block
    - `stack`: names of one user stack at a break poll of `polling`, outermost first
    - `advice`: of one more session of `polling`, while it executed
    - `polling`: the cell that polls most, `fastest`: the one that never polls
    """

    driver: str
    probe: str
    rows: int
    timed: int
    counted: int
    sessions: Mapping[Cell, Sequence[DemoSession]]
    stack: Sequence[str]
    advice: Advice
    fastest: Cell
    polling: Cell

    def totals(self, cell: Cell) -> CellTotals:
        sessions = self.sessions[cell]
        return CellTotals(
            elapsed_s=median([statistics.median(session.elapsed_s) for session in sessions]),
            overhead_pct=paired_overhead(
                [session.elapsed_s for session in self.sessions[self.fastest]],
                [session.elapsed_s for session in sessions],
            ),
            gets=sum(session.consistent_gets for session in sessions),
            polls=sum(session.break_polls for session in sessions),
            polls_lab=sum(session.break_polls_lab for session in sessions),
            lost=sum(session.lost for session in sessions),
            cancel_ms=statistics.median(session.cancel_ms for session in sessions),
        )

    def shares(self) -> Iterator[CheckingShare]:
        """Checking's share at every skip of the experiment, most polls first."""
        advised = {forecast.break_poll_skip: forecast.cpu_pct for forecast in self.advice.forecast}
        for cell in self.sessions:
            if cell.skip is not None:
                more = self.totals(cell).overhead_pct
                ends = (100 * end / (100 + end) for end in (more.value, more.low, more.high))
                yield CheckingShare(cell.skip, Estimate(*ends), advised.get(cell.skip))

    @property
    def slowed_pct(self) -> Estimate:
        """The time that counting adds to an execution of `polling`."""
        return median(
            [
                100 * (session.counted_s / self.counted / statistics.median(session.elapsed_s) - 1)
                for session in self.sessions[self.polling]
            ]
        )

    @property
    def longest_wait_s(self) -> float:
        """The longest that a cancel may take in a row-lock wait, at the last cell's skip."""
        return WAIT_SLICE_S * ([*self.sessions][-1].skip or 1)

    @property
    def counts_agree(self) -> bool:
        """True if the probe's count equals the lab's and nothing was lost, in every session."""
        return all(
            session.break_polls == session.break_polls_lab and not session.lost
            for sessions in self.sessions.values()
            for session in sessions
        )

    @property
    def cancels_work(self) -> bool:
        return all(session.cancelled for sessions in self.sessions.values() for session in sessions)


def demo_session(lines: Sequence[Line], cell: int, block: int) -> DemoSession:
    """A session, from the lines that a run has written."""
    ours = [line for line in lines if line.get("cell") == cell and line["block"] == block]
    samples = sorted((e for e in ours if e["kind"] == "sample"), key=lambda e: int(e["turn"]))
    counted = next(line for line in ours if line["kind"] == "counted")
    cancel = next(line for line in ours if line["kind"] == "cancel")
    statistics_ = counted["v$"]["statistics"]
    error = "lost" if cancel["lost"] else str(cancel["error"])
    return DemoSession(
        elapsed_s=[sample["elapsed_s"] for sample in samples],
        counted_s=counted["elapsed_s"],
        consistent_gets=int(statistics_["consistent gets"]),
        break_polls=counted["break_polls"],
        break_polls_lab=int(statistics_.get("lab break polls", 0)),
        lost=counted["lost"],
        cancel_ms=cancel.get("ms", 1e3 * LONGEST_CANCEL_S),
        cancel_error=error,
        cancelled=error in CANCELLED and cancel["usable"],
    )
