# SPDX-License-Identifier: GPL-2.0-or-later
"""Where the time of a session's round trips goes: network, client and server.

The server's processor time and its wait for a processor are counted by the kernel. The rest, its
waits, is divided by samples: those in which it waits for its client's next request are network and
client. Of that, network is at most the shortest round trip that the kernel saw on the connection:
a client's acknowledgement may come with its next request, and so contain its time to think.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

from polltrace.intervals import Estimate
from polltrace.latency.tcp_info import TcpInfo
from polltrace.latency.time_budget import ClientDescriptors, ServerUse, TimeBudget, time_budget
from polltrace.latency.wait_sampler import Waits


@dataclass(frozen=True, slots=True)
class Window:
    """What was observed.

    - `seconds`: how long
    - `client`: the server's descriptors of its client
    - `before`, `after`: the kernel's figures about the connection
    - `used`: by the server process in it
    - `waits`: samples of its state
    """

    seconds: float
    client: ClientDescriptors
    before: TcpInfo
    after: TcpInfo
    used: ServerUse
    waits: Waits


@dataclass(frozen=True, slots=True)
class SessionTime(TimeBudget):
    """The window's time, divided.

    - `trips`: round trips to the client: requests or answers, whichever were fewer segments
    - `network_s`: seconds of a round trip between the two hosts, at most; None: not measured
    - `retransmits`: segments that the server sent again
    """

    trips: int
    network_s: float | None
    retransmits: int

    @property
    def trip_s(self) -> float | None:
        """Seconds from one round trip to the next."""
        return self.seconds / self.trips if self.trips else None

    @property
    def network(self) -> Estimate:
        """Share of the network, at most, with what the server waited to send."""
        if self.network_s is None or not self.trips:
            return self.sending
        share = self.network_s * self.trips / self.seconds
        idle = self.idle
        return Estimate(
            min(share, idle.value) + self.sending.value,
            min(share, idle.low) + self.sending.low,
            min(share, idle.high) + self.sending.high,
        )

    @property
    def client(self) -> Estimate:
        """Share of the client, at least: what it takes to send its next request."""
        taken = self.network.value - self.sending.value
        idle = self.idle
        return Estimate(*(max(each - taken, 0.0) for each in (idle.value, idle.low, idle.high)))

    @property
    def server(self) -> Estimate:
        """Share of the server: all but its waits for the client."""
        away = self.idle.value + self.sending.value
        half = max(self.idle.half_width, self.sending.half_width)
        return Estimate(1 - away, max(1 - away - half, 0.0), min(1 - away + half, 1.0))


def session_time(window: Window) -> SessionTime:
    """The division of the window's time."""
    before, after = window.before, window.after
    budget = time_budget(window.seconds, window.used, window.waits, window.client)
    requests = after.segments_in - before.segments_in
    answers = after.segments_out - before.segments_out
    shortest = after.min_rtt_s
    return SessionTime(
        **{each.name: getattr(budget, each.name) for each in fields(budget)},
        trips=max(min(requests, answers), 0),
        network_s=after.rtt_s if shortest is None else min(shortest, after.rtt_s),
        retransmits=after.retransmits - before.retransmits,
    )
