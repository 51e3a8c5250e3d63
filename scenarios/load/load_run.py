# SPDX-License-Identifier: GPL-2.0-or-later
"""A load from its set-up to the last line of its file."""

from __future__ import annotations

import contextlib
import datetime
import os
import platform
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict
from typing import Any, Protocol

from polltrace import __version__
from polltrace.errors import DriverError
from polltrace.interrupts import detaching
from polltrace.scenarios.load.cpu_time import cpu_time
from polltrace.scenarios.load.generator import START_MARGIN_S, Generator, Write
from polltrace.scenarios.load.server_watch import ServerWatch
from polltrace.scenarios.load.session import LoadSession
from polltrace.scenarios.load.session_statements import IDENTIFY, first_statements
from polltrace.scenarios.load.tally import Tally
from polltrace.scenarios.load.workload import Workload
from polltrace.scenarios.plan.cell import Cell
from polltrace.scenarios.run.client import DriverClient
from polltrace.scenarios.run.network.choice import Route
from polltrace.scenarios.run.servers.server import DatabaseServer, Endpoint

Line = Mapping[str, Any]
PATH = "load"
"""The name of the workload's network path."""


class Around(Protocol):
    """Measurements of a load from outside, by the session that reads the V$ views."""

    def begins(self, watcher: DriverClient) -> None: ...

    def connected(self, pids: Sequence[int]) -> None: ...

    def ends(self, watcher: DriverClient) -> None: ...


