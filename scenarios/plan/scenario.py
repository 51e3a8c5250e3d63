# SPDX-License-Identifier: GPL-2.0-or-later
"""A scenario: a statement, its cells, the number of executions, and the figures recorded."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from polltrace.scenarios.plan.cell import Cell
from polltrace.scenarios.plan.network_path import NetworkPath

RECORDS = ("elapsed", "polls", "statistics", "cancel", "lost client", "stacks", "latency", "load")
OF_LOADS = (
    *("client", "break_mode", "skip", "fetch_size", "sdu", "path", "sessions", "cache"),
    *("result_cache", "statement"),
)
"""The keys of the matrix that a load can have."""
ONLY_OF_LOADS = frozenset({"cache", "result_cache", "statement"})
"""Those that nothing else has."""
ONE_PROCESSOR, ALL_PROCESSORS = LAB_PROCESSORS = ("one", "all")
"""Of a load on the lab: the lab has one processor, and its clients have the others; or lab and
clients have all of them, for work that the servers do while no client does any."""
CHECKS = (
    "in-band slower",
    "gap closes",
    "polls by skip",
    "views equal",
    "losing path",
    "cancel at once",
    "cancel by skip",
    "cancel in waits",
    "path delay",
    "fewer trips",
    "more data",
    "layers agree",
    "added delay",
    "same plan",
    "checks by interval",
    "found by interval",
    "never found",
    "cache pays",
    "cache hides path",
    "gets of finds",
    "gets of results",
    "misses add up",
    "link messages",
    "link packets",
    "link published",
    "link delay",
    "remote polls",
)
"""The checks that an expectation can name; analyse/expectations has a function for each."""


@dataclass(frozen=True, slots=True)
class Expected:
    """An expected result of a run: a sentence, `text`, and the name of its `check`, one of CHECKS.

    An empty `check` leaves the judgement to the reader. Where it is `required`, a run in which it
    does not hold has failed: it is of counts, which are the same on any host.
    """

    text: str
    check: str = ""
    required: bool = False


@dataclass(frozen=True, slots=True)
class Scenario:
    """The content of a scenario file.

    - `name`: the file's stem; `title`: one line
    - `statement`: SQL; `binds`: its fixed binds
    - `workload`: instead of a statement, the file of the load that each cell executes: a path, or
      the name of one that comes with polltrace
    - `processors`: of a load on the lab: one of LAB_PROCESSORS
    - `seconds`: where given, the bind `n` is chosen so that an execution takes about this long; of
      a load: how long it executes
    - `matrix`: by key of MATRIX, its values; the cells are their product
    - `base`: the values that make a cell the base of another
    - `paths`: network paths by name
    - `record`: the kinds of records, of RECORDS
    - `blocks`: how many times fresh sessions are opened
    - `timed`: executions of each session that are timed, with no probe attached; rounds of latency
    - `counted`: in how many of the blocks polls and views are counted as well
    - `expected`: what a run should show
    """

    name: str
    title: str
    statement: str
    binds: Mapping[str, int | float | str]
    seconds: float | None
    matrix: Mapping[str, Sequence[Any]]
    base: Mapping[str, Any]
    paths: Mapping[str, NetworkPath]
    record: tuple[str, ...]
    blocks: int
    timed: int
    counted: int
    expected: tuple[Expected, ...]
    workload: str = ""
    processors: str = ONE_PROCESSOR

    @property
    def linked(self) -> bool:
        """True if its sessions have a database link, FAR."""
        return "link_path" in self.matrix

    def cells(
        self,
        only: Mapping[str, Sequence[str]] | None = None,
        possible: Callable[[Cell], bool] = lambda _: True,
    ) -> list[Cell]:
        """The feasible cells of the matrix's product, with the A/A pair's twin last."""
        distinct: dict[Cell, None] = {}
        for values in itertools.product(*self.matrix.values()):
            cell = Cell(**dict(zip(self.matrix, values, strict=True))).feasible()
            if cell is not None and cell.chosen_by(only or {}) and possible(cell):
                distinct.setdefault(cell)
        cells = list(distinct)
        if cells:
            first = next((cell for cell in cells if self.is_base(cell)), cells[0])
            cells.append(replace(first, twin=True))
        return cells

    def is_base(self, cell: Cell) -> bool:
        return not cell.twin and all(getattr(cell, k) == v for k, v in self.base.items())

    def base_of(self, cell: Cell, cells: Sequence[Cell]) -> Cell | None:
        """The cell that a cell is compared with; None for a base.

        It has the base's values and is equal in all else. A driver that cannot send urgent data
        is compared with its own local session.
        """
        if cell.twin:
            return replace(cell, twin=False)
        for wanted_base in (self.base, {"break_mode": "local", "skip": None, "path": "direct"}):
            base = replace(
                cell, **{**wanted_base, **({"skip": None} if "break_mode" in wanted_base else {})}
            )
            if base != cell and base in cells:
                return base
            if base == cell:
                return None
        return None
