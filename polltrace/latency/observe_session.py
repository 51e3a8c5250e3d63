# SPDX-License-Identifier: GPL-2.0-or-later
"""Observes a dedicated server and its client's connection for a while, from outside."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from polltrace.errors import HostError, NoSuchProcessError, NotPermittedError
from polltrace.latency.session_time import ServerUse, Window
from polltrace.latency.tcp_info import tcp_info
from polltrace.latency.wait_sampler import WaitSampler
from polltrace.servers.client_socket import duplicate_socket
from polltrace.servers.servers import Server


def observe(server: Server, seconds: float, stopped: Callable[[], bool] = lambda: False) -> Window:
    """The window, shorter where `stopped` says so. Raises NoSuchProcessError for a session without
    a connection, or that ends; NotPermittedError, HostError."""
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
        sampler = WaitSampler(server.pid)
        before, used = tcp_info(connection), _used(server.pid)
        began = time.monotonic()
        sampler.run(seconds, stopped)
        took_s = time.monotonic() - began
        after, later = tcp_info(connection), _used(server.pid)
    spent = ServerUse(later.cpu_s - used.cpu_s, later.queued_s - used.queued_s)
    return Window(took_s, server.socket.fd, before, after, spent, sampler.waits)


def _used(pid: int) -> ServerUse:
    try:
        words = Path(f"/proc/{pid}/schedstat").read_text(encoding="utf-8").split()
    except OSError:
        raise NoSuchProcessError(f"process {pid} ended while it was observed") from None
    if len(words) < 2:
        raise HostError("this kernel has no /proc/PID/schedstat")
    return ServerUse(int(words[0]) / 1e9, int(words[1]) / 1e9)
