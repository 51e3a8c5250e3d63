# SPDX-License-Identifier: GPL-2.0-or-later
"""The socket between a dedicated server and its client, found and asked from outside."""

from __future__ import annotations

import ctypes
import fcntl
import os
import socket
import struct
from collections.abc import Mapping
from dataclasses import dataclass

from polltrace.procfs import PROC, socket_fds

# Linux 5.6 and later, the same number on every architecture; libc has no wrapper in Debian 12.
_PIDFD_GETFD = 438
_ESTABLISHED, _CLOSE_WAIT = 0x01, 0x08


@dataclass(frozen=True, slots=True)
class ClientSocket:
    """`owner` is whom the kernel tells of urgent data (F_GETOWN); None where we may not ask."""

    fd: int
    local: str
    peer: str
    owner: int | None

    @property
    def client(self) -> str:
        """The client's host."""
        return self.peer.rpartition(":")[0]


Connections = Mapping[int, tuple[str, str]]


def client_socket(pid: int, connected: Connections) -> ClientSocket | None:
    """The connected TCP socket of a dedicated server; None for a local session.

    `connected` is connections(pid). A server may hold others (database links, the cluster
    interconnect): the client's is the one whose owner the server made itself, else the oldest,
    which has the lowest descriptor.
    """
    found = [
        ClientSocket(fd, *connected[inode], _owner(pid, fd))
        for fd, inode in sorted(socket_fds(pid).items())
        if inode in connected
    ]
    owned = [each for each in found if each.owner == pid]
    return next(iter(owned or found), None)


def connections(pid: int) -> Connections:
    """Local and peer address by inode, of the TCP connections of the process's network
    namespace: the same for every process in it."""
    found: dict[int, tuple[str, str]] = {}
    for table in ("tcp", "tcp6"):
        try:
            lines = (PROC / str(pid) / "net" / table).read_text().splitlines()[1:]
        except OSError:
            continue
        for line in lines:
            columns = line.split()
            if int(columns[3], 16) in (_ESTABLISHED, _CLOSE_WAIT):
                found[int(columns[9])] = (_address(columns[1]), _address(columns[2]))
    return found


def _address(column: str) -> str:
    """`0100007F:1F90` as /proc/net/tcp has it, each 32-bit word in host order: `127.0.0.1:8080`."""
    host, _, port = column.partition(":")
    words = struct.unpack(f">{len(host) // 8}I", bytes.fromhex(host))
    packed = struct.pack(f"={len(words)}I", *words)
    if len(packed) == 16 and packed.startswith(b"\0" * 10 + b"\xff\xff"):
        packed = packed[12:]  # an IPv4 client of a socket that listens on both
    if len(packed) == 4:
        return f"{socket.inet_ntop(socket.AF_INET, packed)}:{int(port, 16)}"
    return f"[{socket.inet_ntop(socket.AF_INET6, packed)}]:{int(port, 16)}"


def _owner(pid: int, fd: int) -> int | None:
    """F_GETOWN of another process's descriptor, by a duplicate that we close at once.

    The owner belongs to the open file, so the duplicate answers for it, and the process notices
    nothing. In a PID namespace of its own the answer is in ours.
    """
    try:
        pidfd = os.pidfd_open(pid)
    except OSError:
        return None
    duplicate = _libc.syscall(_PIDFD_GETFD, pidfd, fd, 0)
    os.close(pidfd)
    if duplicate < 0:
        return None
    try:
        return fcntl.fcntl(duplicate, fcntl.F_GETOWN)
    except OSError:
        return None
    finally:
        os.close(duplicate)


_libc = ctypes.CDLL(None, use_errno=True)
