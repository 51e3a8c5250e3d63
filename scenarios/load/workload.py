# SPDX-License-Identifier: GPL-2.0-or-later
"""A workload: the statements of sessions, their schedule, and the drivers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from polltrace.errors import UsageError
from polltrace.scenarios.plan.cell import CACHING_CLIENT
from polltrace.scenarios.plan.network_path import NetworkPath

ORDERS = ("random", "semi-random", "sequential")
BIND_ORDERS = ("shuffled", "sequential", "random")
CONNECT_MODES = ("flood", "trickle", "tsunami")
ARRIVALS = ("poisson", "constant")
ENDS = ("commit", "rollback")
DISTRIBUTIONS: Mapping[str, tuple[str, ...]] = {
    "constant": ("mean",),
    "exponential": ("mean",),
    "uniform": ("low", "high"),
    "normal": ("mean", "sd"),
    "lognormal": ("mean", "sd"),
}
"""Of think times: by name, the keys that each needs, in seconds."""

BindValue = int | float | str | None


@dataclass(frozen=True, slots=True)
class WorkloadStatement:
    """A statement of a workload.

    - `name`: in reports
    - `sql`: the text that is executed
    - `weight`: how often, relative to the other statements
    - `kind`: "query", "change" (DML, DDL) or "block" (PL/SQL)
    - `rows`: bind values by position, a row for each execution; one empty row without binds
    - `queries`: how many queries one execution makes in the server: of a block with a loop
    - `fill`: a block that makes each result of these queries once; empty: execute it with each row
    """

    name: str
    sql: str
    weight: float
    kind: str
    rows: Sequence[Sequence[BindValue]] = field(repr=False)
    queries: int = 1
    fill: str = ""


@dataclass(frozen=True, slots=True)
class ThinkTime:
    """Time between the end of a transaction and the start of the next, in seconds.

    `distribution` is a key of DISTRIBUTIONS; `values` are its parameters. A negative sample of a
    normal distribution is 0.
    """

    distribution: str = "constant"
    values: Mapping[str, float] = field(default_factory=lambda: {"mean": 0.0})

    def __str__(self) -> str:
        words = ", ".join(f"{name} {value:g}" for name, value in self.values.items())
        return f"{self.distribution} ({words} s)"


@dataclass(frozen=True, slots=True)
class CacheSettings:
    """polltrace's own client result cache (clients/python_oracledb/result_cache.py).

    - `changes`: a query whose rows change whenever the rows of the workload's queries may have
    - `lag_s`: how old the last look for changes may be when a kept result is used
    - `most_bytes`: of a session's results
    - `statistics`: the table that sessions keep their cache's statistics in; empty for none
    """

    changes: str
    lag_s: float
    most_bytes: int
    statistics: str


@dataclass(frozen=True, slots=True)
class Workload:
    """The content of a workload file.

    - `name`: the file's stem; `title`: one line
    - `clients`: names of drivers, given to the sessions in turn
    - `sessions`; `seconds`: how long they execute
    - `rate`: transactions a second of all sessions together (an open loop); None: a closed loop
    - `arrivals`: of an open loop, one of ARRIVALS
    - `max_lag_s`: of an open loop: a transaction that would start later than this is dropped
    - `real_time`: of an open loop: its clients run before all ordinary processes
    - `think`: of a closed loop
    - `order`, `bind_order`: of ORDERS, BIND_ORDERS
    - `connect`: one of CONNECT_MODES; `connect_delay_s`: between two connects of a trickle
    - `transactions_per_commit`: executions that change something or are PL/SQL, per commit
    - `end`: how database transactions end, one of ENDS
    - `ignored_errors`: codes that are counted apart
    - `setup`, `teardown`: statements executed once, before the sessions connect and at the end
    - `parameters`: of each session, by ALTER SESSION
    - `trace_level`: of event 10046, 0 for none; `trace_identifier`; `trace_sessions`: how many
      sessions, the first ones
    - `cache`: of each session; None for none
    - `break_mode`, `skip`, `fetch_size`, `sdu`, `path`: as in a scenario's cell
    """

    name: str
    title: str
    clients: Sequence[str]
    sessions: int
    seconds: float
    statements: Sequence[WorkloadStatement]
    rate: float | None = None
    arrivals: str = "poisson"
    max_lag_s: float | None = None
    real_time: bool = False
    think: ThinkTime = ThinkTime()
    order: str = "random"
    bind_order: str = "shuffled"
    connect: str = "flood"
    connect_delay_s: float = 1.0
    transactions_per_commit: int = 1
    end: str = "commit"
    ignored_errors: Sequence[str] = ()
    setup: Sequence[str] = ()
    teardown: Sequence[str] = ()
    parameters: Mapping[str, str] = field(default_factory=dict)
    trace_level: int = 0
    trace_identifier: str = "polltrace"
    trace_sessions: int | None = None
    cache: CacheSettings | None = None
    break_mode: str = "out-of-band"
    skip: int | None = None
    fetch_size: int = 0
    sdu: int = 0
    path: NetworkPath = field(default_factory=NetworkPath)

    @property
    def open_loop(self) -> bool:
        return self.rate is not None

    def client_of(self, session: int) -> str:
        return self.clients[session % len(self.clients)]

    @property
    def loop(self) -> str:
        """The schedule in words."""
        if self.rate is not None:
            return f"open loop, {self.rate:g} a second in all, {self.arrivals} arrivals"
        if self.think.distribution == "constant" and not self.think.values["mean"]:
            return "closed loop, no think time"
        return f"closed loop, think time {self.think}"


def consistent(workload: Workload) -> Workload:
    """The workload itself, after values of its file were replaced. Raises UsageError where they
    contradict one another now."""
    if workload.real_time and not workload.open_loop:
        raise UsageError("--real-time is of an open loop: a closed one never leaves its processors")
    if workload.order != "random" and any(
        statement.weight % 1 for statement in workload.statements
    ):
        raise UsageError(f"order {workload.order} needs weights that are whole numbers")
    if workload.cache and set(workload.clients) != {CACHING_CLIENT}:
        raise UsageError(f"[cache] is of polltrace's own {CACHING_CLIENT} client alone")
    return workload