class LoadRun:
    """An execution of a workload against a server that has been entered.

    - `route`: how its clients reach the server; `network`: the same in words
    - `write`: gets the header (kind "header") and the lines of the file
    - `show`: gets every second's line
    - `around`: is told when the tables are made, of the servers' PIDs before their sessions work
      (but not in a trickle, where sessions begin one by one), and before the tables are dropped
    """

    def __init__(  # noqa: PLR0913, PLR0917
        self,
        workload: Workload,
        seed: int,
        server: DatabaseServer,
        route: Route,
        network: str,
        processors: Collection[int],
        write: Write,
        show: Callable[[Line], None],
        around: Around | None = None,
    ) -> None:
        self._workload, self._seed = workload, seed
        self._server, self._route, self._network = server, route, network
        self._processors = processors
        self._write, self._show = write, show
        self._around = around
        self._start_ns = self._end_ns = 0

    def run(self, watcher: DriverClient) -> None:
        """`watcher` is a session that reads the V$ views. Raises DriverError where no session
        connects, or set-up or teardown fail."""
        start = self._route.start
        with contextlib.ExitStack() as stack:
            for sql in self._workload.setup:
                watcher.execute(sql)
            watcher.commit()
            if self._around:
                self._around.begins(watcher)
            self._server.prepare(self._cell)
            generator = stack.enter_context(
                Generator(self._workload, self._seed, self._processors, start, self._write)
            )
            stack.enter_context(detaching(generator.stop))
            self._write("header", **self._header(generator))
            self._connect(generator)
            self._work(generator, watcher)
            if self._around:
                self._around.ends(watcher)
            for sql in self._workload.teardown:
                watcher.execute(sql)
            watcher.commit()

    @property
    def _cell(self) -> Cell:
        workload = self._workload
        return Cell(
            client=workload.clients[0],
            break_mode=workload.break_mode,
            skip=workload.skip,
            fetch_size=workload.fetch_size,
            sdu=workload.sdu,
            path=PATH,
        )

    def _connect(self, generator: Generator) -> None:
        end = self._server.endpoint(self._cell)
        if self._route.relay:
            end = Endpoint(*self._route.relay, end.service)
        user, password = self._server.credentials()
        target: dict[str, Any] = {
            "dsn": end.dsn,
            "user": user,
            "password": password,
            "disable_oob": self._workload.break_mode == "in-band",
            "fetch_size": self._workload.fetch_size,
            "sdu": self._workload.sdu,
        }
        if cache := self._workload.cache:
            target["cache"] = {
                "changes": cache.changes,
                "lag_ns": int(1e9 * cache.lag_s),
                "most_bytes": cache.most_bytes,
                "statistics": cache.statistics,
            }
        # A trickle's sessions work from their connect on, the others begin together.
        trickle = self._workload.connect == "trickle"
        generator.connect(
            target,
            lambda number: first_statements(self._workload, number),
            IDENTIFY,
            self._begin if trickle else LoadSession.feed,
        )
        working = any(s.state in ("connected", "running") for s in generator.sessions)
        if not working and not generator.stopped:
            raise DriverError(f"no session connected: {generator.first_failure}")
        if not trickle:
            if self._around:
                pids = [s.spid for s in generator.sessions if s.spid is not None]
                self._around.connected(pids)
            for session in generator.sessions:
                if session.state == "connected":
                    self._begin(session)

    def _begin(self, session: LoadSession) -> None:
        if not self._start_ns:
            self._start_ns = time.monotonic_ns() + int(1e9 * START_MARGIN_S)
            self._end_ns = self._start_ns + int(1e9 * self._workload.seconds)
        start_ns = self._start_ns
        if self._workload.connect == "trickle":
            start_ns = max(start_ns, time.monotonic_ns())
        session.begin(start_ns, self._end_ns)

    def _work(self, generator: Generator, watcher: DriverClient) -> None:
        sessions = generator.sessions
        watch = ServerWatch(
            watcher,
            [s.sid for s in sessions if s.sid is not None],
            [s.spid for s in sessions if s.spid is not None],
        )
        spent = [cpu_time(generator.client_pids())]
        own_cpu_s = [time.process_time()]

        def second(seconds: float) -> None:
            tally, generator.tally = generator.tally, Tally(self._workload)
            spent.append(cpu_time(generator.client_pids()))
            own_cpu_s.append(time.process_time())
            clients = spent[-1].since(spent.pop(0))
            server, polls = watch.spent()
            line = {
                "at_s": (time.monotonic_ns() - self._start_ns) / 1e9,
                "seconds": seconds,
                "sessions": sum(s.state == "running" for s in sessions),
                **tally.line(),
                "client_cpu_s": clients.ran_s,
                "client_waited_s": clients.waited_s,
                "generator_cpu_s": own_cpu_s[-1] - own_cpu_s.pop(0),
                "server_cpu_s": server and server.ran_s,
                "server_waited_s": server and server.waited_s,
                "break_polls": polls,
            }
            self._write("second", **line)
            self._show(line)

        generator.work(self._end_ns, second)
        self._write(
            "end",
            interrupted=generator.stopped,
            elapsed_s=self._elapsed_s(generator),
            not_begun=0 if generator.stopped else sum(s.not_begun() for s in sessions),
        )

    def _elapsed_s(self, generator: Generator) -> float:
        """Seconds from the first start to the end of the last transaction, or the planned time."""
        last_ns = max(
            (s.start_ns + s.clock.ended_ns for s in generator.sessions if s.start_ns),
            default=float(self._start_ns),
        )
        elapsed_s = (last_ns - self._start_ns) / 1e9
        return elapsed_s if generator.stopped else max(elapsed_s, self._workload.seconds)

    def _header(self, generator: Generator) -> dict[str, Any]:
        return {
            "polltrace": __version__,
            "started": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
            "workload": workload_data(self._workload),
            "seed": self._seed,
            "server": self._server.kind,
            "drivers": sorted(generator.drivers.values()),
            "clients": len(generator.client_pids()),
            "host": {
                "name": platform.node(),
                "kernel": platform.release(),
                "machine": platform.machine(),
                "processors": len(os.sched_getaffinity(0)),
                "client_processors": len(self._processors),
                "python": platform.python_version(),
            },
            "network": self._network,
        }


def workload_data(workload: Workload) -> dict[str, Any]:
    """A workload, JSON-ready; with only the number of bind rows: a bind file may be large, and
    contain data that a report must not show."""
    data = asdict(workload)
    for statement in data["statements"]:
        statement["rows"] = len(statement["rows"])
    return {**data, "loop": workload.loop}
