# SPDX-License-Identifier: GPL-2.0-or-later
"""A session of a load, as the generator sees it."""

from __future__ import annotations

import time

import numpy as np
from numpy.typing import NDArray

from polltrace.scenarios.load.load_client_process import LoadClient, entries_text
from polltrace.scenarios.load.load_plan import SessionPlan
from polltrace.scenarios.load.tally import SessionClock
from polltrace.scenarios.load.workload import Workload

CHUNK = 4096
"""Entries of a plan that are sent at once: decoding more would delay a transaction."""


class LoadSession:
    """Session `number`, carried by `client`.

    `state` is "waiting" (to connect), "connecting", "connected", "running", or one of its ends:
    "ended", "lost", "failed" (to connect).
    """

    def __init__(self, workload: Workload, number: int, client: LoadClient, seed: int) -> None:
        self.number = number
        self.client = client
        self.clock = SessionClock()
        self.state = "waiting"
        self.sid: int | None = None
        self.spid: int | None = None
        self.heard_at = 0.0
        self.start_ns = 0
        self._duration_ns = 1e9 * workload.seconds
        self._workload = workload
        self._plan = SessionPlan(workload, number, seed)
        self._sent = self._done = self._recent = 0
        self._complete = False
        self._intended = 0

    @property
    def over(self) -> bool:
        return self.state in ("ended", "lost", "failed")

    def begin(self, start_ns: int, end_ns: int) -> None:
        """Let it work from `start_ns` to `end_ns` (CLOCK_MONOTONIC)."""
        workload = self._workload
        self.state, self.start_ns = "running", start_ns
        self.heard_at = start_ns / 1e9
        self._duration_ns = float(end_ns - start_ns)
        self.feed()
        self.client.send(
            "run",
            session=self.number,
            start_ns=start_ns,
            end_ns=end_ns,
            open_loop=workload.open_loop,
            max_lag_ns=None if workload.max_lag_s is None else int(1e9 * workload.max_lag_s),
            per_commit=workload.transactions_per_commit,
            rollback=workload.end == "rollback",
        )

    def heard(self, records: NDArray[np.void]) -> None:
        self.heard_at = time.monotonic()
        self._done += len(records)
        self._recent += len(records)
        self.feed()

    def second_over(self) -> None:
        self._recent = 0

    def feed(self) -> None:
        """Send more of the plan, so that it lasts for seconds at the present speed."""
        lead = max(2 * CHUNK, 4 * self._recent)
        while self._sent - self._done < lead and not self._complete:
            entries = self._next(CHUNK)
            self._sent += len(entries)
            self.client.send("plan", session=self.number, entries=entries_text(entries))

    def not_begun(self) -> int:
        """The number of transactions of an open loop that were due and never started.

        Uses up the plan. The plan as sent ends with one that is not due.
        """
        if not self._workload.open_loop:
            return 0
        while not self._complete:
            self._next(CHUNK)
        return max(self._intended - self._done, 0)

    def _next(self, count: int) -> NDArray[np.void]:
        entries = self._plan.entries(count)
        if self._workload.open_loop:
            due = entries["due_ns"] < self._duration_ns
            self._intended += int(due.sum())
            # The first that is not due any more ends the session.
            self._complete = not due.all()
            return entries[: int(due.sum()) + 1]
        return entries

    def stop(self) -> None:
        self.client.send("stop", session=self.number)
