# SPDX-License-Identifier: GPL-2.0-or-later
"""The sessions that `make fit` and `make validate` measure: a driver, a statement, a skip."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
import threading
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from polltrace import procfs
from polltrace.errors import DriverError, LabError
from polltrace.scenarios.run.client import DriverClient
from polltrace.scenarios.run.servers.lab_server import LabServer
from polltrace.scenarios.run.servers.session_views import OracleViews

# The lab's value of BREAK_POLL_SKIP for no checks at all.
OUT_OF_BAND = 0
_EXECUTION_S = 0.005


@dataclass(frozen=True, slots=True)
class BenchStatement:
    """A statement. `sql` has a bind :n for its size. `setup` runs once in each session before it.
    `kind` is its type of work: sessions of one kind are alike.
    """

    name: str
    kind: str
    sql: str
    n: int
    setup: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class BenchPlan:
    """The `statements` by name, and `sessions` of (driver, statement, skip), each in a process of
    its own.
    """

    statements: dict[str, BenchStatement]
    sessions: Sequence[tuple[str, str, int]]


def read_plan(path: Path) -> BenchPlan:
    """A plan file: tables of statements, and for each its skips by driver."""
    data = tomllib.loads(path.read_text("utf-8"))
    schema = tuple(data["setup"])
    statements, by_statement = {}, []
    for entry in data["statement"]:
        statements[entry["name"]] = BenchStatement(
            entry["name"], entry["kind"], entry["sql"], entry["n"], schema
        )
        by_statement.append(
            [
                (driver, entry["name"], skip)
                for skip in entry["skips"]
                for driver in entry["drivers"]
            ]
        )
    # The sessions alternate between statements, so that a run that was cut short has some of all.
    turns = itertools.zip_longest(*by_statement)
    return BenchPlan(statements, [session for turn in turns for session in turn if session])


def server_processor() -> int:
    """The processor that is reserved for a session; everything else runs on the others."""
    return (os.cpu_count() or 1) - 1


@contextmanager
def alone() -> Iterator[None]:
    """Context in which the sessions' processor runs nothing else, and this process and its children
    have priority on the others.

    Real-time priorities: a session's above that of a loop which uses the remaining time. Otherwise
    other processes would run between two executions, and each would begin with cold caches, unlike
    a session that works without a pause.
    """
    processor = server_processor()
    os.sched_setaffinity(0, os.sched_getaffinity(0) - {processor} or {processor})
    os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))
    with subprocess.Popen([sys.executable, "-Sc", "while True: pass"]) as loop:
        os.sched_setaffinity(loop.pid, {processor})
        try:
            yield
        finally:
            loop.kill()


class BenchSession:
    """A server process on a processor of its own that executes one statement over and over."""

    def __init__(
        self, client: DriverClient, pid: int, statement: BenchStatement, skip: int
    ) -> None:
        self.client, self.pid, self.statement, self.skip = client, pid, statement, skip
        os.sched_setaffinity(pid, {server_processor()})
        os.sched_setscheduler(pid, os.SCHED_RR, os.sched_param(2))
        self.times = 1
        self.execute(skip)
        self.times = max(1, round(_EXECUTION_S / min(self.execute(skip) for _ in range(5))))

    def execute(self, skip: int) -> float:
        """CPU seconds of the server for a few executions at that skip."""
        self.client.execute(f"alter session set break_poll_skip = {skip}")
        before_s = procfs.running_s(self.pid)
        self._run(self.times)
        after_s = procfs.running_s(self.pid)
        if before_s is None or after_s is None:
            raise DriverError("a session ended before its time")
        return after_s - before_s

    def _run(self, times: int) -> None:
        self.client.execute(self.statement.sql, {"n": self.statement.n}, times=times)

    @contextmanager
    def busy(self) -> Iterator[None]:
        """Context in which the session executes the statement without a pause, at its own skip."""
        self.client.execute(f"alter session set break_poll_skip = {self.skip}")
        ended = threading.Event()

        def loop() -> None:
            while not ended.is_set():
                self._run(10 * self.times)

        thread = threading.Thread(target=loop)
        thread.start()
        try:
            yield
        finally:
            ended.set()
            thread.join()


@contextmanager
def session(
    lab: LabServer, driver: str, statement: BenchStatement, skip: int
) -> Iterator[BenchSession]:
    """A new in-band session of `driver`, its tables made."""
    with DriverClient(driver) as client:
        lab.connect(client, break_poll_skip=skip, disable_oob=True)
        pid = OracleViews().spid(client)
        if pid is None:
            raise LabError("the lab's session has no server process here")
        for sql in statement.setup:
            client.execute(sql)
        yield BenchSession(client, pid, statement, skip)
        client.close()
