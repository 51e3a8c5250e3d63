# SPDX-License-Identifier: GPL-2.0-or-later
"""Inspects processes from outside: when they start, and now and then while they run."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from polltrace.profiles.frames import Identity
from polltrace.servers.client_servers import ClientServers
from polltrace.servers.servers import Server
from polltrace.watch.probe_host import LOCAL_HOST

# A server is announced as it starts: its client's socket and its handler for SIGURG come a moment
# later, with the logon.
_LOGON_S = 2.0
# Facts of a running session (its socket's owner, its file) change seldom.
_AGAIN_S = 15.0


class Inspector:
    """The servers among the processes that were announced, each as /proc shows it."""

    def __init__(
        self,
        servers_of: Callable[[Iterable[int]], list[Server]] = LOCAL_HOST.servers,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._servers_of, self._clock = servers_of, clock
        self._due: dict[Identity, float] = {}
        self._inspected: dict[Identity, float] = {}
        self._new: set[Identity] = set()
        self._servers: dict[Identity, Server] = {}
        self._clients = ClientServers()

    @property
    def servers(self) -> Mapping[Identity, Server]:
        return self._servers

    @property
    def waiting(self) -> int:
        """The number of processes not inspected yet."""
        return sum(identity not in self._inspected for identity in self._due)

    def announced(self, identity: Identity, *, is_new: bool) -> None:
        """A process has come, or runs another program; `is_new`: it was not there before us."""
        self._inspected.pop(identity, None)
        if is_new:
            self._new.add(identity)
        self._due[identity] = self._clock()

    def ran(self, identity: Identity) -> None:
        """A process used CPU: inspect it again, if the last inspection is old."""
        inspected_at = self._inspected.get(identity)
        if (
            inspected_at is not None
            and inspected_at + _AGAIN_S < self._clock()
            and identity not in self._due
        ):
            self._due[identity] = inspected_at + _AGAIN_S

    def gone(self, identity: Identity) -> None:
        self._new.discard(identity)
        for table in (self._due, self._inspected, self._servers):
            table.pop(identity, None)
        self._clients.gone(identity)

    def due(self) -> bool:
        now_s = self._clock()
        return any(due_at <= now_s for due_at in self._due.values())

    def inspect(self, limit: int) -> list[Identity]:
        """Inspect up to `most` of those that are due; they are returned, servers or not, and with
        them the sessions of which it is news that their client is a server."""
        now_s = self._clock()
        chosen = [identity for identity, due_at in self._due.items() if due_at <= now_s][:limit]
        if not chosen:
            return []
        servers_by_identity = {
            (server.pid, server.start_ticks): server
            for server in self._servers_of([pid for pid, _ in chosen])
        }
        linked: list[Identity] = []
        for identity in chosen:
            self._inspected[identity] = now_s
            del self._due[identity]
            # One that now has another start time is another process: it is announced by itself.
            if identity in servers_by_identity:
                linked += self._found(servers_by_identity[identity])
                if identity in self._new:
                    self._due[identity] = now_s + _LOGON_S
            else:
                self._servers.pop(identity, None)
                self._clients.gone(identity)
            self._new.discard(identity)
        return [*chosen, *linked]

    def _found(self, server: Server) -> list[Identity]:
        """Keep a server; the other sessions whose client it is."""
        sessions = [session for session in self._clients.seen(server) if session in self._servers]
        self._servers[server.identity] = server
        for identity in (*sessions, server.identity):
            session = self._servers[identity]
            self._servers[identity] = replace(session, linked_from=self._clients.of(session))
        return sessions
