# SPDX-License-Identifier: GPL-2.0-or-later
"""The results of a run and of its cells."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from polltrace.intervals import Estimate, proportion
from polltrace.scenarios.analyse.counted import CountedTotals
from polltrace.scenarios.analyse.latency_cells import CellLayer
from polltrace.scenarios.analyse.load_cells import CellLoad
from polltrace.scenarios.analyse.run_file import Line, RunData
from polltrace.scenarios.plan.cell import Cell
from polltrace.scenarios.plan.scenario import Scenario


@dataclass(frozen=True, slots=True)
class CellResult:
    """The result of a run for one cell. None: not recorded, or no base.

    - `cell`, and its `label`: the values that differ between the cells of this run
    - `base`: the label of the cell that it is compared with
    - `elapsed_s`, `cpu_s`: seconds of one execution, the median over the blocks: as the client saw
      them, and of CPU time in the server
    - `over_base_pct`, `cpu_over_base_pct`: the same against the base, in per cent, paired by turn
    - `counted`: totals of the executions that were counted
    - `cancels_ms`: from sending the break until the call returned, one for each cancel that worked
    - `cancels_lost`: how many cancels had no effect
    - `cancels_wrong`: how many ended with another error, or left the session unusable
    - `layers`: the latency of its path, by layer; empty where that was not recorded
    - `found_ms`: from the loss of a client until its server ended, one for each that was found
    - `not_found`: how many lost clients the server had not found before the run ended it
    - `load`: its loads; None where the scenario has no workload
    - `stacks`: the line of the run file with its sampled stacks, or nothing
    - `remote_cpu_s`, `remote_cpu_over_base_pct`: as `cpu_s`, of the server at the other end of the
      session's database link
    - `over_base_s`: how many seconds more than the base an execution takes
    """

    cell: Cell
    label: str
    base: str | None
    elapsed_s: Estimate | None
    cpu_s: Estimate | None
    over_base_pct: Estimate | None
    cpu_over_base_pct: Estimate | None
    counted: CountedTotals | None
    cancels_ms: Sequence[float]
    cancels_lost: int
    cancels_wrong: int
    stacks: Line
    layers: Mapping[str, CellLayer] = field(default_factory=dict)
    found_ms: Sequence[float] = ()
    not_found: int = 0
    load: CellLoad | None = None
    remote_cpu_s: Estimate | None = None
    remote_cpu_over_base_pct: Estimate | None = None
    over_base_s: Estimate | None = None

    @property
    def cancels_sent(self) -> int:
        return self.cancels_lost + len(self.cancels_ms)

    @property
    def cancel_median_ms(self) -> float | None:
        return statistics.median(self.cancels_ms) if self.cancels_ms else None

    @property
    def found_median_ms(self) -> float | None:
        return statistics.median(self.found_ms) if self.found_ms else None

    @property
    def check_pct(self) -> Estimate | None:
        """The share of samples on CPU that were in the break check; None without samples."""
        samples = self.stacks.get("samples", 0)
        return proportion(self.stacks["checks"], samples) if samples else None


@dataclass(frozen=True, slots=True)
class RunResult:
    """A run, analysed.

    - `scenario`: as it was when the run was made
    - `run`: the file's content
    - `cells`: one result for each cell of the run, in its order
    - `varied`: the keys of the matrix that differ between the cells
    - `floor_pct`: the difference of the A/A pair, which no other difference can be told from
    - `warnings`: sentences about the host and the file
    """

    scenario: Scenario
    run: RunData
    cells: Sequence[CellResult]
    varied: Sequence[str]
    floor_pct: Estimate | None
    warnings: Sequence[str]

    @property
    def clients(self) -> list[str]:
        return list(dict.fromkeys(cell_result.cell.client for cell_result in self.cells))

    @property
    def counts_agree(self) -> bool | None:
        """True if probe and server counted the same polls; None if one of them did not count."""
        counted = [
            totals for c in self.cells if c.counted for totals in (c.counted, c.counted.remote)
        ]
        agree = [totals.count_agrees for totals in counted if totals]
        verdicts = [verdict for verdict in agree if verdict is not None]
        return all(verdicts) if verdicts else None

    def within_floor(self, over: Estimate) -> bool:
        """True if a difference in per cent is no larger than that of the A/A pair."""
        floor = self.floor_pct
        return floor is not None and abs(over.value) <= max(abs(floor.low), abs(floor.high))
