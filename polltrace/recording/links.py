# SPDX-License-Identifier: GPL-2.0-or-later
"""Which session's client is which server: database links, in one recording or between several."""

from __future__ import annotations

import ipaddress
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from polltrace.servers.servers import Server

CLOCKS_DIFFER_S = 60.0
"""By how much the clocks of two hosts may differ."""


@dataclass(frozen=True, slots=True)
class Presence:
    """A server in recording number `recording`, watched from `from_s` to `to_s`, seconds since the
    epoch; it may be none of a database."""

    recording: int
    server: Server | None
    from_s: float
    to_s: float


def links(present: Sequence[Presence]) -> Iterator[tuple[int, int]]:
    """The servers that are the clients of others: by number, the client and then its session's.

    A link is one connection, which both servers hold: its addresses say so. An address of loopback
    means a host of its own in each recording, and a port may be used again: both must have been
    there at the same time.
    """
    ends: dict[str, list[int]] = defaultdict(list)
    for number, each in enumerate(present):
        own = each.server.socket if each.server else None
        for other in each.server.sockets if each.server else ():
            if other != own:
                ends[other.local].append(number)
    for number, each in enumerate(present):
        peer = each.server.socket.peer if each.server and each.server.socket else ""
        clients = [
            client
            for client in ends.get(peer, ())
            if client != number and _together(present[client], each, peer)
        ]
        if len(clients) == 1:
            yield clients[0], number


def _together(client: Presence, session: Presence, address: str) -> bool:
    """Whether they were there at the same time, where this address means the same."""
    same = client.recording == session.recording
    if not same and _is_loopback(address):
        return False
    slack_s = 0.0 if same else CLOCKS_DIFFER_S
    return client.from_s <= session.to_s + slack_s and session.from_s <= client.to_s + slack_s


def _is_loopback(address: str) -> bool:
    try:
        return ipaddress.ip_address(address.rpartition(":")[0].strip("[]")).is_loopback
    except ValueError:
        return False
