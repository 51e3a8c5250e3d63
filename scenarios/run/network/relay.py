# SPDX-License-Identifier: GPL-2.0-or-later
"""A network path in a process of its own: delay, jitter, rate, and the treatment of urgent
data.

`python -m polltrace.scenarios.run.network.relay --to HOST:PORT` listens on a free loopback port,
prints the port in a line of JSON, and carries every connection to the target until its standard
input ends. It replaces `tc netem` where the kernel has none (netem.py), and imitates middleboxes
that netem cannot: a user-space relay that never reads the urgent byte and so loses it, or one that
turns it into ordinary data (SO_OOBINLINE).
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
from collections.abc import Iterator, Sequence
from pathlib import Path

import polltrace
from polltrace.errors import HostError
from polltrace.scenarios.plan.network_path import URGENT, NetworkPath
from polltrace.scenarios.run.network.timing import wait_until, without_timer_slack

LOOPBACK = "127.0.0.1"
_SIOCATMARK = 0x8905  # asm-generic/sockios.h


def pieces(source: socket.socket) -> Iterator[tuple[bytes, bool]]:
    """The data that comes in, in order; True with the urgent byte. `source` has SO_OOBINLINE.

    A read never goes past the mark, and at the mark the next byte is the urgent one (tcp(7)). Wait
    for data before asking for the mark: a read that blocks returns the urgent byte with the bytes
    after it.
    """
    while True:
        select.select([source], [], [])
        at_mark = struct.unpack("i", fcntl.ioctl(source, _SIOCATMARK, bytes(4)))[0]
        data = source.recv(1 if at_mark else 65536)
        if not data:
            return
        yield data, bool(at_mark)


def carry(source: socket.socket, sink: socket.socket, path: NetworkPath) -> None:
    """Carry a direction of a connection until its source ends."""
    due: queue.SimpleQueue[tuple[float, bytes, bool] | None] = queue.SimpleQueue()

    def read() -> None:
        last = free = 0.0  # when the path has carried all before it
        with contextlib.suppress(OSError):
            for data, urgent in pieces(source):
                free = max(free, time.monotonic()) + path.carries_s(len(data))
                delay = path.round_trip_s / 2 + random.uniform(0, path.jitter_s)
                last = max(last, free + delay)
                due.put((last, data, urgent))
        due.put(None)

    threading.Thread(target=read, daemon=True).start()
    with contextlib.suppress(OSError):
        while (piece := due.get()) is not None:
            due_s, data, urgent = piece
            wait_until(due_s)
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
    """A relay process to `target`; its port at `address`, which others cannot reach.

    It ends with us. Raises HostError where it does not start.
    """
    process = subprocess.Popen(
        [
            *(sys.executable, "-m", "polltrace.scenarios.run.network.relay"),
            *("--to", f"{target[0]}:{target[1]}", "--listen", address),
            *arguments(path),
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        encoding="utf-8",
        start_new_session=True,
        cwd=Path(polltrace.__file__).parents[1],
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        ready = process.stdout.readline()
        if not ready:  # its error is on stderr, which is ours
            raise HostError(f"the relay to {target[0]}:{target[1]} did not start")
        yield int(json.loads(ready)["port"])
    finally:
        process.stdin.close()
        process.stdout.close()
        process.wait()


def arguments(path: NetworkPath) -> list[str]:
    """The options that give a relay process this path."""
    return [
        *("--round-trip-ms", f"{1e3 * path.round_trip_s:g}"),
        *("--jitter-ms", f"{1e3 * path.jitter_s:g}", "--urgent", path.urgent),
        *("--mbit", f"{path.mbit_s:g}"),
    ]


def parsed(argv: Sequence[str]) -> tuple[argparse.Namespace, NetworkPath]:
    parser = argparse.ArgumentParser(description="a network path on loopback")
    parser.add_argument("--to", required=True, metavar="HOST:PORT")
    parser.add_argument("--listen", default=LOOPBACK, metavar="ADDRESS")
    parser.add_argument("--round-trip-ms", type=float, default=0)
    parser.add_argument("--jitter-ms", type=float, default=0)
    parser.add_argument("--urgent", choices=[*URGENT], default="keep")
    parser.add_argument("--mbit", type=float, default=0, help="a second, each way")
    args = parser.parse_args(argv)
    path = NetworkPath(args.round_trip_ms / 1e3, args.jitter_ms / 1e3, args.urgent, args.mbit)
    return args, path


def main() -> None:
    args, path = parsed(sys.argv[1:])
    without_timer_slack()
    host, _, port = args.to.rpartition(":")

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
