# SPDX-License-Identifier: GPL-2.0-or-later
"""Run a scenario: blocks of fresh sessions, executed turn about in random order.

Whatever the machine does meanwhile falls on all cells alike. Timed executions run with nothing
attached; polls are counted in others of the same session. Everything is saved as it ends.
"""

from __future__ import annotations

import contextlib
import datetime
import math
import os
import platform
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from polltrace import __version__
from polltrace.errors import LabError
from scenarios import host_noise, session_statistics
from scenarios.client import Binds, DriverClient
from scenarios.locking import LockHolder
from scenarios.network import Network, Route
from scenarios.processors import processors
from scenarios.scenario import WAIT_SLICE_S, Cell, Scenario
from scenarios.server import Server, open_session
from scenarios.session import Session, Work

# A session's counted executions begin and end somewhere between two polls, at skip 1000 a
# thousand gets apart: with so many gets in each, that is a fraction of a per cent of them all.
COUNTED_GETS = 60_000

# A call that is to be cancelled is so many times as long as the others, and at least so long that
# the latest cancel meets it.
CANCELLED_FACTOR = 40
CANCELLED_S = 0.4

# Where an execution takes that long with fewer, it is not they that take it, and many times as many
# would take no longer.
LEAST_N = 250

Progress = Callable[[str, int, int], None]
Write = Callable[..., None]
"""RunWriter.write, or what else keeps a line of a run."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What to run: `blocks` more of these cells, the order drawn from `seed`.

    `count_polls` is whether a probe can be attached. A run that is gone on with starts at
    `first_block`, with `done` whole ones behind it.
    """

    scenario: Scenario
    cells: Sequence[Cell]
    seed: int
    first_block: int
    done: int
    resumes: bool
    count_polls: bool


@contextlib.contextmanager
def watching(server: Server) -> Iterator[DriverClient]:
    """A session that reads what the views say of the others."""
    with DriverClient(processors={processors()[0]}) as watcher:
        open_session(server, watcher, Cell(), {})
        yield watcher


def calibrated(
    server: Server,
    scenario: Scenario,
    clients: Mapping[Cell, DriverClient],
    watcher: DriverClient,
) -> Work:
    """The work of an execution: with `n` such that it takes the scenario's seconds here."""
    cell = next((each for each in clients if each.path == "direct"), next(iter(clients)))
    client = clients[cell]
    session = Session(server, client, replace(cell, path="direct"), {}, processors(), watcher)
    binds: Binds = scenario.binds
    if scenario.seconds is not None:
        binds = {**binds, "n": _fitting_n(session, scenario, scenario.seconds)}
    before = session_statistics.read(watcher, session.sid)
    client.execute(scenario.statement, binds)
    gets = session_statistics.read(watcher, session.sid).since(before).gets
    executions = min(math.ceil(COUNTED_GETS / gets), 1000) if gets > 1 else 1
    client.close()
    longer = CANCELLED_FACTOR
    if scenario.seconds is not None:
        longer = max(longer, math.ceil(CANCELLED_S / scenario.seconds))
    cancelled = {
        name: value * longer if name == "n" and isinstance(value, int) else value
        for name, value in binds.items()
    }
    return Work(scenario.statement, binds, cancelled, executions, gets)


def _fitting_n(session: Session, scenario: Scenario, seconds: float) -> int:
    n, took_s = LEAST_N, 0.0
    while took_s < seconds / 2:
        n *= 2
        # On a busy host it waits for a processor as well; its own CPU time says what it needs.
        took = session.execute(Work(scenario.statement, {**scenario.binds, "n": n}))
        took_s = took.cpu_s or took.elapsed_s
        if n > 10**9:
            raise LabError("the statement takes no longer however large n is")
    return max(round(n * seconds / took_s), LEAST_N)


def header(
    plan: Plan,
    work: Work,
    server: Server,
    clients: Mapping[Cell, DriverClient],
    network: Network,
) -> dict[str, Any]:
    """All that is needed to understand the numbers later, on another machine."""
    scenario = plan.scenario
    return {
        "polltrace": __version__,
        "started": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "scenario": {
            **{k: v for k, v in asdict(scenario).items() if k != "paths"},
            "paths": {name: asdict(path) for name, path in scenario.paths.items()},
        },
        "cells": [cell.data() for cell in plan.cells],
        "seed": plan.seed,
        "server": server.kind,
        "counts_polls": server.counts_polls,
        "drivers": sorted({client.about.title for client in clients.values()}),
        "work": asdict(work),
        "host": {
            "name": platform.node(),
            "kernel": platform.release(),
            "machine": platform.machine(),
            "processors": len(os.sched_getaffinity(0)),
            "python": platform.python_version(),
        },
        "network": {"how": network.how, "paths": network.words()},
    }


