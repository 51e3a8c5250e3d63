# SPDX-License-Identifier: GPL-2.0-or-later
"""The result of a load: pure functions of its file's content."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from polltrace.scenarios.load.latency_histogram import merged
from polltrace.scenarios.load.load_file import Line, LoadData

CPU_LIMIT = 0.9
"""Clients that use more than this share of their processors limit the load."""
LAG_LIMIT_MS = 1.0
"""A free session whose transaction begins later than this, at p99, is delayed by the generator."""

Summary = Mapping[str, float] | None
"""Milliseconds by name (Histogram.summary_ms); None of no values."""


@dataclass(frozen=True, slots=True)
class StatementResult:
    """A statement's results: `transactions` that succeeded, and the `latency_ms` of these."""

    name: str
    sql: str
    transactions: int
    latency_ms: Summary


@dataclass(frozen=True, slots=True)
class SessionResult:
    """The results of a session.

    - `sid`: of the database; `spid`: the PID of its server; None where they are not known
    - `connect_ms`: None where it did not connect
    - `lost`: why it ended before its time, or did not connect; empty for neither
    - `unheard_s`: how long before its loss it was last heard of: its work in that time is not
    counted
    """

    number: int
    client: str
    sid: int | None
    spid: int | None
    transactions: int
    connect_ms: float | None
    lost: str
    unheard_s: float | None


@dataclass(frozen=True, slots=True)
class LoadResult:
    """A load, analysed.

    - `header`: the first line of its file; `seconds`: its time series
    - `elapsed_s`: of all transactions; `transactions`: executions that succeeded
    - `errors`, `ignored`: failed executions by code
    - `dropped`: of an open loop, transactions that were too late; `not_begun`: those that were due
      and had not begun at the end
    - `latency_ms`: from the intended start in an open loop, from the actual one in a closed loop
    - `lag_ms`: from the intended start to the actual one
    - `own_lag_ms`: the same, counted from when the session was free: the generator's own delay
    - `connect_ms`: by name, percentiles over the sessions
    - `client_cpu`: the share of their processors that the clients used
    - `server_cpu_s`, `break_polls`: of all sessions' servers; None where not known
    - `cache`: statistics of all sessions' client result caches together; empty without
    - `interrupted`: by Ctrl-C; `complete`: whether the file has its last line
    """

    header: Line
    seconds: Sequence[Line]
    elapsed_s: float
    transactions: int
    errors: Mapping[str, int]
    ignored: Mapping[str, int]
    dropped: int
    not_begun: int
    statements: Sequence[StatementResult]
    sessions: Sequence[SessionResult]
    latency_ms: Summary
    lag_ms: Summary
    own_lag_ms: Summary
    connect_ms: Mapping[str, float]
    client_cpu: float
    server_cpu_s: float | None
    break_polls: int | None
    cache: Mapping[str, int]
    interrupted: bool
    complete: bool

    @property
    def per_s(self) -> float:
        return self.transactions / self.elapsed_s if self.elapsed_s else 0.0

    @property
    def failed(self) -> int:
        return sum(self.errors.values())

    @property
    def fairness(self) -> float | None:
        """Jain's index of the sessions' transactions: 1 where all had equally many."""
        counts = np.array([session.transactions for session in self.sessions], dtype=float)
        squares = float((counts**2).sum())
        return float(counts.sum() ** 2 / (len(counts) * squares)) if squares else None

    @property
    def lost(self) -> Sequence[SessionResult]:
        return [session for session in self.sessions if session.lost]

    @property
    def open_loop(self) -> bool:
        return self.header["workload"]["rate"] is not None

    @property
    def saturated(self) -> bool:
        """Warnings that the generator itself limited or delayed the load."""
        return any(True for _ in self._saturation())

    def warnings(self) -> list[str]:
        """Sentences about why its figures may mislead."""
        return [*self._saturation(), *self.cautions()]

    def _saturation(self) -> Iterator[str]:
        processors = self.header["host"]["client_processors"]
        if self.client_cpu > CPU_LIMIT:
            yield (
                f"the generator is saturated: its clients used {100 * self.client_cpu:.0f} % of "
                f"{_number(processors, 'processor')}; the server could do more"
            )
        if self.own_lag_ms and self.own_lag_ms["p99"] > LAG_LIMIT_MS:
            yield (
                "the generator was late: a transaction whose session was free began up to "
                f"{self.own_lag_ms['p99']:.2f} ms after its time (p99)"
            )

    def cautions(self) -> list[str]:
        """Warnings that are not about the generator."""
        return list(self._cautions())

    def _cautions(self) -> Iterator[str]:
        lag = self.lag_ms
        if self.open_loop and lag and lag["p99"] > LAG_LIMIT_MS and not self.saturated:
            yield (
                f"the sessions were busy when their next transaction was due (lag {lag['p99']:.2f} "
                "ms at p99): more sessions would begin on time"
            )
        for session in self.lost:
            heard = (
                ""
                if session.unheard_s is None
                else f", last heard of {session.unheard_s:.2f} s before"
            )
            verb = "did not connect" if session.connect_ms is None else "was lost"
            yield f"session {session.number} ({session.client}) {verb}: {session.lost}{heard}"
        if not self.complete:
            yield "the load was killed: the file ends before its last line"


