# SPDX-License-Identifier: GPL-2.0-or-later
"""The socket between a dedicated server and its client, found and queried from outside."""

from __future__ import annotations

import ctypes
import os
import socket
import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from polltrace.procfs import PROC, socket_fds

# Linux 5.6 and later, the same number on every architecture; libc has no wrapper in Debian 12.
_PIDFD_GETFD = 438
_FAMILIES = (socket.AF_INET, socket.AF_INET6)
_ESTABLISHED, _CLOSE_WAIT = 0x01, 0x08


@dataclass(frozen=True, slots=True)
class ClientSocket:
    """A connected TCP socket behind descriptor `fd`; its ends `local` and `peer` as HOST:PORT.
    `owner` is the process that the kernel signals for urgent data (F_GETOWN); None where we may
    not ask."""

    fd: int
    local: str
    peer: str
    owner: int | None

    @property
    def client(self) -> str:
        """The client's host."""
        return self.peer.rpartition(":")[0]


Connections = Mapping[int, tuple[str, str]]


def clients_among(pid: int, sockets: Sequence[ClientSocket]) -> tuple[ClientSocket, ...]:
    """The TCP sockets of a dedicated server that may be its client's, likeliest first; none for a
    local session.

    A server may hold others (database links, the cluster interconnect): the client's is the one
    whose owner the server made itself, and then the only one. Else it is the one that the server
    polls; of those that it does not poll the oldest is the likeliest, with the lowest descriptor.
    """
    owned = [candidate for candidate in sockets if candidate.owner == pid]
    return tuple(owned[:1] or sockets)


def tcp_sockets(pid: int, connected: Callable[[], Connections]) -> tuple[ClientSocket, ...]:
    """The connected TCP sockets of a process, by descriptor.

    `connected` gives connections(pid), and is called only where a socket may not be duplicated: the
    kernel takes longer to list those tables than for all other reads here.
    """
    sockets = sorted(socket_fds(pid).items())
    pidfd = _pidfd(pid) if sockets else None
    try:
        return tuple(filter(None, (_asked(pidfd, fd, inode, connected) for fd, inode in sockets)))
    finally:
        if pidfd is not None:
            os.close(pidfd)


def duplicate_socket(pid: int, fd: int) -> socket.socket | None:
    """A duplicate of another process's socket, to ask it; None where there is none, or this user
    may not. The process notices nothing."""
    pidfd = _pidfd(pid)
    if pidfd is None:
        return None
    try:
        duplicate = _libc().syscall(_PIDFD_GETFD, pidfd, fd, 0)
        return socket.socket(fileno=duplicate) if duplicate >= 0 else None
    except OSError:  # no socket
        os.close(duplicate)
        return None
    finally:
        os.close(pidfd)


def _pidfd(pid: int) -> int | None:
    try:
        return os.pidfd_open(pid)
    except OSError:
        return None


def _asked(
    pidfd: int | None, fd: int, inode: int, connected: Callable[[], Connections]
) -> ClientSocket | None:
    """The socket, if it is a connected TCP socket, read from a duplicate that we close at once.

    Addresses and F_GETOWN belong to the open file, so the duplicate answers for it, and the
    process notices nothing. In a PID namespace of its own the owner is in ours.
    """
    import fcntl  # noqa: PLC0415 - a host that only reads recordings may lack it

    duplicate = -1 if pidfd is None else _libc().syscall(_PIDFD_GETFD, pidfd, fd, 0)
    if duplicate < 0:
        ends = connected().get(inode)
        return ClientSocket(fd, *ends, None) if ends else None
    with socket.socket(fileno=duplicate) as client:
        if client.family not in _FAMILIES or client.type != socket.SOCK_STREAM:
            return None
        try:
            local, peer = client.getsockname(), client.getpeername()
            owner = fcntl.fcntl(duplicate, fcntl.F_GETOWN)
        except OSError:  # it listens, or is not yet connected
            return None
    return ClientSocket(fd, _written(local), _written(peer), owner)


def _written(address: tuple[str, int]) -> str:
    host, port = address[0].removeprefix("::ffff:"), address[1]
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def connections(pid: int) -> Connections:
    """Local and peer address by inode, of the TCP connections of the process's network
    namespace: the same for every process in it."""
    ends_by_inode: dict[int, tuple[str, str]] = {}
    for table in ("tcp", "tcp6"):
        try:
            lines = (PROC / str(pid) / "net" / table).read_text().splitlines()[1:]
        except OSError:
            continue
        for line in lines:
            columns = line.split()
            if int(columns[3], 16) in (_ESTABLISHED, _CLOSE_WAIT):
                ends_by_inode[int(columns[9])] = (_address(columns[1]), _address(columns[2]))
    return ends_by_inode


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


@cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)
