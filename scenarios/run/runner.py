# SPDX-License-Identifier: GPL-2.0-or-later
"""Run a scenario: blocks of fresh sessions, interleaved in random order.

So a change of the machine's speed affects all cells alike. Timed executions run with no probe
attached; polls are counted in other executions of the same session. Each result is saved at once.
"""

from __future__ import annotations

import contextlib
import random
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict
from typing import Any

from polltrace.scenarios.plan.cell import WAIT_SLICE_S, Cell, varied
from polltrace.scenarios.plan.plan import Plan
from polltrace.scenarios.run import host_noise
from polltrace.scenarios.run.client import DriverClient
from polltrace.scenarios.run.latency.cells import CellLatency
from polltrace.scenarios.run.locking import LockHolder
from polltrace.scenarios.run.network.choice import Route
from polltrace.scenarios.run.processors import processors
from polltrace.scenarios.run.servers.server import DatabaseServer, open_session
from polltrace.scenarios.run.session import CellSession
from polltrace.scenarios.run.work import Work

Progress = Callable[[str, int, int], None]
Write = Callable[..., None]
"""RunWriter.write, or another function that keeps a line of a run."""
MeasureLoad = Callable[[Cell, list[str], int], Mapping[str, Any]]
"""The load of a cell, with the keys that vary and the number of the block: a `load` line."""


@contextlib.contextmanager
def watching(server: DatabaseServer) -> Iterator[DriverClient]:
    """A session that reads the V$ views about the others."""
    with DriverClient(server.driver, processors={processors()[0]}) as watcher:
        open_session(server, watcher, Cell(), {})
        yield watcher


