# SPDX-License-Identifier: GPL-2.0-or-later
"""A plan to run: a scenario, the cells of it that this host can have, and where to start."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from polltrace.scenarios.plan.cell import Cell
from polltrace.scenarios.plan.scenario import Scenario


@dataclass(frozen=True, slots=True)
class Plan:
    """The cells to run, and how.

    - `scenario`, and those `cells` of it that this host can run
    - `seed`: of the random order
    - `first_block`: the number of the first block; `finished_blocks`: how many whole blocks the
      file has
    - `resumes`: whether the file exists
    - `count_polls`: whether a probe can be attached
    - `budget_s`: the time that the blocks may take; None: as long as they need
    """

    scenario: Scenario
    cells: Sequence[Cell]
    seed: int
    first_block: int
    finished_blocks: int
    resumes: bool
    count_polls: bool
    budget_s: float | None = None

    @property
    def steps(self) -> int:
        """The number of steps that the run reports to its progress."""
        scenario = self.scenario
        blocks = scenario.blocks - self.finished_blocks
        steps_per_cell = 1 + (scenario.timed if "elapsed" in scenario.record else 0)
        steps_per_cell += len({"cancel", "lost client"} & set(scenario.record))
        steps_per_cell += scenario.timed if "latency" in scenario.record else 0
        if scenario.workload:
            return len(self.cells) * blocks
        counted = max(min(scenario.counted - self.finished_blocks, blocks), 0)
        counts = counted if {"polls", "statistics"} & set(scenario.record) else 0
        stacks = "stacks" in scenario.record and not self.finished_blocks and self.count_polls
        return len(self.cells) * (blocks * steps_per_cell + counts + stacks)