class Runner:
    """Executes blocks; `write` gets every figure as soon as it is there."""

    def __init__(  # noqa: PLR0913, PLR0917
        self,
        plan: Plan,
        work: Work,
        server: Server,
        clients: Mapping[Cell, DriverClient],
        watcher: DriverClient,
        routes: Mapping[str, Route],
        write: Write,
        progress: Progress,
    ) -> None:
        self.plan = plan
        self.work = work
        self._server = server
        self._clients = clients
        self._watcher = watcher
        self._routes = routes
        self._write = write
        self._progress = progress
        self._yardstick = host_noise.Yardstick(processors()[1])
        self._index = {cell: number for number, cell in enumerate(plan.cells)}
        self._steps = 0

    def run(self) -> None:
        missing = self.plan.scenario.blocks - self.plan.done
        for block in range(self.plan.first_block, self.plan.first_block + missing):
            before = host_noise.now()
            self._block(block)
            self._write("noise", block, **host_noise.noise(before, host_noise.now()))
            self._write("block", block)

    def _block(self, block: int) -> None:
        order = random.Random(f"{self.plan.seed}:{block}")
        record = self.plan.scenario.record
        sessions: dict[Cell, Session] = {}
        for cell in self._shuffled(order):
            self._say("connecting", cell)
            sessions[cell] = Session(
                self._server, self._clients[cell], cell, self._routes, processors(), self._watcher
            )
            self._warm_up(sessions[cell], order)
        if "elapsed" in record:
            self._timed(block, sessions, order)
        first = block - self.plan.first_block + self.plan.done
        for cell in self._shuffled(order):
            if first < self.plan.scenario.counted and {"polls", "statistics"} & set(record):
                self._say("counting", cell)
                polls = "polls" in record and self.plan.count_polls
                self._write(
                    "counted",
                    block,
                    cell=self._index[cell],
                    **sessions[cell].counted(self.work, polls=polls),
                )
            if first == 0 and "stacks" in record and self.plan.count_polls:
                self._say("sampling", cell)
                if taken := sessions[cell].stacks(self.work):
                    self._write("stacks", block, cell=self._index[cell], **taken)
        if "cancel" in record:
            self._cancels(block, sessions, order)
        for session in sessions.values():
            session.close()

    def _warm_up(self, session: Session, order: random.Random) -> None:
        """Once, so that its memory and its parsed statement are there when it counts, and that a
        cancel meets the statement: a driver may need longer than that to execute its first."""
        if {"elapsed", "cancel"} & set(self.plan.scenario.record):
            session.execute(self.work.warm_up(order))

    def _timed(self, block: int, sessions: Mapping[Cell, Session], order: random.Random) -> None:
        taken = []
        for turn in range(self.plan.scenario.timed):
            # Named so that its cost falls on no cell: between turns.
            yardstick_s = self._yardstick.measure()
            for cell in self._shuffled(order):
                self._say("timing", cell)
                taken.append((turn, cell, yardstick_s, sessions[cell].execute(self.work)))
        for turn, cell, yardstick_s, took in taken:
            self._write(
                "sample",
                block,
                turn=turn,
                cell=self._index[cell],
                **asdict(took),
                yardstick_s=yardstick_s,
            )

    def _cancels(self, block: int, sessions: Mapping[Cell, Session], order: random.Random) -> None:
        with contextlib.ExitStack() as stack:
            if any(cell.busy == "waiting" for cell in sessions):
                stack.enter_context(LockHolder(self._server))
            for cell in self._shuffled(order):
                self._say("cancelling", cell)
                # At any moment of the wait between two looks for a break.
                slow = cell.busy == "waiting" and cell.skip is not None
                after_s = order.uniform(0.02, WAIT_SLICE_S if slow else 0.12)
                self._write(
                    "cancel",
                    block,
                    cell=self._index[cell],
                    **sessions[cell].cancel(self.work, after_s),
                )

    def _shuffled(self, order: random.Random) -> list[Cell]:
        """Random, but a client's cells next to one another: those that are compared must stand
        close together, for the machine drifts within a second."""
        clients = list(dict.fromkeys(cell.client for cell in self.plan.cells))
        return [
            cell
            for client in order.sample(clients, len(clients))
            for cell in order.sample(self.plan.cells, len(self.plan.cells))
            if cell.client == client
        ]

    def _say(self, what: str, cell: Cell) -> None:
        self._steps += 1
        self._progress(f"{what} {cell.client} {cell.break_mode}", self._steps, self.steps())

    def steps(self) -> int:
        """How many there will be in all, for the time that is left."""
        scenario, cells = self.plan.scenario, len(self.plan.cells)
        left = scenario.blocks - self.plan.done
        counted = max(min(scenario.counted - self.plan.done, left), 0)
        each = 1 + (scenario.timed if "elapsed" in scenario.record else 0)
        each += "cancel" in scenario.record
        counts = counted if {"polls", "statistics"} & set(scenario.record) else 0
        stacks = "stacks" in scenario.record and not self.plan.done and self.plan.count_polls
        return cells * (left * each + counts + stacks)
