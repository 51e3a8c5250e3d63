# SPDX-License-Identifier: GPL-2.0-or-later
"""Where the time of a session's round trips goes: network, client and server.

The server's processor time and its wait for a processor are counted by the kernel. The rest, its
waits, is divided by samples: those in which it waits for its client's next request are network and
client. Of that, network is at most the shortest round trip that the kernel saw on the connection:
a client's acknowledgement may come with its next request, and so contain its time to think.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from polltrace.intervals import Estimate, exactly, proportion
from polltrace.latency.tcp_info import TcpInfo
from polltrace.latency.wait_sampler import Waits

RECEIVING = frozenset({"read", "readv", "recvfrom", "recvmsg"})
SENDING = frozenset({"write", "writev", "sendto", "sendmsg"})


@dataclass(frozen=True, slots=True)
class ServerUse:
    """Totals of the server process: `cpu_s`, seconds on a processor; `queued_s`, seconds ready to
    run."""

    cpu_s: float
    queued_s: float


@dataclass(frozen=True, slots=True)
class Window:
    """What was observed.

    - `seconds`: how long
    - `fd`: the server's descriptor of its client's socket
    - `before`, `after`: the kernel's figures about the connection
    - `used`: by the server process in it
    - `waits`: samples of its state
    """

    seconds: float
    fd: int
    before: TcpInfo
    after: TcpInfo
    used: ServerUse
    waits: Waits


@dataclass(frozen=True, slots=True)
class SessionTime:
    """The window's time, divided; shares are of its `seconds`, from 0 to 1.

    - `trips`: round trips to the client: requests or answers, whichever were fewer segments
    - `cpu`, `queued`: shares that the server was on a processor, or waited for one
    - `blocked`: shares that it waited for something else, by system call, longest first
    - `sending`: share that it waited to send to the client
    - `idle`: share that it waited for its client's next request
    - `network_s`: seconds of a round trip between the two hosts, at most; None: not measured
    - `samples`: of the server's state
    - `retransmits`: segments that the server sent again
    """

    seconds: float
    trips: int
    cpu: float
    queued: float
    blocked: Sequence[tuple[str, Estimate]]
    sending: Estimate
    idle: Estimate
    network_s: float | None
    samples: int
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
    """Raises ValueError for a window without a sample."""
    waits, seconds = window.waits, window.seconds
    requests = window.after.segments_in - window.before.segments_in
    answers = window.after.segments_out - window.before.segments_out
    cpu = min(window.used.cpu_s / seconds, 1.0)
    queued = min(window.used.queued_s / seconds, 1.0 - cpu)
    by_name: dict[str, int] = {}
    idle = sending = 0
    for (name, argument), count in waits.calls.items():
        if argument == window.fd and name in RECEIVING:
            idle += count
        elif argument == window.fd and name in SENDING:
            sending += count
        else:
            by_name[name] = by_name.get(name, 0) + count
    blocked_samples = waits.samples - waits.running
    waited = 1.0 - cpu - queued

    def share(count: int) -> Estimate:
        """Of the time that the kernel does not count, the samples' share."""
        if not blocked_samples:
            return exactly(0.0)
        return proportion(count, blocked_samples).scaled(waited / 100)

    shortest = window.after.min_rtt_s
    return SessionTime(
        seconds=seconds,
        trips=max(min(requests, answers), 0),
        cpu=cpu,
        queued=queued,
        blocked=[
            (name, share(count))
            for name, count in sorted(by_name.items(), key=lambda each: -each[1])
        ],
        sending=share(sending) if sending else exactly(0.0),
        idle=share(idle) if idle else exactly(0.0),
        network_s=window.after.rtt_s if shortest is None else min(shortest, window.after.rtt_s),
        samples=waits.samples,
        retransmits=window.after.retransmits - window.before.retransmits,
    )
