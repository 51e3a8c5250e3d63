# SPDX-License-Identifier: GPL-2.0-or-later
"""The demo's experiment: the article's statement, out-of-band against in-band at three skips.

A block opens a session of every cell, each with a server process of its own, and executes the
statement in them turn about, in random order, so that what the machine does meanwhile falls on
all cells alike. Those executions are timed with nothing attached. Then each session executes it
again with the probe attached, which is counted: an elapsed time under the probe would charge the
polls for being counted.
"""

from __future__ import annotations

import math
import os
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files

from polltrace.ebpf import EbpfProbe, Look
from polltrace.errors import DriverError, LabError, NoSuchProcessError
from polltrace.profile import Profile
from scenarios.client import Cancel, DriverClient
from scenarios.lab_server import LabServer

LOTSLIOS = files("scenarios").joinpath("lotslios.sql").read_text()
ORACLE_CANCELLED = "ORA-01013"

# Shared machines change speed many times a second: short executions, and many, so that those of
# two cells stand side by side. New processes in every block: where their memory happens to lie
# makes one a few per cent faster than another for as long as they live.
BLOCKS = 20
TIMED = 6
EXECUTION_SECONDS = 0.05
# A session's counted executions begin and end somewhere between two polls, at skip 1000 a
# thousand gets apart: with so many gets in each, that is a fraction of a per cent of them all.
COUNTED_GETS = 60_000
# One user stack in so many break polls: plenty of samples in one run, few enough not to slow it.
STACK_EVERY = 64

_STATISTICS = """
select n.name, s.value
from   v$mystat s, v$statname n
where  s.statistic# = n.statistic#
and    n.name in ('consistent gets', 'lab break polls')
"""
_SPID = """
select p.spid
from   v$process p, v$session s
where  p.addr = s.paddr
and    s.sid = sys_context('userenv', 'sid')
"""


@dataclass(frozen=True, slots=True)
class Cell:
    """One way to connect. `skip` is None out-of-band, where nothing polls."""

    client: str
    break_mode: str
    skip: int | None

    @property
    def label(self) -> str:
        return self.break_mode if self.skip is None else f"{self.break_mode}, skip {self.skip}"


@dataclass(frozen=True, slots=True)
class Run:
    """One session of a cell: `elapsed_s` of its timed executions, totals of the counted ones."""

    elapsed_s: Sequence[float]
    counted_s: float
    consistent_gets: int
    break_polls: int
    break_polls_lab: int
    lost: int
    cancel: Cancel


@dataclass(slots=True)
class Experiment:
    """What the demo measured: runs with the same index in two cells are of the same block.

    `rows` is the statement's limit, `counted` how many executions of a run were counted.
    """

    driver: str
    rows: int
    counted: int
    runs: dict[Cell, list[Run]]
    stack: list[str] = field(default_factory=list)
    probe: str = ""

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
        return all(
            run.cancel.error == ORACLE_CANCELLED and run.cancel.usable
            for runs in self.runs.values()
            for run in runs
        )


CLIENT = "python-oracledb"
CELLS = (
    Cell(CLIENT, "out-of-band", None),
    Cell(CLIENT, "in-band", 3),
    Cell(CLIENT, "in-band", 10),
    Cell(CLIENT, "in-band", 1000),
)
FASTEST, SLOWEST = CELLS[0], CELLS[1]

Progress = Callable[[str, int, int], None]
NameStack = Callable[[int, Profile], list[str]]