def load_result(data: LoadData) -> LoadResult:
    """Raises FileError for a histogram that is damaged."""
    workload = data.header["workload"]
    end = data.end or {}
    measured_s = sum(line["seconds"] for line in data.seconds)
    last_s = data.seconds[-1]["at_s"] if data.seconds else 0.0
    capacity_s = measured_s * data.header["host"]["client_processors"]
    connects = [line["connect_ms"] for line in data.sessions if "connect_ms" in line]
    return LoadResult(
        header=data.header,
        seconds=data.seconds,
        elapsed_s=end.get("elapsed_s", last_s),
        transactions=sum(line["transactions"] for line in data.seconds),
        errors=_counted(data, "errors"),
        ignored=_counted(data, "ignored"),
        dropped=sum(line["dropped"] for line in data.seconds),
        not_begun=end.get("not_begun", 0),
        statements=[
            StatementResult(
                statement["name"], statement["sql"], histogram.count, histogram.summary_ms()
            )
            for statement, histogram in zip(workload["statements"], data.latency, strict=True)
        ],
        sessions=[_session(data, number) for number in range(workload["sessions"])],
        latency_ms=merged(
            histogram.encoded() for histogram in data.latency if histogram.count
        ).summary_ms(),
        lag_ms=data.lag.summary_ms(),
        own_lag_ms=data.own_lag.summary_ms(),
        connect_ms=_percentiles(connects),
        client_cpu=sum(x["client_cpu_s"] for x in data.seconds) / capacity_s if capacity_s else 0.0,
        server_cpu_s=_total(data, "server_cpu_s"),
        break_polls=_whole(_total(data, "break_polls")),
        cache=dict(data.cache),
        interrupted=bool(end.get("interrupted")),
        complete=data.end is not None,
    )


def _session(data: LoadData, number: int) -> SessionResult:
    opened = next((line for line in data.sessions if line["session"] == number), {})
    lost = next((line for line in data.lost if line["session"] == number), None)
    why = lost["why"] if lost else opened.get("failed", "")
    clients = data.header["workload"]["clients"]
    return SessionResult(
        number=number,
        client=opened.get("client", clients[number % len(clients)]),
        sid=opened.get("sid"),
        spid=opened.get("spid"),
        transactions=data.by_session[number],
        connect_ms=opened.get("connect_ms"),
        lost=why,
        unheard_s=max(lost["at_s"] - lost["heard_s"], 0.0) if lost else None,
    )


def _counted(data: LoadData, name: str) -> Mapping[str, int]:
    totals: Counter[str] = Counter()
    for line in data.seconds:
        totals.update(line[name])
    return dict(totals.most_common())


def _total(data: LoadData, name: str) -> float | None:
    values = [line[name] for line in data.seconds if line.get(name) is not None]
    return sum(values) if values else None


def _whole(value: float | None) -> int | None:
    return None if value is None else int(value)


def _percentiles(values: Sequence[float]) -> Mapping[str, float]:
    """The exact summary of a few values."""
    if not values:
        return {}
    p50, p90, p99 = np.quantile(values, [0.5, 0.9, 0.99])
    return {"p50": float(p50), "p90": float(p90), "p99": float(p99), "max": max(values)}


def _number(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"
