# SPDX-License-Identifier: GPL-2.0-or-later
"""What a run shows, cell by cell: pure functions of what its file holds."""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from polltrace.intervals import Estimate, proportion
from scenarios import bootstrap
from scenarios.host_noise import warnings
from scenarios.relay import NetworkPath
from scenarios.run_file import Line, RunData
from scenarios.scenario import Cell, Expected, Scenario, varied

ROUND_TRIPS = "SQL*Net roundtrips to/from client"
MORE_DATA = "SQL*Net more data to client"
GETS = "consistent gets"
LAB_POLLS = "lab break polls"
CANCELLED = ("ORA-01013", "context canceled")
"""The second is go-ora's where the break comes between two fetch calls."""

Turns = Mapping[int, Sequence[float]]
"""By block: a value for each turn."""


@dataclass(frozen=True, slots=True)
class Counted:
    """Totals over the counted executions of a cell. `polls` None: no probe.

    `polls_server` is what the server counted itself (the lab does). `round_trip_s` is what a round
    trip costs outside the server, (elapsed - time in the server) / round trips, the median of the
    blocks: a client's first may have to load itself. All V$ changes are an execution's:
    statistics, events (waits, us), time model (us).
    """

    executions: int
    elapsed_s: float
    cpu_s: float | None
    gets: float
    polls: int | None
    polls_server: float | None
    lost: int
    round_trips: float
    round_trip_s: float | None
    statistics: Mapping[str, float]
    events: Mapping[str, tuple[float, float]]
    time_model: Mapping[str, float]

    @property
    def known_polls(self) -> float | None:
        """The probe's count, else the server's."""
        return self.polls if self.polls is not None else self.polls_server

    @property
    def gets_per_poll(self) -> float | None:
        return self.gets / self.known_polls if self.known_polls else None


@dataclass(frozen=True, slots=True)
class CellResult:
    """`elapsed_s` and `cpu_s`: medians over blocks, of an execution; `over_base_pct` and
    `cpu_over_base_pct`: paired with the base's, in per cent. None: not recorded, or no base."""

    cell: Cell
    label: str
    base: str | None
    elapsed_s: Estimate | None
    cpu_s: Estimate | None
    over_base_pct: Estimate | None
    cpu_over_base_pct: Estimate | None
    counted: Counted | None
    cancels_ms: Sequence[float]
    cancels_lost: int
    cancels_wrong: int
    stacks: Line

    @property
    def check_pct(self) -> Estimate | None:
        """The share of samples on CPU that were in the break check; None: none was taken."""
        samples = self.stacks.get("samples", 0)
        return proportion(self.stacks["checks"], samples) if samples else None


@dataclass(frozen=True, slots=True)
class RunResult:
    """`floor_pct` is the A/A pair's difference: what no difference can be told from."""

    scenario: Scenario
    run: RunData
    cells: Sequence[CellResult]
    varied: Sequence[str]
    floor_pct: Estimate | None
    warnings: Sequence[str]

    @property
    def counts_agree(self) -> bool | None:
        """Whether probe and server counted the same polls; None where one of them did not."""
        pairs = [
            (c.counted.polls, c.counted.polls_server, c.counted.lost)
            for c in self.cells
            if c.counted and c.counted.polls is not None and c.counted.polls_server is not None
        ]
        return all(p == s and not lost for p, s, lost in pairs) if pairs else None


def analysed(run: RunData) -> RunResult:
    """Everything there is to say about a run, whole blocks only."""
    scenario = scenario_of(run)
    names = varied(run.cells)
    samples = by_cell(run, "elapsed_s")
    cpu = by_cell(run, "cpu_s")
    results = [_cell(run, scenario, names, n, samples, cpu) for n in range(len(run.cells))]
    floor = next((each.over_base_pct for each in results if each.cell.twin), None)
    noises = [
        {k: v for k, v in each.items() if k not in ("kind", "block")} for each in run.of("noise")
    ]
    said = warnings(noises, run.header["host"]["processors"])
    if run.torn:
        said.append("the file ends in the middle of a line: the run was killed; --resume goes on")
    return RunResult(scenario, run, results, names, floor, said)


def scenario_of(run: RunData) -> Scenario:
    data: dict[str, Any] = dict(run.header["scenario"])
    data["paths"] = {name: NetworkPath(**path) for name, path in data["paths"].items()}
    data["record"] = tuple(data["record"])
    # Runs of earlier releases have the sentences alone.
    data["expected"] = tuple(
        Expected(**each) if isinstance(each, dict) else Expected(each) for each in data["expected"]
    )
    return Scenario(**data)


