# SPDX-License-Identifier: GPL-2.0-or-later
"""`python -m tests.lab.driver_seeds DIRECTORY`: what each version of each driver sends in a short
session, in a file each: the sessions that the fuzzer begins with."""

from __future__ import annotations

import contextlib
import socket
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

from .driver_matrix import BUILD, INSTALL, VERSIONS, InstallError
from .drivers_table import running_lab

SECTIONS = ("types", "blocks", "lobs", "cursors", "returning", "session")
LONGEST = 16384  # bytes: the fuzzer's longest input


@contextlib.contextmanager
def recorded(port: int, sessions: list[bytearray]) -> Iterator[int]:
    """The port of a relay that adds what each of its clients sends to `sessions`."""

    def carry(source: socket.socket, sink: socket.socket, into: bytearray | None) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                if into is not None:
                    into.extend(data)
                sink.sendall(data)
            sink.shutdown(socket.SHUT_WR)

    def serve(server: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = server.accept()
                onward = socket.create_connection(("127.0.0.1", port))
                sessions.append(bytearray())
                for ends in ((client, onward, sessions[-1]), (onward, client, None)):
                    threading.Thread(target=carry, args=ends, daemon=True).start()

    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=serve, args=(server,), daemon=True).start()
        yield server.getsockname()[1]


def record(driver: str, version: str, directory: Path) -> int:
    """How many sessions were recorded: the first, which is the longest, of each section."""
    exercise = INSTALL[driver](version, BUILD / f"{driver}-{version}")
    count = 0
    for section in SECTIONS:
        sessions: list[bytearray] = []
        with running_lab() as lab, recorded(lab.port, sessions) as port:
            exercise.run(port, (section,), "0-1")
        if sessions:
            seed = directory / f"{driver}-{version}-{section}"
            seed.write_bytes(sessions[0][:LONGEST])
            count += 1
    return count


def main() -> None:
    directory = Path(sys.argv[1])
    directory.mkdir(parents=True, exist_ok=True)
    for driver, versions in VERSIONS.items():
        for version in versions:
            try:
                print(driver, version, record(driver, version, directory), flush=True)
            except InstallError as error:
                print(driver, version, error, file=sys.stderr)


if __name__ == "__main__":
    main()
