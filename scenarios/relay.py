# SPDX-License-Identifier: GPL-2.0-or-later
"""A network path in a process of its own: delay, jitter, and what becomes of urgent data.

`python -m scenarios.relay --to HOST:PORT` listens on a free loopback port, says which in a line
of JSON, and carries every connection to the target until its standard input ends. It stands in
for `tc netem` where the kernel has none (netem.py), and for the middleboxes that netem can't play:
those that lose the urgent byte (a relay in user space that never asks for it) or turn it into
ordinary data (SO_OOBINLINE).
"""

from __future__ import annotations

import argparse
import contextlib
import fcntl
import json
import os
import queue
import random
import select
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from polltrace.errors import HostError

URGENT = {"keep": "kept", "inline": "put in line", "drop": "lost"}
LOOPBACK = "127.0.0.1"
_SIOCATMARK = 0x8905  # asm-generic/sockios.h


@dataclass(frozen=True, slots=True)
class NetworkPath:
    """What a path does: `round_trip_s` is added to a round trip, half of it each way, each half
    longer by up to `jitter_s` at random; order is kept."""

    round_trip_s: float = 0.0
    jitter_s: float = 0.0
    urgent: str = "keep"

    @property
    def delays(self) -> bool:
        return self.round_trip_s > 0 or self.jitter_s > 0

    @property
    def without_delay(self) -> NetworkPath:
        return replace(self, round_trip_s=0.0, jitter_s=0.0)

    def __str__(self) -> str:
        delay = f"{1e3 * self.round_trip_s:g} ms a round trip" if self.delays else "no delay"
        jitter = f", up to {1e3 * self.jitter_s:g} ms more each way" if self.jitter_s else ""
        return f"{delay}{jitter}, urgent data {URGENT[self.urgent]}"


def pieces(source: socket.socket) -> Iterator[tuple[bytes, bool]]:
    """What comes in, in order; True with the urgent byte. `source` has SO_OOBINLINE.

    A read never goes past the mark, and at the mark the next byte is the urgent one (tcp(7)).
    It must be waited for before it is asked where the mark is: a read that blocks returns the
    urgent byte with what follows.
    """
    while True:
        select.select([source], [], [])
        at_mark = struct.unpack("i", fcntl.ioctl(source, _SIOCATMARK, bytes(4)))[0]
        data = source.recv(1 if at_mark else 65536)
        if not data:
            return
        yield data, bool(at_mark)


def carry(source: socket.socket, sink: socket.socket, path: NetworkPath) -> None:
    """One direction of a connection, until its source says no more."""
    due: queue.SimpleQueue[tuple[float, bytes, bool] | None] = queue.SimpleQueue()

    def read() -> None:
        last = 0.0
        with contextlib.suppress(OSError):
            for data, urgent in pieces(source):
                delay = path.round_trip_s / 2 + random.uniform(0, path.jitter_s)
                last = max(last, time.monotonic() + delay)
                due.put((last, data, urgent))
        due.put(None)

    threading.Thread(target=read, daemon=True).start()
    with contextlib.suppress(OSError):
        while (piece := due.get()) is not None:
            at, data, urgent = piece
            if (left := at - time.monotonic()) > 0:
                time.sleep(left)
            if not urgent or path.urgent == "inline":
                sink.sendall(data)
            elif path.urgent == "keep":
                sink.send(data, socket.MSG_OOB)
        sink.shutdown(socket.SHUT_WR)


def connect_through(accepted: socket.socket, target: tuple[str, int], path: NetworkPath) -> None:
    """Carry an accepted connection to the target, both ways, until both are done."""
    with accepted, contextlib.suppress(OSError), socket.create_connection(target) as onward:
        for end in (accepted, onward):
            end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            end.setsockopt(socket.SOL_SOCKET, socket.SO_OOBINLINE, 1)
        back = threading.Thread(target=carry, args=(onward, accepted, path), daemon=True)
        back.start()
        carry(accepted, onward, path)
        back.join()


@contextlib.contextmanager
def relay(target: tuple[str, int], path: NetworkPath, address: str = LOOPBACK) -> Iterator[int]:
    """A relay process to `target`; its port, at an address that others do not reach. It ends with
    us. Raises HostError where it does not start."""
    process = subprocess.Popen(
        [
            *(sys.executable, "-m", "scenarios.relay", "--to", f"{target[0]}:{target[1]}"),
            *("--round-trip-ms", f"{1e3 * path.round_trip_s:g}"),
            *("--jitter-ms", f"{1e3 * path.jitter_s:g}", "--urgent", path.urgent),
            *("--listen", address),
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
        cwd=Path(__file__).parents[1],
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        ready = process.stdout.readline()
        if not ready:  # it has said on stderr, which is ours, why
            raise HostError(f"the relay to {target[0]}:{target[1]} did not start")
        yield int(json.loads(ready)["port"])
    finally:
        process.stdin.close()
        process.stdout.close()
        process.wait()


def main() -> None:
    parser = argparse.ArgumentParser(description="a network path on loopback")
    parser.add_argument("--to", required=True, metavar="HOST:PORT")
    parser.add_argument("--listen", default=LOOPBACK, metavar="ADDRESS")
    parser.add_argument("--round-trip-ms", type=float, default=0)
    parser.add_argument("--jitter-ms", type=float, default=0)
    parser.add_argument("--urgent", choices=[*URGENT], default="keep")
    args = parser.parse_args()
    host, _, port = args.to.rpartition(":")
    path = NetworkPath(args.round_trip_ms / 1e3, args.jitter_ms / 1e3, args.urgent)

    with socket.create_server((args.listen, 0)) as listener:
        print(json.dumps({"port": listener.getsockname()[1]}), flush=True)

        def listen() -> None:
            while True:
                accepted, _ = listener.accept()
                threading.Thread(
                    target=connect_through, args=(accepted, (host, int(port)), path), daemon=True
                ).start()

        threading.Thread(target=listen, daemon=True).start()
        while os.read(0, 4096):
            pass
        os._exit(0)


if __name__ == "__main__":
    main()
