# SPDX-License-Identifier: GPL-2.0-or-later
"""The database sessions of servers, read from the database in the background."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Mapping

from polltrace.errors import PolltraceError
from polltrace.profiles.frames import Identity
from polltrace.servers.database_sessions import DatabaseSession, ask
from polltrace.servers.login import Login
from polltrace.servers.servers import Server

# A logon is known this soon; a query takes a connection to the database.
_AGAIN_S = 15.0


class Identities:
    """`sessions` by process, each a PID with its start time: the database's answer for a PID is
    taken only for a process that was there before the query."""

    def __init__(
        self,
        login: Login | None,
        asking: Callable[[Login], Mapping[int, DatabaseSession]] = ask,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Query once, so that a wrong password is reported at once. Raises DriverError."""
        self._login, self._asking, self._clock = login, asking, clock
        self._answer: Mapping[int, DatabaseSession] = asking(login) if login else {}
        self._next_s = clock()
        self._thread: threading.Thread | None = None
        self._asked_of: dict[Identity, Server] = {}
        self._known: set[Identity] = set()
        self.sessions: dict[Identity, DatabaseSession] = {}

    @property
    def login(self) -> Login | None:
        """The login for the database's views; None where they are not read."""
        return self._login

    def follow(self, servers: Iterable[Server]) -> bool:
        """Go on, with the servers there are now; whether there is news. Never waits."""
        if self._login is None or (self._thread is not None and self._thread.is_alive()):
            return False
        news = self._thread is not None and self._take()
        self._thread = None
        servers_by_identity = {(server.pid, server.start_ticks): server for server in servers}
        if self._clock() >= self._next_s and servers_by_identity.keys() - self._known:
            self._next_s = self._clock() + _AGAIN_S
            self._asked_of, self._known = servers_by_identity, set(servers_by_identity)
            self._thread = threading.Thread(target=self._ask, args=(self._login,), daemon=True)
            self._thread.start()
        return news

    def wait(self) -> None:
        """Wait for the database's answer, if a query is under way."""
        if self._thread is not None:
            self._thread.join()

    def _ask(self, login: Login) -> None:
        try:
            self._answer = self._asking(login)
        except PolltraceError:
            self._answer = {}  # the names that are known are kept

    def _take(self) -> bool:
        sessions = {
            identity: session
            for identity, server in self._asked_of.items()
            if (session := self._answer.get(server.pid))
            and session.instance.upper() == server.instance.upper()
        }
        self.sessions = {
            identity: session
            for identity, session in (self.sessions | sessions).items()
            if identity in self._asked_of
        }
        return bool(sessions)
