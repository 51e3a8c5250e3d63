# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads of a process that stands at a system call: the socket it polls, and its stack."""

from __future__ import annotations

import os

from polltrace.stop_at import ptrace
from polltrace.stop_at.capture import Polled, StackCopy
from polltrace.stop_at.checked_calls import checked_fds
from polltrace.stop_at.polled_socket import polled_socket
from polltrace.stop_at.syscalls import POLLS, name_of

STACK_BYTES = 256 << 10
_POLLFD = 8
# Seconds and nanoseconds; only the old ppoll of 32-bit programs has them in 32 bits each.
_TIMESPEC, _TIMESPEC_32 = 16, 8


class Standing:
    """Reader of one traced process until it runs another program. Raises OSError if it is gone."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._pidfd = os.pidfd_open(pid)
        try:
            self._memory = os.open(f"/proc/{pid}/mem", os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            os.close(self._pidfd)
            raise

    def close(self) -> None:
        os.close(self._memory)
        os.close(self._pidfd)

    def polled(self, call: ptrace.CallEntry) -> Polled | None:
        """The socket of a break poll: one descriptor, timeout 0; of the other calls that an engine
        may check by, see checked_calls. None where the call is none."""
        name = name_of(call.number, call.is_64)
        if name not in POLLS:
            fds = checked_fds(self._pid, name, call.arguments, self._read)
            sockets = (polled_socket(self._pidfd, self._pid, fd) for fd in fds)
            return next(filter(None, sockets), None)
        if call.arguments[1] != 1:
            return None
        if name == "poll":
            zero = call.arguments[2] & 0xFFFFFFFF == 0
        else:
            size = _TIMESPEC if call.is_64 or name == "ppoll_time64" else _TIMESPEC_32
            zero = self._read(call.arguments[2], size) == bytes(size)
        pollfd = self._read(call.arguments[0], _POLLFD) if zero else b""
        if len(pollfd) != _POLLFD:
            return None
        return polled_socket(
            self._pidfd, self._pid, int.from_bytes(pollfd[:4], "little", signed=True)
        )

    def copy(self, tid: int, call: ptrace.CallEntry) -> StackCopy:
        """The stack of thread `tid`."""
        registers = ptrace.kept_registers(tid)
        return StackCopy(
            call.instruction, call.stack, registers, self._read(call.stack, STACK_BYTES)
        )

    def _read(self, address: int, length: int) -> bytes:
        try:
            return os.pread(self._memory, length, address)
        except (OSError, OverflowError):
            return b""
