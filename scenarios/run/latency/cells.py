# SPDX-License-Identifier: GPL-2.0-or-later
"""The latency of each cell's path, in a run."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any, Self

from polltrace.errors import DriverError
from polltrace.scenarios.plan.cell import Cell
from polltrace.scenarios.run.latency.latency_session import (
    LatencySession,
    LayerFailure,
    PingTarget,
    Rows,
)
from polltrace.scenarios.run.network.choice import Route
from polltrace.scenarios.run.servers.server import DatabaseServer
from polltrace.scenarios.run.work import Work


class CellLatency:
    """A session of each cell, from __enter__ to __exit__; its first round is not kept."""

    def __init__(
        self,
        server: DatabaseServer,
        cells: Sequence[Cell],
        work: Work,
        routes: Mapping[str, Route],
    ) -> None:
        self._server, self._cells, self._work, self._routes = server, cells, work, routes

    def __enter__(self) -> Self:
        with contextlib.ExitStack() as stack:
            self._sessions = {cell: stack.enter_context(self._of(cell)) for cell in self._cells}
            for session in self._sessions.values():
                list(session.round())
            self._open = stack.pop_all()
        return self

    def round(self, cell: Cell) -> list[list[Any]]:
        """A sample of each layer: name, seconds, round trips, seconds of DB time or None.

        Raises DriverError where one fails: a run without it would not be whole.
        """
        samples = []
        for sample in self._sessions[cell].round():
            if isinstance(sample, LayerFailure):
                raise DriverError(f"{cell.client}, {sample.layer}: {sample.reason}")
            samples.append([sample.layer, sample.seconds, sample.trips, sample.db_s])
        return samples

    def _of(self, cell: Cell) -> LatencySession:
        self._server.prepare(cell)
        end = self._server.endpoint(cell)
        route = self._routes.get(cell.path, Route())
        host, port = route.relay or (end.host, end.port)
        user, password = self._server.credentials()
        in_band = cell.break_mode == "in-band"
        target = PingTarget(host, port, end.service, user, password, disable_oob=in_band)
        rows = Rows(self._work.statement, self._work.binds)
        return LatencySession(target, cell.client, start=route.start, rows=rows)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._open.close()
