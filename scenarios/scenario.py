# SPDX-License-Identifier: GPL-2.0-or-later
"""A scenario: a statement, the cells it is executed in, how often, and what is recorded."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, Self

from scenarios.relay import NetworkPath

BREAK_MODES = ("out-of-band", "in-band", "local")
RECORDS = ("elapsed", "polls", "statistics", "cancel", "stacks")
BUSY = ("executing", "waiting", "sending")

# Drivers that never send urgent data, whatever they are told.
NEVER_OUT_OF_BAND = frozenset({"node-oracledb"})
# Drivers that take no SDU: they ask for the largest.
NO_SDU = frozenset({"go-ora"})
# Drivers that never ask at connect whether the path carries urgent data.
NEVER_CHECKS = frozenset({"go-ora"})
# Drivers whose cancel does nothing while no call is under way: between two fetches of a result.
CANCELS_CALLS_ONLY = frozenset({"ojdbc11"})

DEFAULT_SKIP = 3
WAIT_SLICE_S = 3
"""While a server waits for a lock it looks for a break once in so many seconds (the article)."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One way to run the statement. 0 leaves fetch_size (rows) or sdu (bytes) to the driver.

    `skip` is None where nothing polls, or where the server's own is left as it is. `busy` is what
    a cancelled session is doing. `twin` marks the second of the A/A pair, alike in all else.
    """

    client: str = "python-oracledb"
    break_mode: str = "out-of-band"
    skip: int | None = None
    fetch_size: int = 0
    sdu: int = 0
    path: str = "direct"
    path_check: bool = True
    busy: str = "executing"
    twin: bool = False

    def label(self, varied: Sequence[str]) -> str:
        """Words for what varies in this run."""
        words = [_word(name, getattr(self, name)) for name in varied]
        return " ".join(filter(None, [*words, "(A/A)" if self.twin else ""]))

    def data(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> Self:
        return cls(**data)


def _word(name: str, value: Any) -> str:
    match name, value:
        case ("skip", None):
            return ""
        case ("skip", skip):
            return f"skip {skip}"
        case ("fetch_size", rows):
            return f"{rows or 'default'} rows/fetch"
        case ("sdu", size):
            return f"SDU {size}"
        case ("path_check", checked):
            return "checked" if checked else "unchecked"
    return str(value)


MATRIX = tuple(each.name for each in fields(Cell) if each.name != "twin")


@dataclass(frozen=True, slots=True)
class Expected:
    """What a run should show; `check` names who can tell (expectations/), empty: the reader."""

    text: str
    check: str = ""


@dataclass(frozen=True, slots=True)
class Scenario:
    """What a scenario file says. `binds` are fixed; where `seconds` is given the bind `n` is
    chosen so that an execution takes about that long here. `timed` executions of a session are
    timed, in each of `blocks`; in the first `counted` blocks its polls are counted as well.
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

    def cells(
        self,
        only: Mapping[str, Sequence[str]] | None = None,
        possible: Callable[[Cell], bool] = lambda _: True,
    ) -> list[Cell]:
        """The matrix, multiplied out, less what cannot be, with the A/A pair's twin last."""
        found: dict[Cell, None] = {}
        for values in itertools.product(*self.matrix.values()):
            cell = _possible(Cell(**dict(zip(self.matrix, values, strict=True))))
            if cell is not None and _chosen(cell, only or {}) and possible(cell):
                found.setdefault(cell)
        cells = list(found)
        if cells:
            first = next((cell for cell in cells if self.is_base(cell)), cells[0])
            cells.append(replace(first, twin=True))
        return cells

    def is_base(self, cell: Cell) -> bool:
        return not cell.twin and all(getattr(cell, k) == v for k, v in self.base.items())

    def base_of(self, cell: Cell, cells: Sequence[Cell]) -> Cell | None:
        """What a cell is compared with: alike but for what the base says; None for a base.

        A driver that cannot send urgent data is compared with its own local session.
        """
        if cell.twin:
            return replace(cell, twin=False)
        for wanted in (self.base, {"break_mode": "local", "skip": None, "path": "direct"}):
            base = replace(cell, **{**wanted, **({"skip": None} if "break_mode" in wanted else {})})
            if base != cell and base in cells:
                return base
            if base == cell:
                return None
        return None


def varied(cells: Sequence[Cell]) -> list[str]:
    """What differs between cells, in the matrix's order; at least the client."""
    names = [name for name in MATRIX if len({getattr(cell, name) for cell in cells}) > 1]
    return names or ["client"]


def _possible(cell: Cell) -> Cell | None:
    """The cell, less what makes no difference in it; None where it cannot be."""
    if cell.break_mode != "in-band":
        cell = replace(cell, skip=None)
    # It looks once in 3 s times the skip: with more than 1 a run would last for hours.
    if cell.busy == "waiting" and cell.skip not in (None, 1):
        return None
    if cell.break_mode == "out-of-band" and cell.client in NEVER_OUT_OF_BAND:
        return None
    if cell.break_mode == "local" and cell.path != "direct":
        return None
    if cell.sdu and cell.client in NO_SDU:
        return None
    return cell


def _chosen(cell: Cell, only: Mapping[str, Sequence[str]]) -> bool:
    """Cells that a restriction does not speak of are kept: those without a skip, say."""
    return all(
        value is None or _text(value) in wanted
        for name, wanted in only.items()
        for value in [getattr(cell, name)]
    )


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
