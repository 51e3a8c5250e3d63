# SPDX-License-Identifier: GPL-2.0-or-later
"""The division of a server process's time: on a processor, ready to run, and waits by kind.

The kernel counts its processor time and its wait for a processor. The remaining time is divided by
samples of its waits.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass

from polltrace.intervals import Estimate, exactly, proportion
from polltrace.latency.wait_sampler import Waits
from polltrace.servers.servers import Server

RECEIVING = frozenset({"read", "readv", "recvfrom", "recvmsg"})
SENDING = frozenset({"write", "writev", "sendto", "sendmsg"})
# Calls on an epoll set with the client's socket; a wait for a lock is on another set.
_ON_A_SET = frozenset({"epoll_wait", "epoll_pwait", "epoll_pwait2"})
_EPOLL = "anon_inode:[eventpoll]"


@dataclass(frozen=True, slots=True)
class ServerUse:
    """Totals of the server process: `cpu_s`, seconds on a processor; `queued_s`, seconds ready to
    run.
    """

    cpu_s: float
    queued_s: float


@dataclass(frozen=True, slots=True)
class ClientDescriptors:
    """The server's descriptors by which it waits for its client: it reads and writes `streams`;
    `sets` are epoll sets with one of these in them.
    """

    streams: frozenset[int]
    sets: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class TimeBudget:
    """The time of an observation, divided; shares are of its `seconds`, from 0 to 1.

    - `cpu`, `queued`: on a processor, or waiting for one
    - `blocked`: waiting for something else, by system call, longest first
    - `sending`: waiting to send to the client
    - `idle`: waiting for the client
    - `samples`: number of samples of the server's state
    """

    seconds: float
    cpu: float
    queued: float
    blocked: Sequence[tuple[str, Estimate]]
    sending: Estimate
    idle: Estimate
    samples: int

    @property
    def unknown(self) -> float:
        """The remaining share: the process was ready to run whenever it was sampled, but the kernel
        accounts a wait for a processor only when it ends.
        """
        measured = self.cpu + self.queued + self.sending.value + self.idle.value
        return max(0.0, 1.0 - measured - sum(share.value for _, share in self.blocked))


def time_budget(
    seconds: float, used: ServerUse, waits: Waits, client: ClientDescriptors
) -> TimeBudget:
    """The division of `seconds` in which the server `used` that processor time."""
    cpu = min(used.cpu_s / seconds, 1.0)
    queued = min(used.queued_s / seconds, 1.0 - cpu)
    by_name: dict[str, int] = {}
    idle = sending = 0
    for (name, argument), count in waits.calls.items():
        if (name in RECEIVING and argument in client.streams) or (
            name in _ON_A_SET and argument in client.sets
        ):
            idle += count
        elif argument in client.streams and name in SENDING:
            sending += count
        else:
            by_name[name] = by_name.get(name, 0) + count
    blocked_samples = waits.samples - waits.running
    waited = 1.0 - cpu - queued

    def share(count: int) -> Estimate:
        """The samples' share of the time that the kernel does not count."""
        if not blocked_samples:
            return exactly(0.0)
        return proportion(count, blocked_samples).scaled(waited / 100)

    return TimeBudget(
        seconds=seconds,
        cpu=cpu,
        queued=queued,
        blocked=[
            (name, share(count))
            for name, count in sorted(by_name.items(), key=lambda entry: -entry[1])
        ],
        sending=share(sending) if sending else exactly(0.0),
        idle=share(idle) if idle else exactly(0.0),
        samples=waits.samples,
    )


def client_descriptors(server: Server) -> ClientDescriptors:
    """The descriptors by which the server waits for its client. A local session's client may be
    behind any of its pipes and sockets.
    """
    links = _links(server.pid)
    if server.socket is not None:
        streams = frozenset({server.socket.fd})
    else:
        streams = frozenset(
            fd for fd, link in links.items() if link.startswith(("pipe:", "socket:"))
        )
    # A pipe in an epoll set announces the parent's end or a signal, not a client's request.
    sockets = {fd for fd in streams if links.get(fd, "").startswith("socket:")}
    sets = [fd for fd, link in links.items() if link == _EPOLL]
    return ClientDescriptors(
        streams, frozenset(fd for fd in sets if sockets & _members(server.pid, fd))
    )


def _links(pid: int) -> dict[int, str]:
    """The target of each descriptor of a process; empty where that is not permitted."""
    folder = f"/proc/{pid}/fd"
    links = {}
    try:
        for name in os.listdir(folder):
            links[int(name)] = os.readlink(f"{folder}/{name}")
    except OSError:  # the process has ended or closed a descriptor
        pass
    return links


def _members(pid: int, fd: int) -> set[int]:
    """The descriptors in an epoll set (proc(5), fdinfo)."""
    try:
        with open(f"/proc/{pid}/fdinfo/{fd}", encoding="ascii") as file:
            return {int(number) for number in re.findall(r"^tfd: *(\d+)", file.read(), re.M)}
    except OSError:
        return set()
