# SPDX-License-Identifier: GPL-2.0-or-later
"""A client that is gone in the middle of a statement, and how soon its server process ends."""

from __future__ import annotations

import ctypes
import os
import select
import socket
import struct
import time

from polltrace.procfs import socket_fds
from polltrace.scenarios.plan.cell import KILLED
from polltrace.scenarios.run.client import DriverClient
from polltrace.servers.client_socket import duplicate_socket

PATIENCE_S = 8.0
"""A client that was not found in this time counts as not found."""

_SO_ATTACH_FILTER = 26  # socket(7)
_RETURN = 0x06  # BPF_RET | BPF_K: how many bytes of the packet to keep
_TCP = (socket.AF_INET, socket.AF_INET6)


def found_after(
    client: DriverClient, pid: int, loss: str, within_s: float = PATIENCE_S
) -> float | None:
    """Seconds from the moment that the client is `gone` (one of GONE) until its server process
    `pid` has ended; None where that has not ended `within_s`. The client program is of no use
    afterwards: restart() it."""
    pidfd = os.pidfd_open(pid)
    try:
        ended = select.poll()
        ended.register(pidfd, select.POLLIN)
        began = time.perf_counter()
        if loss == KILLED:
            client.end()
        else:
            cut_off(client.pid)
        if not ended.poll(1e3 * within_s):
            return None
        return time.perf_counter() - began
    finally:
        os.close(pidfd)


def cut_off(pid: int) -> None:
    """Drop all that comes to the TCP connections of a process, before TCP sees it. A peer that is
    not sent anything is then where it would be had the host vanished: no byte comes from there, and
    its own bytes are not acknowledged."""
    instruction = ctypes.create_string_buffer(struct.pack("HBBI", _RETURN, 0, 0, 0))
    program = struct.pack("HP", 1, ctypes.addressof(instruction))
    for fd in socket_fds(pid):
        duplicate = duplicate_socket(pid, fd)
        if duplicate is None:
            continue
        with duplicate:
            if duplicate.family in _TCP and duplicate.type == socket.SOCK_STREAM:
                duplicate.setsockopt(socket.SOL_SOCKET, _SO_ATTACH_FILTER, program)
