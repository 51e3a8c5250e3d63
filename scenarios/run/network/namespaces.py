# SPDX-License-Identifier: GPL-2.0-or-later
"""Network namespaces that only a run can reach.

The server has a namespace with the clients that reach it directly, and each path has one for its
clients. None has a link to the host's own network, so nothing changes there, and nobody there can
reach the server. None has a name either: the kernel removes a namespace, with its interfaces and
queues, when no process is in it and no descriptor of ours is open, so a `kill -9` leaves nothing
behind.
"""

from __future__ import annotations

import contextlib
import ctypes
import ipaddress
import os
import subprocess
from collections.abc import Iterator

from polltrace.errors import HostError

SERVER = "10.0.0.1"
"""The server's address in its namespace, the same on every path."""

OURS = "/proc/thread-self/ns/net"
_CLIENTS = ipaddress.IPv4Address("10.1.0.1")
_CLONE_NEWNET = 0x40000000  # linux/sched.h; os.unshare() and os.setns() are Python 3.12's
_libc = ctypes.CDLL(None, use_errno=True)


@contextlib.contextmanager
def server_namespace() -> Iterator[None]:
    """Move this thread, and all that it starts, to a new namespace with the address SERVER.

    Raises HostError where that is not permitted.
    """
    with moved_to_new():
        do("ip", "link", "set", "lo", "up")
        do("ip", "address", "add", SERVER, "dev", "lo")
        yield


def address_ends(number: int, link: str, start: tuple[str, ...]) -> None:
    """Give both ends of `link` their addresses and bring them up: the one in our namespace, and the
    one where `start` starts programs. `number` differs for each path."""
    client = str(_CLIENTS + number)
    do(*start, "ip", "link", "set", "lo", "up")
    for inside, near, far in (((), SERVER, client), (start, client, SERVER)):
        do(*inside, "ip", "address", "add", near, "peer", far, "dev", link)
        do(*inside, "ip", "link", "set", link, "up")


def starting_in(namespace: int) -> tuple[str, ...]:
    """The command that starts a program in the namespace behind this descriptor of ours."""
    return ("nsenter", f"--net=/proc/{os.getpid()}/fd/{namespace}")


@contextlib.contextmanager
def moved_to_new() -> Iterator[None]:
    """Move this thread to a new network namespace, and back at the end."""
    with opened(OURS) as home:
        _checked(_libc.unshare(_CLONE_NEWNET))
        try:
            yield
        finally:
            _checked(_libc.setns(home, _CLONE_NEWNET))


@contextlib.contextmanager
def opened(name: str) -> Iterator[int]:
    fd = os.open(name, os.O_RDONLY)
    try:
        yield fd
    finally:
        os.close(fd)


def _checked(result: int) -> None:
    if result != 0:
        reason = os.strerror(ctypes.get_errno())
        raise HostError(f"cannot make a network namespace: {reason}")


def do(*command: str) -> None:
    """Run a command. Raises HostError with the last line of its errors."""
    try:
        ended = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    except FileNotFoundError:
        raise HostError(f"{command[0]} is not installed") from None
    if ended.returncode != 0:
        errors = ended.stderr.strip().splitlines() or [f"exit code {ended.returncode}"]
        name, colon, reason = errors[-1].partition(": ")
        # tc and ip do not begin with their names.
        if name not in command or not colon:
            name = next((word for word in command if word in {"ip", "tc"}), command[0])
            reason = errors[-1].removeprefix("Error: ")
        raise HostError(f"{name} reports '{reason.rstrip('.')}'")
