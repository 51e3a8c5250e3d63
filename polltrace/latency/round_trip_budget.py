# SPDX-License-Identifier: GPL-2.0-or-later
"""The division of the time of a session's round trips: network, client and server.

The server's processor time and its wait for a processor are counted by the kernel. The remaining
time, its waits, is divided by samples: those in which it waits for its client's next request are
network and client. The network is at most the shortest round trip that the kernel saw on the
connection: a client's acknowledgement may come with its next request, and so contain its think
time.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

from polltrace.intervals import Estimate
from polltrace.latency.tcp_info import TcpInfo
from polltrace.latency.time_budget import ClientDescriptors, ServerUse, TimeBudget, time_budget
from polltrace.latency.wait_sampler import Waits


@dataclass(frozen=True, slots=True)
class SessionObservation:
    """The observations of a period.

    - `seconds`: its length
    - `client`: the server's descriptors of its client
    - `first_info`, `last_info`: the kernel's figures about the connection at its ends
    - `used`: processor time of the server process
    - `waits`: samples of the server's state
    """

    seconds: float
    client: ClientDescriptors
    first_info: TcpInfo
    last_info: TcpInfo
    used: ServerUse
    waits: Waits


@dataclass(frozen=True, slots=True)
class RoundTripBudget(TimeBudget):
    """The time of the observed period, divided.

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
        """Share of the network, at most, including the server's waits to send."""
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
        """Share of the client, at least: the time until it sends its next request."""
        network_share = self.network.value - self.sending.value
        idle = self.idle
        shares = (idle.value, idle.low, idle.high)
        return Estimate(*(max(share - network_share, 0.0) for share in shares))

    @property
    def server(self) -> Estimate:
        """Share of the server: all except its waits for the client."""
        away = self.idle.value + self.sending.value
        half = max(self.idle.half_width, self.sending.half_width)
        return Estimate(1 - away, max(1 - away - half, 0.0), min(1 - away + half, 1.0))


def session_time(window: SessionObservation) -> RoundTripBudget:
    """The division of the period's time."""
    first, last = window.first_info, window.last_info
    budget = time_budget(window.seconds, window.used, window.waits, window.client)
    requests = last.segments_in - first.segments_in
    answers = last.segments_out - first.segments_out
    shortest = last.min_rtt_s
    return RoundTripBudget(
        **{field.name: getattr(budget, field.name) for field in fields(budget)},
        trips=max(min(requests, answers), 0),
        network_s=last.rtt_s if shortest is None else min(shortest, last.rtt_s),
        retransmits=last.retransmits - first.retransmits,
    )