class ScenarioRunner:
    """Executes blocks; `write` gets each figure at once, `progress` each step. A scenario with a
    workload needs `load`."""

    def __init__(  # noqa: PLR0913, PLR0917
        self,
        plan: Plan,
        work: Work,
        server: DatabaseServer,
        clients: Mapping[Cell, DriverClient],
        watcher: DriverClient,
        routes: Mapping[str, Route],
        write: Write,
        progress: Progress,
        load: MeasureLoad | None = None,
    ) -> None:
        self.plan = plan
        self.work = work
        self._server = server
        self._clients = clients
        self._watcher = watcher
        self._routes = routes
        self._write = write
        self._progress = progress
        self._load = load
        self._yardstick = host_noise.Yardstick(processors()[1])
        self._index = {cell: number for number, cell in enumerate(plan.cells)}
        self._steps = 0

    def run(self) -> None:
        with contextlib.ExitStack() as stack:
            self._latency = None
            if "latency" in self.plan.scenario.record:
                cells = CellLatency(self._server, self.plan.cells, self.work, self._routes)
                self._latency = stack.enter_context(cells)
            self._blocks()

    def _blocks(self) -> None:
        missing = self.plan.scenario.blocks - self.plan.finished_blocks
        first = host_noise.now()
        began = time.monotonic()
        for number in range(missing):
            if self._over_budget(number, time.monotonic() - began):
                break
            block = self.plan.first_block + number
            host_before = host_noise.now()
            self._block(block)
            noise = host_noise.noise(host_before, host_noise.now())
            if self._load is not None:
                # Afterwards it is that of our own sessions, which work side by side.
                noise["load"] = first.load
            self._write("noise", block, **noise)
            self._write("block", block)

    def _over_budget(self, blocks: int, elapsed_s: float) -> bool:
        """True if another block, as long as those before, would end after the plan's budget."""
        budget_s = self.plan.budget_s
        return budget_s is not None and blocks > 0 and elapsed_s * (1 + 1 / blocks) > budget_s

    def _block(self, block: int) -> None:
        order = random.Random(f"{self.plan.seed}:{block}")
        record = self.plan.scenario.record
        if self._load is not None:
            self._loads(block, self._load, order)
            return
        if self._latency is not None:
            self._rounds(block, self._latency, order)
        if {*record} == {"latency"}:
            return
        sessions: dict[Cell, CellSession] = {}
        for cell in self._shuffled(order):
            self._say("connecting", cell)
            sessions[cell] = CellSession(
                self._server, self._clients[cell], cell, self._routes, processors(), self._watcher
            )
            self._warm_up(sessions[cell], order)
        if "elapsed" in record:
            self._timed(block, sessions, order)
        self._counted(block, sessions, order)
        if "cancel" in record:
            self._cancels(block, sessions, order)
        if "lost client" in record:
            self._losses(block, sessions, order)
        for session in sessions.values():
            session.close()

    def _warm_up(self, session: CellSession, order: random.Random) -> None:
        """Execute once, so that memory and the parsed statement are ready before the first figure,
        and a cancel meets the statement: a driver's first execution may take longer than that."""
        if {"elapsed", "cancel", "lost client"} & set(self.plan.scenario.record):
            session.execute(self.work.warm_up(order))

    def _timed(
        self, block: int, sessions: Mapping[Cell, CellSession], order: random.Random
    ) -> None:
        executions = []
        for turn in range(self.plan.scenario.timed):
            # Between the turns, where it delays no cell.
            yardstick_s = self._yardstick.measure()
            for cell in self._shuffled(order):
                self._say("timing", cell)
                executions.append((turn, cell, yardstick_s, sessions[cell].execute(self.work)))
        for turn, cell, yardstick_s, took in executions:
            self._write(
                "sample",
                block,
                turn=turn,
                cell=self._index[cell],
                **asdict(took),
                yardstick_s=yardstick_s,
            )

    def _counted(
        self, block: int, sessions: Mapping[Cell, CellSession], order: random.Random
    ) -> None:
        record = self.plan.scenario.record
        first = block - self.plan.first_block + self.plan.finished_blocks
        for cell in self._shuffled(order):
            if first < self.plan.scenario.counted and {"polls", "statistics"} & set(record):
                self._say("counting", cell)
                for session in sessions.values():
                    session.publish()  # or views of all sessions would count it in this one's turn
                polls = "polls" in record and self.plan.count_polls
                self._write(
                    "counted",
                    block,
                    cell=self._index[cell],
                    **sessions[cell].counted(self.work, polls=polls),
                )
            if first == 0 and "stacks" in record and self.plan.count_polls:
                self._say("sampling", cell)
                if samples := sessions[cell].stacks(self.work):
                    self._write("stacks", block, cell=self._index[cell], **samples)

    def _loads(self, block: int, load: MeasureLoad, order: random.Random) -> None:
        names = varied(self.plan.cells)
        for cell in self._shuffled(order):
            self._say("loading by", cell)
            self._write("load", block, cell=self._index[cell], **load(cell, names, block))

    def _rounds(self, block: int, latency: CellLatency, order: random.Random) -> None:
        for turn in range(self.plan.scenario.timed):
            for cell in self._shuffled(order):
                self._say("measuring the path of", cell)
                samples = latency.round(cell)
                self._write("latency", block, turn=turn, cell=self._index[cell], samples=samples)

    def _cancels(
        self, block: int, sessions: Mapping[Cell, CellSession], order: random.Random
    ) -> None:
        with contextlib.ExitStack() as stack:
            if any(cell.busy == "waiting" for cell in sessions):
                stack.enter_context(LockHolder(self._server))
            for cell in self._shuffled(order):
                self._say("cancelling", cell)
                # At a random moment between two checks for a break.
                slow = cell.busy == "waiting" and cell.skip is not None
                after_s = order.uniform(0.02, WAIT_SLICE_S if slow else 0.12)
                self._write(
                    "cancel",
                    block,
                    cell=self._index[cell],
                    **sessions[cell].cancel(self.work, after_s),
                )

    def _losses(
        self, block: int, sessions: Mapping[Cell, CellSession], order: random.Random
    ) -> None:
        for cell in self._shuffled(order):
            self._say("losing", cell)
            # At a random moment between two checks.
            after_s = 0.1 + order.uniform(0, (cell.check_interval or 0) / 1e3)
            lost = sessions[cell].lose(self.work, after_s)
            self._write("lost client", block, cell=self._index[cell], **lost)

    def _shuffled(self, order: random.Random) -> list[Cell]:
        """The cells in random order, but with a client's cells next to one another.

        The machine drifts within a second, so cells that are compared must be close in time.
        """
        clients = list(dict.fromkeys(cell.client for cell in self.plan.cells))
        return [
            cell
            for client in order.sample(clients, len(clients))
            for cell in order.sample(self.plan.cells, len(self.plan.cells))
            if cell.client == client
        ]

    def _say(self, action: str, cell: Cell) -> None:
        self._steps += 1
        self._progress(f"{action} {cell.client} {cell.break_mode}", self._steps, self.plan.steps)
