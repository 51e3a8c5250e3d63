# SPDX-License-Identifier: GPL-2.0-or-later
"""Sessions whose client is a server itself: the other end of a database link, on this host."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from polltrace.servers.servers import Server, ServerName, servers


def with_client_servers(found: Sequence[Server]) -> list[Server]:
    """`found`, each with the server of this host that its client is, if it is one.

    The client is the process that holds the other end of the connection. Processes of other hosts
    and those that may not be asked stay unknown.
    """
    if not any(_from_this_host(server) for server in found):
        return list(found)
    ends = {
        socket.local: ServerName(server.pid, server.instance)
        for server in servers()
        for socket in server.sockets
    }
    return [
        replace(server, linked_from=ends.get(server.socket.peer))
        if server.socket and _from_this_host(server)
        else server
        for server in found
    ]


def _from_this_host(server: Server) -> bool:
    """Both ends of the client's connection have the same host's address."""
    socket = server.socket
    return socket is not None and socket.local.rpartition(":")[0] == socket.client