def run_demo(
    lab: LabServer,
    clients: Mapping[Cell, DriverClient],
    *,
    name_stack: NameStack,
    progress: Progress,
    blocks: int = BLOCKS,
) -> Experiment:
    """Run the experiment. `name_stack(pid, profile)` names the stack at a break poll.

    Raises LabError, DriverError and whatever the probe raises.
    """
    order = random.Random()
    progress("how long to execute", 0, blocks)
    experiment = _calibrated(lab, clients[FASTEST])
    for block in range(blocks):
        progress("opening sessions", block, blocks)
        sessions = {
            cell: _Session(
                lab, clients[cell], cell, experiment.rows, warm_up=order.randint(99, 299)
            )
            for cell in _shuffled(order)
        }
        progress("timing, nothing attached", block, blocks)
        elapsed_s: dict[Cell, list[float]] = {cell: [] for cell in CELLS}
        for _turn in range(TIMED):
            for cell in _shuffled(order):
                elapsed_s[cell].append(sessions[cell].execute())
        for cell in _shuffled(order):
            progress(f"counting {cell.label}", block, blocks)
            wants_stack = cell is SLOWEST and not experiment.stack
            run, profile = sessions[cell].counted(
                elapsed_s[cell],
                executions=experiment.counted,
                cancel_after_s=EXECUTION_SECONDS * order.uniform(0.5, 2),
                stack_every=STACK_EVERY if wants_stack else 0,
            )
            experiment.runs[cell].append(run)
            if wants_stack:
                experiment.stack = name_stack(sessions[cell].spid, profile)
                experiment.probe = profile.header.variant
            clients[cell].close()
    progress("done", blocks, blocks)
    return experiment


def _calibrated(lab: LabServer, client: DriverClient) -> Experiment:
    """An empty experiment, its `rownum` limit such that one takes EXECUTION_SECONDS here."""
    driver = lab.connect(client, break_poll_skip=3, disable_oob=False)
    rows, elapsed_s = 250, 0.0
    while elapsed_s < EXECUTION_SECONDS / 2:
        rows *= 2
        elapsed_s, _ = client.query(LOTSLIOS, {"n": rows})
        if rows > 10**9:
            raise LabError("the lab answers lotslios without doing any work")
    rows = round(rows * EXECUTION_SECONDS / elapsed_s)
    before = _statistics(client)["consistent gets"]
    client.query(LOTSLIOS, {"n": rows})
    gets = _statistics(client)["consistent gets"] - before
    client.close()
    return Experiment(driver, rows, math.ceil(COUNTED_GETS / gets), {cell: [] for cell in CELLS})


def _statistics(client: DriverClient) -> dict[str, int]:
    return {name: int(value) for name, value in client.query(_STATISTICS)[1]}


class _Session:
    """A fresh connection of one cell, with a server process and an address space of its own.

    `warm_up` rows come first, a random number, so that a run of few polls does not always begin
    at the same point between two of them.
    """

    def __init__(
        self, lab: LabServer, client: DriverClient, cell: Cell, rows: int, *, warm_up: int
    ) -> None:
        lab.connect(
            client,
            break_poll_skip=cell.skip or 3,
            disable_oob=cell.break_mode == "in-band",
        )
        self._client = client
        self._rows = rows
        self.spid = int(client.query(_SPID)[1][0][0])
        _part(server=self.spid, client=client.pid)
        client.query(LOTSLIOS, {"n": warm_up})

    def execute(self) -> float:
        """Seconds that the statement took, as the client saw them."""
        return self._client.query(LOTSLIOS, {"n": self._rows})[0]

    def counted(
        self,
        elapsed_s: Sequence[float],
        *,
        executions: int,
        cancel_after_s: float,
        stack_every: int,
    ) -> tuple[Run, Profile]:
        """The run of a session whose timed executions took `elapsed_s`, and what the probe saw."""
        before = _statistics(self._client)
        try:
            with EbpfProbe([self.spid], Look(stack_every=stack_every)) as probe:
                counted_s = sum(self.execute() for _ in range(executions))
                profile = probe.stop()
        except NoSuchProcessError as error:
            raise DriverError(
                f"a session ended before its time, with its client: {error}"
            ) from error
        after = _statistics(self._client)
        # A statement so long that it is never over before the break comes.
        cancel = self._client.cancel(LOTSLIOS, {"n": 1000 * self._rows}, cancel_after_s)
        run = Run(
            elapsed_s=elapsed_s,
            counted_s=counted_s,
            consistent_gets=after["consistent gets"] - before["consistent gets"],
            break_polls=profile.only().break_polls,
            break_polls_lab=after["lab break polls"] - before["lab break polls"],
            lost=sum(profile.lost.values()),
            cancel=cancel,
        )
        return run, profile


def _part(*, server: int, client: int) -> None:
    """Give server and client a processor each, the same in every cell: none is favoured."""
    processors = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(server, {processors[-1]})
    os.sched_setaffinity(client, {processors[0]})


def _shuffled(order: random.Random) -> list[Cell]:
    return order.sample(CELLS, len(CELLS))
