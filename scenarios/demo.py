# SPDX-License-Identifier: GPL-2.0-or-later
"""The demo's experiment: the article's statement, out-of-band against in-band at three skips.

A scenario run like any other (runner.py), kept in memory, with one stack at a break poll besides.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files

from polltrace.backends.ebpf import Look
from polltrace.profiles.profile import Profile
from scenarios.client import DriverClient
from scenarios.processors import processors
from scenarios.relay import NetworkPath
from scenarios.run_analysis import CANCELLED
from scenarios.run_file import Line
from scenarios.runner import Plan, Progress, Runner, calibrated, watching
from scenarios.scenario import Cell, Scenario
from scenarios.server import Lab
from scenarios.session import LONGEST_CANCEL_S, Session, Work

LOTSLIOS = files("scenarios").joinpath("lotslios.sql").read_text()

# Shared machines change speed many times a second: short executions, and many, so that those of
# two cells stand side by side. New processes in every block: where their memory happens to lie
# makes one a few per cent faster than another for as long as they live.
BLOCKS = 20
TIMED = 12
EXECUTION_SECONDS = 0.02
# One user stack in so many break polls: plenty of samples in one run, few enough not to slow it.
STACK_EVERY = 64

CLIENT = "python-oracledb"
CELLS = (
    Cell(CLIENT, "out-of-band"),
    Cell(CLIENT, "in-band", 3),
    Cell(CLIENT, "in-band", 10),
    Cell(CLIENT, "in-band", 1000),
)
FASTEST, SLOWEST = CELLS[0], CELLS[1]

SCENARIO = Scenario(
    name="demo",
    title="what break polling costs, and what making it rarer would cost in its turn",
    statement=LOTSLIOS,
    binds={},
    seconds=EXECUTION_SECONDS,
    matrix={},
    base={"break_mode": "out-of-band"},
    paths={"direct": NetworkPath()},
    record=("elapsed", "polls", "cancel"),
    blocks=BLOCKS,
    timed=TIMED,
    counted=BLOCKS,
    expected=(),
)

NameStack = Callable[[int, Profile], list[str]]


@dataclass(frozen=True, slots=True)
class Run:
    """One session of a cell: `elapsed_s` of its timed executions, totals of the counted ones, and
    how long its cancel took; `cancelled` is whether that ended as a cancel does."""

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
class Experiment:
    """What the demo measured: runs with the same index in two cells are of the same block.

    `rows` is the statement's limit, `counted` how many executions of a run were counted.
    """

    driver: str
    rows: int
    counted: int
    runs: Mapping[Cell, Sequence[Run]]
    stack: Sequence[str]
    probe: str

    @property
    def counts_agree(self) -> bool:
        """Whether the probe counted exactly what the lab did, losing nothing, in every run."""
        return all(
            run.break_polls == run.break_polls_lab and not run.lost
            for runs in self.runs.values()
            for run in runs
        )

    @property
    def cancels_work(self) -> bool:
        return all(run.cancelled for runs in self.runs.values() for run in runs)


def run_demo(
    lab: Lab,
    clients: Mapping[Cell, DriverClient],
    *,
    name_stack: NameStack,
    progress: Progress,
    blocks: int = BLOCKS,
) -> Experiment:
    """Run the experiment. `name_stack(pid, profile)` names the stack at a break poll.

    Raises LabError, DriverError and whatever the probe raises.
    """
    scenario = replace(SCENARIO, blocks=blocks, counted=blocks)
    plan = Plan(scenario, CELLS, random.getrandbits(32), 0, 0, resumes=False, count_polls=True)
    lines: list[Line] = []

    def write(kind: str, block: int, **values: object) -> None:
        lines.append({"kind": kind, "block": block, **values})

    with watching(lab) as watcher:
        work = calibrated(lab, scenario, clients, watcher)
        # A run counts in a few blocks and wants hundreds of polls in each, at skip 1000 too; here
        # every session is counted, and all together make enough of them.
        work = replace(work, polls=0, executions=math.ceil(work.executions / 3))
        Runner(plan, work, lab, clients, watcher, {}, write, progress).run()
        session = Session(lab, clients[SLOWEST], SLOWEST, {}, processors(), watcher)
        profile, stack = _at_poll(session, work, name_stack)
    return Experiment(
        driver=clients[FASTEST].about.title,
        rows=int(work.binds["n"]),
        counted=work.executions,
        runs={
            cell: [_run(lines, number, block) for block in range(blocks)]
            for number, cell in enumerate(CELLS)
        },
        stack=stack,
        probe=profile.header.variant,
    )


def _at_poll(session: Session, work: Work, name_stack: NameStack) -> tuple[Profile, list[str]]:
    """A look at one more session, and the stack seen at its polls."""
    assert session.spid is not None
    with session.probe(Look(stack_every=STACK_EVERY)) as probe:
        session.execute(work)
        profile = probe.stop()
    stack = name_stack(session.spid, profile)
    session.close()
    return profile, stack


def _run(lines: Sequence[Line], cell: int, block: int) -> Run:
    ours = [each for each in lines if each.get("cell") == cell and each["block"] == block]
    samples = sorted((e for e in ours if e["kind"] == "sample"), key=lambda e: int(e["turn"]))
    counted = next(each for each in ours if each["kind"] == "counted")
    cancel = next(each for each in ours if each["kind"] == "cancel")
    statistics = counted["v$"]["statistics"]
    error = "lost" if cancel["lost"] else str(cancel["error"])
    return Run(
        elapsed_s=[each["elapsed_s"] for each in samples],
        counted_s=counted["elapsed_s"],
        consistent_gets=int(statistics["consistent gets"]),
        break_polls=counted["break_polls"],
        break_polls_lab=int(statistics.get("lab break polls", 0)),
        lost=counted["lost"],
        cancel_ms=cancel.get("ms", 1e3 * LONGEST_CANCEL_S),
        cancel_error=error,
        cancelled=error in CANCELLED and cancel["usable"],
    )