def by_cell(run: RunData, figure: str) -> dict[int, Turns]:
    """A figure of the timed executions: by cell's number, then block, in the order of turns.

    `unhindered_s` is elapsed_s less the server's waiting for a processor.
    """
    found: dict[int, dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    for line in sorted(run.of("sample"), key=lambda each: each["turn"]):
        value = _unhindered_s(line) if figure == "unhindered_s" else line.get(figure)
        if value is not None:
            found[line["cell"]][line["block"]].append(value)
    return {cell: dict(blocks) for cell, blocks in found.items()}


def _unhindered_s(line: Line) -> float | None:
    waited_s = line.get("waited_s")
    return None if waited_s is None else line["elapsed_s"] - waited_s


def paired_pct(base: Turns, other: Turns) -> Estimate | None:
    """How much more `other` is, in per cent: turns side by side, one value a block."""
    blocks = [
        statistics.median(100 * (b / a - 1) for a, b in zip(base[n], other[n], strict=True))
        for n in sorted(base.keys() & other.keys())
        if len(base[n]) == len(other[n])
    ]
    return bootstrap.median(blocks) if blocks else None


def of_blocks(turns: Turns) -> list[float]:
    return [statistics.median(values) for _, values in sorted(turns.items())]


def _cell(  # noqa: PLR0913, PLR0917
    run: RunData,
    scenario: Scenario,
    names: Sequence[str],
    number: int,
    elapsed: Mapping[int, Turns],
    cpu: Mapping[int, Turns],
) -> CellResult:
    cell = run.cells[number]
    base = scenario.base_of(cell, run.cells)
    base_number = run.cells.index(base) if base is not None else None

    def over_base(turns: Mapping[int, Turns]) -> Estimate | None:
        if base_number is None or number not in turns or base_number not in turns:
            return None
        return paired_pct(turns[base_number], turns[number])

    cancels = [line for line in run.of("cancel") if line["cell"] == number]
    ended = [line for line in cancels if not line["lost"]]
    return CellResult(
        cell=cell,
        label=cell.label(names),
        base=base.label(names) if base else None,
        elapsed_s=bootstrap.median(of_blocks(elapsed[number])) if number in elapsed else None,
        cpu_s=bootstrap.median(of_blocks(cpu[number])) if number in cpu else None,
        over_base_pct=over_base(elapsed),
        cpu_over_base_pct=over_base(cpu),
        counted=_counted(
            [line for line in run.of("counted") if line["cell"] == number],
            counts_polls=run.header["counts_polls"],
        ),
        cancels_ms=[line["ms"] for line in ended],
        cancels_lost=len(cancels) - len(ended),
        cancels_wrong=sum(line["error"] not in CANCELLED or not line["usable"] for line in ended),
        stacks=next((x for x in run.of("stacks") if x["cell"] == number), {}),
    )


def _counted(lines: Sequence[Line], *, counts_polls: bool) -> Counted | None:
    if not lines:
        return None
    executions = sum(line["executions"] for line in lines)

    def total(values: Callable[[Line], Mapping[str, float]], name: str) -> float:
        return float(sum(values(line).get(name, 0) for line in lines))

    def statistic(line: Line) -> Mapping[str, float]:
        found: Mapping[str, float] = line["v$"]["statistics"]
        return found

    def time_model(line: Line) -> Mapping[str, float]:
        found: Mapping[str, float] = line["v$"]["time_model"]
        return found

    def event(line: Line, name: str) -> tuple[float, float]:
        waits, us = line["v$"]["events"].get(name, (0, 0))
        return waits, us

    events = {name for line in lines for name in line["v$"]["events"]}
    names = {name for line in lines for name in statistic(line)}
    models = {name for line in lines for name in time_model(line)}
    cpu = [line["cpu_s"] for line in lines]
    cpu_s = sum(cpu) if None not in cpu else None
    outside = [each for each in map(_round_trip_s, lines) if each is not None]
    counted = all("break_polls" in line for line in lines)
    return Counted(
        executions=executions,
        elapsed_s=sum(line["elapsed_s"] for line in lines),
        cpu_s=cpu_s,
        gets=total(statistic, GETS),
        polls=sum(line["break_polls"] for line in lines) if counted else None,
        polls_server=total(statistic, LAB_POLLS) if counts_polls else None,
        lost=sum(line.get("lost", 0) for line in lines),
        round_trips=total(statistic, ROUND_TRIPS),
        round_trip_s=statistics.median(outside) if outside else None,
        statistics={name: total(statistic, name) / executions for name in sorted(names)},
        events={
            name: (
                sum(event(line, name)[0] for line in lines) / executions,
                sum(event(line, name)[1] for line in lines) / executions,
            )
            for name in sorted(events)
        },
        time_model={name: total(time_model, name) / executions for name in sorted(models)},
    )


def _round_trip_s(line: Line) -> float | None:
    trips = line["v$"]["statistics"].get(ROUND_TRIPS, 0)
    db_us = line["v$"]["time_model"].get("DB time", 0)
    server_s = db_us / 1e6 if db_us else line["cpu_s"]
    return None if server_s is None or not trips else (line["elapsed_s"] - server_s) / trips
