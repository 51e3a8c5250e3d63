# SPDX-License-Identifier: GPL-2.0-or-later
"""Counts and latencies of one interval of a load, from the records that its clients send."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polltrace.scenarios.load.latency_histogram import Histogram, quantile_ms
from polltrace.scenarios.load.load_client_process import DROPPED, EXECUTED
from polltrace.scenarios.load.workload import Workload

_CODE = re.compile(r"\b[A-Z]{2,4}-\d{1,5}\b")
SETTLED_AT = 20_000
"""Records that wait to be counted, at most: more at once would keep the clients' pipes full."""
_MOST_ERRORS = 100
"""The number of different errors counted separately in an interval; all others are one."""


def error_code(text: str) -> str:
    """The error's code, or its beginning where it has none."""
    code = _CODE.search(text)
    return code[0] if code else text[:80]


class SessionClock:
    """The end of a session's last transaction, in nanoseconds after its start."""

    def __init__(self) -> None:
        self.ended_ns = 0.0

    def own_lag_ns(self, records: NDArray[np.void]) -> NDArray[np.float64]:
        """The delay of each start although its session was free: the generator's own delay."""
        previous_ends = np.concatenate([[self.ended_ns], records["ended_ns"][:-1]])
        if len(records):
            self.ended_ns = float(records["ended_ns"][-1])
        free = np.maximum(records["due_ns"], previous_ends)
        return np.asarray(records["began_ns"] - free)


class Tally:
    """The totals of an interval. Latency runs from the intended start in an open loop, from the
    actual one in a closed loop; failed executions have none.

    Records are kept as they come and counted together: message by message that took a tenth of a
    processor, in bursts that transactions had to wait for.
    """

    def __init__(self, workload: Workload) -> None:
        self._workload = workload
        self.by_session = [0] * workload.sessions
        self.errors: Counter[str] = Counter()
        self.ignored: Counter[str] = Counter()
        self.dropped = 0
        self.latency = [Histogram() for _ in workload.statements]
        self.lag, self.own_lag = Histogram(), Histogram()
        self._latencies: list[NDArray[np.float64]] = []
        self._lags: list[NDArray[np.float64]] = []
        self._waiting: dict[int, tuple[SessionClock, list[NDArray[np.void]]]] = {}
        self._count = 0

    def add(
        self, session: int, records: NDArray[np.void], errors: Sequence[str], clock: SessionClock
    ) -> None:
        if errors:
            for outcome in records["outcome"][records["outcome"] > 0].tolist():
                self._failed(errors[outcome - 1])
        self._waiting.setdefault(session, (clock, []))[1].append(records)
        self._count += len(records)
        if self._count >= SETTLED_AT:
            self._settle()

    def _settle(self) -> None:
        """Count the records that have come since the last call."""
        if not self._count:
            return
        all_own, all_records = [], []
        for session, (clock, parts) in self._waiting.items():
            joined = np.concatenate(parts)
            self.by_session[session] += int((joined["outcome"] == EXECUTED).sum())
            all_own.append(clock.own_lag_ns(joined))
            all_records.append(joined)
        self._waiting, self._count = {}, 0
        self._take(np.concatenate(all_records), np.concatenate(all_own))

    def _take(self, records: NDArray[np.void], own_lag: NDArray[np.float64]) -> None:
        was_begun = records["outcome"] != DROPPED
        self.dropped += int((~was_begun).sum())
        lags = (records["began_ns"] - records["due_ns"])[was_begun]
        self.lag.add(lags)
        self._lags.append(lags)
        self.own_lag.add(own_lag[was_begun])
        executed = records[records["outcome"] == EXECUTED]
        since = executed["due_ns"] if self._workload.open_loop else executed["began_ns"]
        latencies = executed["ended_ns"] - since
        self._latencies.append(latencies)
        for number in np.unique(executed["statement"]).tolist():
            self.latency[number].add(latencies[executed["statement"] == number])

    def _failed(self, text: str) -> None:
        code = error_code(text)
        into = self.ignored if code in self._workload.ignored_errors else self.errors
        into[code if code in into or len(into) < _MOST_ERRORS else "other errors"] += 1

    def line(self) -> dict[str, Any]:
        """The figures as a line of the load's file has them."""
        self._settle()
        latencies = np.concatenate([np.zeros(0), *self._latencies])
        lags = np.concatenate([np.zeros(0), *self._lags])
        return {
            "transactions": sum(self.by_session),
            "errors": dict(self.errors),
            "ignored": dict(self.ignored),
            "dropped": self.dropped,
            "p50_ms": quantile_ms(latencies, 0.5),
            "p90_ms": quantile_ms(latencies, 0.9),
            "p99_ms": quantile_ms(latencies, 0.99),
            "lag_p99_ms": quantile_ms(lags, 0.99),
            "by_session": self.by_session,
            "latency": [
                histogram.encoded() if histogram.count else "" for histogram in self.latency
            ],
            "lag": self.lag.encoded() if self.lag.count else "",
            "own_lag": self.own_lag.encoded() if self.own_lag.count else "",
        }
