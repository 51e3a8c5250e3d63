# SPDX-License-Identifier: GPL-2.0-or-later
"""Sessions whose client is a server itself: the other end of a database link, on this host.

The client is the process that holds the other end of the connection. Processes of other hosts and
those that may not be asked stay unknown.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from polltrace.profiles.frames import Identity
from polltrace.servers.servers import Server, ServerName, servers


def with_client_servers(
    chosen: Sequence[Server], of_host: Sequence[Server] | None = None
) -> list[Server]:
    """`found`, each with the server of this host that its client is, if it is one.

    `of_host` are all servers of this host, where the caller has them.
    """
    if not any(_from_this_host(server) for server in chosen):
        return list(chosen)
    links = ClientServers()
    for server in servers() if of_host is None else of_host:
        links.seen(server)
    return [replace(server, linked_from=links.of(server)) for server in chosen]


class ClientServers:
    """Index of the servers of one host that are clients of other servers there."""

    def __init__(self) -> None:
        self._servers: dict[Identity, Server] = {}
        self._ends: dict[str, ServerName] = {}
        self._sessions: dict[str, Identity] = {}

    def seen(self, server: Server) -> list[Identity]:
        """Take in a server as it is now; the sessions whose client it has turned out to be."""
        self.gone(server.identity)
        self._servers[server.identity] = server
        name = ServerName(server.pid, server.instance)
        self._ends |= dict.fromkeys((socket.local for socket in server.sockets), name)
        if server.socket and _from_this_host(server):
            self._sessions[server.socket.peer] = server.identity
        return [
            self._sessions[socket.local]
            for socket in server.sockets
            if socket.local in self._sessions
        ]

    def gone(self, identity: Identity) -> None:
        """Forget a server that has ended."""
        server = self._servers.pop(identity, None)
        if server is None:
            return
        for socket in server.sockets:
            self._ends.pop(socket.local, None)
        if server.socket and self._sessions.get(server.socket.peer) == identity:
            del self._sessions[server.socket.peer]

    def of(self, server: Server) -> ServerName | None:
        """The server that its client is."""
        if server.socket is None or not _from_this_host(server):
            return None
        return self._ends.get(server.socket.peer)


def _from_this_host(server: Server) -> bool:
    """True if both ends of the client's connection have the same host address."""
    socket = server.socket
    return socket is not None and socket.local.rpartition(":")[0] == socket.client
