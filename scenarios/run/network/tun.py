# SPDX-License-Identifier: GPL-2.0-or-later
"""Network paths by TUN devices, between network namespaces (namespaces.py), where the kernel has no
netem.

A process has a device in the server's namespace and one in the clients', and hands every packet
from one to the other when its delay is over. So TCP's own handshake and acknowledgements are
delayed as well, which a relay of the data (relay.py) cannot do. The devices go with the process:

    python -m polltrace.scenarios.run.network.tun FD FD ROUND_TRIP_S JITTER_S MBIT_S
"""

from __future__ import annotations

import collections
import contextlib
import fcntl
import os
import random
import select
import struct
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import polltrace
from polltrace.errors import HostError
from polltrace.scenarios.plan.network_path import NetworkPath
from polltrace.scenarios.run.network.namespaces import (
    OURS,
    address_ends,
    moved_to_new,
    opened,
    starting_in,
)
from polltrace.scenarios.run.network.timing import SPIN_S, without_timer_slack

_DEVICE = "/dev/net/tun"
# linux/if_tun.h: packets without a header of the device's own.
_TUNSETIFF, _IFF_TUN, _IFF_NO_PI = 0x400454CA, 0x0001, 0x1000
_LONGEST_PACKET = 65536
# More are dropped, as by any queue of a router.
_MOST_PACKETS = 20_000


def tun_refused() -> str | None:
    """Why there can be no such device here; None where there can."""
    try:
        with moved_to_new(), _device("path0"):
            return None
    except HostError as error:
        return str(error)


@contextlib.contextmanager
def clients_behind_tun(number: int, path: NetworkPath) -> Iterator[tuple[str, ...]]:
    """The command that starts a program at the path's far end, as netem.clients_namespace gives.

    Raises HostError where the kernel refuses.
    """
    link = f"path{number}"
    with contextlib.ExitStack() as stack:
        with contextlib.ExitStack() as handed_over:
            near = handed_over.enter_context(_device(link))
            with moved_to_new():
                client_namespace = stack.enter_context(opened(OURS))
                far = handed_over.enter_context(_device(link))
            stack.enter_context(_carrier(near, far, path))
        start = starting_in(client_namespace)
        address_ends(number, link, start)
        yield start


@contextlib.contextmanager
def _device(name: str) -> Iterator[int]:
    """A new TUN device of this thread's network namespace, while the descriptor is open."""
    try:
        fd = os.open(_DEVICE, os.O_RDWR | os.O_CLOEXEC)
    except OSError as error:
        raise HostError(f"cannot open {_DEVICE}: {error.strerror}") from None
    try:
        request = struct.pack("16sH22x", name.encode(), _IFF_TUN | _IFF_NO_PI)
        try:
            fcntl.ioctl(fd, _TUNSETIFF, request)
        except OSError as error:
            raise HostError(f"cannot make a TUN device: {error.strerror}") from None
        yield fd
    finally:
        os.close(fd)


@contextlib.contextmanager
def _carrier(near: int, far: int, path: NetworkPath) -> Iterator[None]:
    """The process between the two devices; it ends with us."""
    words = [str(near), str(far), f"{path.round_trip_s:.9f}", f"{path.jitter_s:.9f}"]
    words += [f"{path.mbit_s:g}"]
    process = subprocess.Popen(
        [sys.executable, "-m", "polltrace.scenarios.run.network.tun", *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        pass_fds=(near, far),
        start_new_session=True,
        cwd=Path(polltrace.__file__).parents[1],
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        if process.stdout.readline() != b"ready\n":
            raise HostError("the process between two TUN devices did not start")
        yield
    finally:
        process.stdin.close()
        process.stdout.close()
        process.wait()


class PacketDirection:
    """Packets on their way from one device to the other, in order, each with the time it is due."""

    def __init__(self, source: int, sink: int, path: NetworkPath) -> None:
        self.source, self._sink, self._path = source, sink, path
        self._due: collections.deque[tuple[float, bytes]] = collections.deque()
        self._last = self._free = 0.0

    @property
    def next_due(self) -> float | None:
        return self._due[0][0] if self._due else None

    def take(self) -> None:
        """The packet that has just come in."""
        packet = os.read(self.source, _LONGEST_PACKET)
        if len(self._due) < _MOST_PACKETS:
            delay_s = self._path.round_trip_s / 2 + random.uniform(0, self._path.jitter_s)
            self._free = max(self._free, time.monotonic()) + self._path.carries_s(len(packet))
            self._last = max(self._last, self._free + delay_s)
            self._due.append((self._last, packet))

    def deliver(self, now_s: float) -> None:
        """The packets that are due. A device that is not up yet drops them."""
        while self._due and self._due[0][0] <= now_s:
            with contextlib.suppress(OSError):
                os.write(self._sink, self._due[0][1])
            self._due.popleft()


def carry(near: int, far: int, path: NetworkPath, until: int) -> None:
    """Carry both directions until the descriptor `until` ends."""
    both = (PacketDirection(near, far, path), PacketDirection(far, near, path))
    sources = {direction.source: direction for direction in both}
    while True:
        due = [due_s for direction in both if (due_s := direction.next_due) is not None]
        wait_s = max(min(due) - time.monotonic() - SPIN_S, 0) if due else None
        ready, _, _ = select.select([*sources, until], [], [], wait_s)
        for fd in ready:
            if fd == until:
                return
            sources[fd].take()
        for direction in both:
            direction.deliver(time.monotonic())


def main() -> None:
    near, far = map(int, sys.argv[1:3])
    path = NetworkPath(float(sys.argv[3]), float(sys.argv[4]), mbit_s=float(sys.argv[5]))
    without_timer_slack()
    # It lets others finish their turn first otherwise.
    with contextlib.suppress(PermissionError):
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    print("ready", flush=True)
    carry(near, far, path, 0)


if __name__ == "__main__":
    main()
