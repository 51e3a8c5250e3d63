# SPDX-License-Identifier: GPL-2.0-or-later
"""Observation of a dedicated server and its client's connection, from outside."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from polltrace.errors import HostError, NoSuchProcessError, NotPermittedError
from polltrace.latency.round_trip_budget import SessionObservation
from polltrace.latency.tcp_info import tcp_info
from polltrace.latency.time_budget import (
    ClientDescriptors,
    ServerUse,
    TimeBudget,
    client_descriptors,
    time_budget,
)
from polltrace.latency.wait_sampler import RATE_HZ, Waits, WaitSampler
from polltrace.servers.client_socket import duplicate_socket
from polltrace.servers.servers import Server


def observe(
    server: Server, seconds: float, stopped: Callable[[], bool] = lambda: False
) -> SessionObservation:
    """Observe a session for `seconds`, or until `stopped` is true.

    Raises NoSuchProcessError for a session without a connection, or that ends; NotPermittedError,
    HostError.
    """
    if server.socket is None:
        raise NoSuchProcessError(
            f"process {server.pid} has no connection to a client: a local session has no network"
        )
    connection = duplicate_socket(server.pid, server.socket.fd)
    if connection is None:
        raise NotPermittedError(
            f"not permitted to ask process {server.pid}'s socket: run as root (Linux 5.6 or later)"
        )
    with connection:
        first_info = tcp_info(connection)
        observed = observe_process(server, seconds, stopped)
        last_info = tcp_info(connection)
    return SessionObservation(
        observed.seconds, observed.client, first_info, last_info, observed.used, observed.waits
    )


@dataclass(frozen=True, slots=True)
class ProcessObservation:
    """A server process, observed for `seconds`: its `used` processor time, samples of its waits,
    and the descriptors of its `client`.
    """

    seconds: float
    used: ServerUse
    waits: Waits
    client: ClientDescriptors

    @property
    def budget(self) -> TimeBudget:
        return time_budget(self.seconds, self.used, self.waits, self.client)


def observe_process(
    server: Server,
    seconds: float,
    stopped: Callable[[], bool] = lambda: False,
    rate_hz: float = RATE_HZ,
) -> ProcessObservation:
    """Observe a process without its connection, which a local session does not have. Raises the
    errors of observe().
    """
    sampler = WaitSampler(server.pid)
    used = _used(server.pid)
    began = time.monotonic()
    sampler.run(seconds, stopped, rate_hz)
    took_s = time.monotonic() - began
    later = _used(server.pid)
    spent = ServerUse(later.cpu_s - used.cpu_s, later.queued_s - used.queued_s)
    return ProcessObservation(took_s, spent, sampler.waits, client_descriptors(server))


def _used(pid: int) -> ServerUse:
    try:
        words = Path(f"/proc/{pid}/schedstat").read_text(encoding="utf-8").split()
    except OSError:
        raise NoSuchProcessError(f"process {pid} ended while it was observed") from None
    if len(words) < 2:
        raise HostError("this kernel has no /proc/PID/schedstat")
    return ServerUse(int(words[0]) / 1e9, int(words[1]) / 1e9)
