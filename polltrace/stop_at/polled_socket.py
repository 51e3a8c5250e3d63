# SPDX-License-Identifier: GPL-2.0-or-later
"""The socket behind another process's descriptor, asked by a duplicate that is closed at once."""

from __future__ import annotations

import ctypes
import errno
import os
import socket
from contextlib import suppress

from polltrace.stop_at.capture import Polled

_PIDFD_GETFD = 438  # Linux 5.6
_KINDS = {socket.AF_INET: "tcp", socket.AF_INET6: "tcp6", socket.AF_UNIX: "unix"}
_libc = ctypes.CDLL(None, use_errno=True)


def polled_socket(pidfd: int, pid: int, fd: int) -> Polled | None:
    """The connected stream socket behind `fd`; None for anything else.

    On kernels without pidfd_getfd any socket passes, without its addresses.
    """
    try:
        duplicate = duplicate_of(pidfd, fd)
    except OSError as error:
        if error.errno != errno.ENOSYS or not _is_socket(pid, fd):
            return None
        return Polled(fd, "socket", "", "")
    try:
        with socket.socket(fileno=duplicate) as duplicate_socket:
            if duplicate_socket.type != socket.SOCK_STREAM or duplicate_socket.family not in _KINDS:
                return None
            ends = (
                _address(duplicate_socket.getsockname()),
                _address(duplicate_socket.getpeername()),
            )
            return Polled(fd, _KINDS[duplicate_socket.family], *ends)
    except OSError:  # not a socket (then the duplicate is still open), or not connected
        return None
    finally:
        with suppress(OSError):
            os.close(duplicate)


def duplicate_of(pidfd: int, fd: int) -> int:
    """A descriptor of ours for the file behind another process's `fd`. Raises OSError."""
    duplicate = _libc.syscall(_PIDFD_GETFD, pidfd, fd, 0)
    if duplicate < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return int(duplicate)


def _is_socket(pid: int, fd: int) -> bool:
    try:
        return os.readlink(f"/proc/{pid}/fd/{fd}").startswith("socket:")
    except OSError:
        return False


def _address(name: object) -> str:
    match name:
        case (str(host), int(port)):
            return f"{host}:{port}"
        case (str(host), int(port), _, _):
            return f"[{host}]:{port}"
        case bytes():
            return name.decode(errors="backslashreplace").replace("\0", "@")
    return str(name)
