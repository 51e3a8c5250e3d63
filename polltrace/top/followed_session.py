# SPDX-License-Identifier: GPL-2.0-or-later
"""Measurement of one server at a time, in a background thread while its pane is shown."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from typing import Generic, TypeVar

from polltrace.profiles.frames import Identity
from polltrace.servers.servers import Server


class Measurement(ABC):
    """A measurement of one `server` in a thread, which ends at `over`."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._news = threading.Event()
        self.over = threading.Event()
        threading.Thread(target=self._run, daemon=True).start()

    def has_news(self) -> bool:
        """True if a result has come since the last call."""
        news = self._news.is_set()
        self._news.clear()
        return news

    @abstractmethod
    def _run(self) -> None:
        """Measure, and set `_news` each time, until `over`."""


_M = TypeVar("_M", bound=Measurement)


class FollowedSession(ABC, Generic[_M]):
    """Follows the server that is open."""

    def __init__(self) -> None:
        self._of: Identity | None = None
        self._measurement: _M | None = None

    @abstractmethod
    def _begin(self, server: Server) -> _M: ...

    def follow(self, server: Server | None) -> bool:
        """Measure this one, or none; whether there is news. Never waits."""
        of = (server.pid, server.start_ticks) if server else None
        if of != self._of:
            self.close()
            self._of = of
            self._measurement = self._begin(server) if server else None
            return True
        return self._measurement is not None and self._measurement.has_news()

    def close(self) -> None:
        """Measure no more."""
        if self._measurement is not None:
            self._measurement.over.set()
        self._of = self._measurement = None
