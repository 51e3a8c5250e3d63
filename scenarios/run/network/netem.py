# SPDX-License-Identifier: GPL-2.0-or-later
"""Network paths by `tc netem`, between network namespaces.

The server has a namespace with the clients that reach it directly, and each path has one for its
clients, joined with the server's by a pair of virtual interfaces; netem delays at both ends. None
has a link to the host's own network, so nothing changes there, and nobody there can reach the
server. None has a name either: the kernel removes a namespace, with its interfaces and queues, when
no process is in it and no descriptor of ours is open, so a `kill -9` leaves nothing behind.

netem cannot tell urgent data from other data: losing it, or putting it in line, takes a relay
(relay.py).
"""

from __future__ import annotations

import contextlib
import ctypes
import ipaddress
import os
import subprocess
from collections.abc import Iterator

from polltrace.errors import HostError
from polltrace.scenarios.plan.network_path import NetworkPath

SERVER = "10.0.0.1"
"""The server's address in its namespace, the same on every path."""

_CLIENTS = ipaddress.IPv4Address("10.1.0.1")
_OURS = "/proc/thread-self/ns/net"
_CLONE_NEWNET = 0x40000000  # linux/sched.h; os.unshare() and os.setns() are Python 3.12's
_libc = ctypes.CDLL(None, use_errno=True)


def netem_refused() -> str | None:
    """Why netem does not work here; None where it does. It is tried in a namespace of its own."""
    try:
        _do("unshare", "--net", "tc", "qdisc", "add", "dev", "lo", "root", *_netem(_ANY))
    except HostError as error:
        return str(error)
    return None


@contextlib.contextmanager
def server_namespace() -> Iterator[None]:
    """Move this thread, and all that it starts, to a new namespace with the address SERVER.

    Raises HostError where that is not permitted.
    """
    with _moved_to_new():
        _do("ip", "link", "set", "lo", "up")
        _do("ip", "address", "add", SERVER, "dev", "lo")
        yield


@contextlib.contextmanager
def clients_namespace(number: int, path: NetworkPath) -> Iterator[tuple[str, ...]]:
    """A namespace at the far end of a path to ours; the command that starts a program in it.

    `number` differs for each path. Raises HostError where the kernel refuses.
    """
    with contextlib.ExitStack() as stack:
        with _moved_to_new():
            there = stack.enter_context(_opened(_OURS))
        namespace = f"/proc/{os.getpid()}/fd/{there}"
        start = ("nsenter", f"--net={namespace}")
        link, client = f"path{number}", str(_CLIENTS + number)
        peer = ("peer", "name", link, "netns", namespace)
        _do("ip", "link", "add", link, "type", "veth", *peer)
        _do(*start, "ip", "link", "set", "lo", "up")
        for inside, near, far in (((), SERVER, client), (start, client, SERVER)):
            _do(*inside, "ip", "address", "add", near, "peer", far, "dev", link)
            _do(*inside, "ip", "link", "set", link, "up")
            if path.delays:
                _do(*inside, "tc", "qdisc", "add", "dev", link, "root", *_netem(path))
        yield start


def _netem(path: NetworkPath) -> tuple[str, ...]:
    """The queue at each end. netem's jitter is plus or minus, ours is only added.

    With jitter netem reorders packets unless it also keeps a rate: one that is no limit.
    """
    half, jitter = 1e6 * path.round_trip_s / 2, 1e6 * path.jitter_s
    if not jitter:
        return ("netem", "delay", f"{half:.0f}us")
    return ("netem", "delay", f"{half + jitter / 2:.0f}us", f"{jitter / 2:.0f}us", "rate", "1tbit")


_ANY = NetworkPath(1e-3, 1e-3)


@contextlib.contextmanager
def _moved_to_new() -> Iterator[None]:
    """Move this thread to a new network namespace, and back at the end."""
    with _opened(_OURS) as home:
        _checked(_libc.unshare(_CLONE_NEWNET))
        try:
            yield
        finally:
            _checked(_libc.setns(home, _CLONE_NEWNET))


@contextlib.contextmanager
def _opened(name: str) -> Iterator[int]:
    fd = os.open(name, os.O_RDONLY)
    try:
        yield fd
    finally:
        os.close(fd)


def _checked(result: int) -> None:
    if result != 0:
        reason = os.strerror(ctypes.get_errno())
        raise HostError(f"cannot make a network namespace: {reason}")


def _do(*command: str) -> None:
    """Run a command. Raises HostError with the last line of its errors."""
    try:
        ended = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    except FileNotFoundError:
        raise HostError(f"{command[0]} is not installed") from None
    if ended.returncode != 0:
        errors = ended.stderr.strip().splitlines() or [f"exit code {ended.returncode}"]
        name, colon, what = errors[-1].partition(": ")
        # tc and ip do not begin with their names.
        if name not in command or not colon:
            name = next((word for word in command if word in {"ip", "tc"}), command[0])
            what = errors[-1].removeprefix("Error: ")
        raise HostError(f"{name} reports '{what.rstrip('.')}'")
