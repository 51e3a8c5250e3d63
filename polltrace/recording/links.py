# SPDX-License-Identifier: GPL-2.0-or-later
"""Database links: the sessions whose client is a server of the same or another recording."""

from __future__ import annotations

import ipaddress
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from polltrace.servers.servers import Server

CLOCKS_DIFFER_S = 60.0
"""The largest assumed difference between the clocks of two hosts."""


@dataclass(frozen=True, slots=True)
class Presence:
    """A process in recording number `recording`, watched from `from_s` to `to_s`, seconds since the
    epoch; `server` is None for a process that is no database server.
    """

    recording: int
    server: Server | None
    from_s: float
    to_s: float


def links(present: Sequence[Presence]) -> Iterator[tuple[int, int]]:
    """The links, each as the numbers of the client and of its session.

    A link is one connection, whose addresses both servers have. A loopback address means a
    different host in each recording, and a port may be used again: both must have existed at the
    same time.
    """
    ends: dict[str, list[int]] = defaultdict(list)
    for number, presence in enumerate(present):
        client_socket = presence.server.socket if presence.server else None
        for connection in presence.server.sockets if presence.server else ():
            if connection != client_socket:
                ends[connection.local].append(number)
    for number, presence in enumerate(present):
        peer = presence.server.socket.peer if presence.server and presence.server.socket else ""
        clients = [
            client
            for client in ends.get(peer, ())
            if client != number and _together(present[client], presence, peer)
        ]
        if len(clients) == 1:
            yield clients[0], number


def _together(client: Presence, session: Presence, address: str) -> bool:
    """True if both existed at the same time, in recordings in which the address means the same
    host.
    """
    same_recording = client.recording == session.recording
    if not same_recording and _is_loopback(address):
        return False
    slack_s = 0.0 if same_recording else CLOCKS_DIFFER_S
    return client.from_s <= session.to_s + slack_s and session.from_s <= client.to_s + slack_s


def _is_loopback(address: str) -> bool:
    try:
        return ipaddress.ip_address(address.rpartition(":")[0].strip("[]")).is_loopback
    except ValueError:
        return False
