# SPDX-License-Identifier: GPL-2.0-or-later
"""The demo's experiment: the article's statement, out-of-band against in-band at three skips.

Every block runs each cell once, in a random order and in a session of its own, so that what the
machine does meanwhile falls on all cells alike. In a session the statement runs twice: with
nothing attached, which is timed, and with the probe attached, which is counted. An elapsed time
under the probe would charge the polls for being counted.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib.resources import files

from polltrace.ebpf import EbpfProbe
from polltrace.errors import DriverError, LabError, NoSuchProcessError
from polltrace.profile import Profile
from scenarios.client import Cancel, DriverClient
from scenarios.lab_server import LabServer

LOTSLIOS = files("scenarios").joinpath("lotslios.sql").read_text()
ORACLE_CANCELLED = "ORA-01013"

# Long enough that a poll's share stands out from the machine's noise, short enough for a minute.
RUN_SECONDS = 0.4
BLOCKS = 12
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
    """One session of a cell: a timed run, a counted run, a cancelled one."""

    elapsed_s: float
    counted_elapsed_s: float
    consistent_gets: int
    break_polls: int
    break_polls_lab: int
    lost: int
    cancel: Cancel


@dataclass(slots=True)
class Experiment:
    """What the demo measured. Runs with the same index in two cells are a pair in time."""

    driver: str
    rows: int
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


CELLS = (
    Cell(DriverClient.name, "out-of-band", None),
    Cell(DriverClient.name, "in-band", 3),
    Cell(DriverClient.name, "in-band", 10),
    Cell(DriverClient.name, "in-band", 1000),
)
FASTEST, SLOWEST = CELLS[0], CELLS[1]

Progress = Callable[[str, int, int], None]
NameStack = Callable[[int, Profile], list[str]]


def run_demo(
    lab: LabServer,
    client: DriverClient,
    *,
    name_stack: NameStack,
    progress: Progress,
    blocks: int = BLOCKS,
) -> Experiment:
    """Run the experiment. `name_stack(pid, profile)` names the stack at a break poll.

    Raises LabError, DriverError and whatever the probe raises.
    """
    order = random.Random()
    progress("how long a run must be", 0, blocks * len(CELLS))
    experiment = _calibrated(lab, client)
    done = 0
    for _block in range(blocks):
        for cell in _shuffled(order, CELLS):
            progress(cell.label, done, blocks * len(CELLS))
            session = _Session(lab, client, cell, experiment.rows, warm_up=order.randint(100, 300))
            wants_stack = cell is SLOWEST and not experiment.stack
            experiment.runs[cell].append(session.run(order, STACK_EVERY if wants_stack else 0))
            if wants_stack:
                experiment.stack = name_stack(session.spid, session.profile)
                experiment.probe = session.profile.header.variant
            client.close()
            done += 1
    progress("done", done, blocks * len(CELLS))
    return experiment


def _calibrated(lab: LabServer, client: DriverClient) -> Experiment:
    """An empty experiment with the `rownum` limit that makes a run take RUN_SECONDS here."""
    driver = lab.connect(client, break_poll_skip=3, disable_oob=False)
    rows, elapsed_s = 500, 0.0
    while elapsed_s < RUN_SECONDS / 4:
        rows *= 2
        elapsed_s, _ = client.query(LOTSLIOS, {"n": rows})
        if rows > 10**9:
            raise LabError("the lab answers lotslios without doing any work")
    client.close()
    return Experiment(driver, round(rows * RUN_SECONDS / elapsed_s), {cell: [] for cell in CELLS})


class _Session:
    """A fresh connection of one cell: its own server process, its own address space layout.

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
        client.query(LOTSLIOS, {"n": warm_up})

    def run(self, order: random.Random, stack_every: int) -> Run:
        binds = {"n": self._rows}
        elapsed_s, _ = self._client.query(LOTSLIOS, binds)
        before = self._statistics()
        try:
            with EbpfProbe([self.spid], stack_every=stack_every) as probe:
                counted_elapsed_s, _ = self._client.query(LOTSLIOS, binds)
                self.profile = probe.stop()
        except NoSuchProcessError as error:
            raise DriverError(
                f"the session ended with its client before its time ({error})"
            ) from error
        after = self._statistics()
        cancel = self._client.cancel(
            LOTSLIOS, {"n": 100 * self._rows}, RUN_SECONDS * order.uniform(0.1, 0.5)
        )
        return Run(
            elapsed_s=elapsed_s,
            counted_elapsed_s=counted_elapsed_s,
            consistent_gets=after["consistent gets"] - before["consistent gets"],
            break_polls=self.profile.only().break_polls,
            break_polls_lab=after["lab break polls"] - before["lab break polls"],
            lost=sum(self.profile.lost.values()),
            cancel=cancel,
        )

    def _statistics(self) -> dict[str, int]:
        return {name: int(value) for name, value in self._client.query(_STATISTICS)[1]}


def _shuffled(order: random.Random, cells: Sequence[Cell]) -> list[Cell]:
    return order.sample(cells, len(cells))
