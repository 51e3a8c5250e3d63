# SPDX-License-Identifier: GPL-2.0-or-later
"""Rounds of measurements by one or more sessions at once, on a schedule."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from polltrace.scenarios.run.latency.latency_session import LatencySession, LayerFailure
from polltrace.scenarios.run.latency.layers import Sample

# Longer than any round: only a session that hangs is left behind.
_PATIENCE_S = 10.0


@dataclass(frozen=True, slots=True)
class Schedule:
    """The schedule of a session's measurements.

    - `interval_s`: from the beginning of a round to the next
    - `count`: rounds of each session; None: without end
    - `period_s`: when to end; None: never
    """

    interval_s: float
    count: int | None
    period_s: float | None


@dataclass(frozen=True, slots=True)
class PingMeasurement:
    """A `sample`, or a failure, of `session` (from 0), `at_s` seconds after the first round."""

    at_s: float
    session: int
    sample: Sample | LayerFailure


class Rounds:
    """Runs the sessions' rounds, each session in a thread; `take` gets every measurement, one at a
    time, and ends all rounds by raising an error. Times come from the drivers' processes, so our
    threads do not distort them."""

    def __init__(
        self,
        sessions: Sequence[LatencySession],
        schedule: Schedule,
        take: Callable[[PingMeasurement], None],
    ) -> None:
        self._sessions = sessions
        self._schedule = schedule
        self._take = take
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._failure: Exception | None = None
        self.late = 0
        """Rounds left out, because the one before took longer than the interval."""

    def stop(self) -> None:
        """End after the rounds that have begun."""
        self._stop.set()

    def run(self, between: Callable[[], None] = lambda: None) -> None:
        """Measure all rounds, after a discarded round of each session; `between` is called now and
        then. Raises the errors of `take`."""
        for session in self._sessions:
            list(session.round())
        self._began = time.monotonic()
        threads = [
            threading.Thread(target=self._session, args=(n, session), daemon=True)
            for n, session in enumerate(self._sessions)
        ]
        for thread in threads:
            thread.start()
        stopped_at = None
        while any(thread.is_alive() for thread in threads):
            threads[0].join(0.1)
            if not threads[0].is_alive():
                time.sleep(0.05)
            with self._lock:
                between()
            if self._stop.is_set():
                stopped_at = stopped_at or time.monotonic()
                if time.monotonic() - stopped_at > _PATIENCE_S:
                    break
        if self._failure:
            raise self._failure

    def _session(self, number: int, session: LatencySession) -> None:
        try:
            self._rounds(number, session)
        except Exception as error:
            self._failure = error
            self._stop.set()

    def _rounds(self, number: int, session: LatencySession) -> None:
        plan, turn = self._schedule, 0
        rounds = 0
        while plan.count is None or rounds < plan.count:
            due_s = turn * plan.interval_s
            if plan.period_s is not None and due_s >= plan.period_s:
                return
            if self._stop.wait(max(self._began + due_s - time.monotonic(), 0)):
                return
            for sample in session.round():
                with self._lock:
                    self._take(PingMeasurement(time.monotonic() - self._began, number, sample))
            rounds += 1
            passed = int((time.monotonic() - self._began) / plan.interval_s)
            turn += 1
            if passed > turn:
                with self._lock:
                    self.late += passed - turn
                turn = passed
