# SPDX-License-Identifier: GPL-2.0-or-later
"""Threads that may be interrupted without their program noticing."""

from __future__ import annotations

import os
import socket
import struct

from polltrace.stop_at.polled_socket import duplicate_of
from polltrace.stop_at.syscalls import NUMBERS
from polltrace.stop_at.threads import state

# Interrupted in one of these the kernel starts it again by itself, unseen by the program
# (signal(7)). In others, semtimedop and epoll_wait among them, the program would see EINTR.
_RESTARTED = frozenset(
    NUMBERS[name]
    for name in ("poll", "ppoll", "select", "pselect6", "nanosleep", "futex", "wait4", "waitid")
)
_NO_TIMEOUT = bytes(struct.calcsize("=qq"))


def may_interrupt(pid: int, tid: int) -> bool:
    """Whether an interruption would go unnoticed: it runs, or its call is restarted."""
    letter = state(pid, tid)
    if letter != "S":
        return letter == "R"
    try:
        with open(f"/proc/{pid}/task/{tid}/syscall", "rb", buffering=0) as file:
            words = file.read().split()
        number = int(words[0])
        if number == NUMBERS["read"]:
            return _restarts_read(pid, int(words[1], 16))
    except (OSError, ValueError, IndexError):
        return False
    return number in _RESTARTED


def _restarts_read(pid: int, fd: int) -> bool:
    """True for a pipe, and for a socket without a timeout of its own (SO_RCVTIMEO)."""
    kind = os.readlink(f"/proc/{pid}/fd/{fd}").partition(":")[0]
    if kind != "socket":
        return kind == "pipe"
    pidfd = os.pidfd_open(pid)
    try:
        duplicate = duplicate_of(pidfd, fd)
    finally:
        os.close(pidfd)
    with socket.socket(fileno=duplicate) as duplicate_socket:
        timeout = duplicate_socket.getsockopt(
            socket.SOL_SOCKET, socket.SO_RCVTIMEO, len(_NO_TIMEOUT)
        )
        return timeout == _NO_TIMEOUT
