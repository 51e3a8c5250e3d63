# SPDX-License-Identifier: GPL-2.0-or-later
"""The request loop of the client programs in Python; README.md has the requests.

A program derives one class from `DriverProgram`, in the style of its driver's documentation, and
calls `serve`.
"""

from __future__ import annotations

import json
import os
import queue
import sys
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

Answer = dict[str, Any]


class DriverProgram(ABC):
    """A connection of a driver.

    - `errors`: the driver's exception classes
    - `connection`: the driver's, from `connect` on
    """

    errors: tuple[type[Exception], ...]
    connection: Any
    running = False
    break_sent: float | None = None

    @abstractmethod
    def connect(self, *args: Any, **request: Any) -> None:
        """Set `connection`. Raises one of `errors`, or OSError."""

    @abstractmethod
    def execute(self, sql: str, binds: list[Any]) -> tuple[list[Any], int]:
        """Execute a statement and fetch everything; the rows, and the number of changed rows."""

    @abstractmethod
    def cancel(self) -> None:
        """Cancel the running statement; called from another thread."""

    @abstractmethod
    def ping(self) -> None:
        """Make one round trip."""

    def error_text(self, error: Exception) -> str:
        """An error as one line: the first of the driver's text."""
        return (str(error).splitlines() or [type(error).__name__])[0]

    def answer(self, do: str, **request: Any) -> Answer:
        """Carry out a request. Raises one of `errors`, or OSError."""
        if do == "connect":
            self.connect(**request)
        elif do == "query":
            return self._query(**request)
        elif do == "ping":
            return {"elapsed_s": [_seconds_of(self.ping) for _ in range(request["times"])]}
        else:
            getattr(
                self.connection, {"commit": "commit", "rollback": "rollback"}.get(do, "close")
            )()
        return {}

    def _query(self, sql: str, binds: list[Any], times: int, keep: bool) -> Answer:
        elapsed_s: list[float] = []
        rows: list[Any] = []
        changed = 0
        try:
            for _ in range(times):
                began = time.perf_counter()
                rows, changed = self.execute(sql, binds)
                elapsed_s.append(time.perf_counter() - began)
        except self.errors as error:
            returned = time.perf_counter()
            failure: Answer = {"error": self.error_text(error)}
            if self.break_sent is not None:
                failure["break_ms"] = 1e3 * (returned - self.break_sent)
            return failure
        finally:
            self.running = False
        return {
            "elapsed_s": elapsed_s,
            "rows": rows if keep else [],
            "row_count": len(rows),
            "changed": changed,
        }

    def read_requests(self, requests: queue.SimpleQueue[Answer]) -> None:
        """Pass requests on, and send breaks at once; the process ends with its input."""
        for line in sys.stdin:
            request = json.loads(line)
            if request["do"] == "break":
                if self.running:
                    self.break_sent = time.perf_counter()
                    self.cancel()
            else:
                # The request counts as running from here on: a break that follows is meant for it.
                self.break_sent = None
                self.running = request["do"] == "query"
                requests.put(request)
        os._exit(0)


def _seconds_of(action: Callable[[], None]) -> float:
    began = time.perf_counter()
    action()
    return time.perf_counter() - began


def serve(program: DriverProgram, **about: Any) -> None:
    """Describe the driver in the first answer, and answer requests until standard input ends."""
    requests: queue.SimpleQueue[Answer] = queue.SimpleQueue()
    threading.Thread(target=program.read_requests, args=(requests,), daemon=True).start()
    errors: tuple[type[Exception], ...] = (*program.errors, OSError)
    answer = about
    while True:
        print(json.dumps(answer, default=str), flush=True)
        try:
            answer = program.answer(**requests.get())
        except errors as error:
            answer = {"error": program.error_text(error)}
