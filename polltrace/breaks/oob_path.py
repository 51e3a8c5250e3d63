# SPDX-License-Identifier: GPL-2.0-or-later
"""Does a TCP path carry urgent data? Two ends that talk in lines, with an urgent byte between.

One end sends an urgent byte and an ordinary line after it; the other sees the fate of the byte by
the time the line is there. The client opens the one connection there is, so NAT is no obstacle.

    client: polltrace-oob 1 TRIES          server: ready
    client: (urgent byte) to-server N      server: FATE of the byte
    client: to-client N                    server: (urgent byte) here N
    client: bye
"""

from __future__ import annotations

import contextlib
import select
import socket
import statistics
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum

from polltrace.errors import HostError

GREETING = "polltrace-oob 1"
URGENT = b"!"
MOST_TRIES = 1000
_LONGEST_LINE = 80


class Fate(Enum):
    """The fate of an urgent byte."""

    URGENT = "urgent"
    INLINE = "inline"
    LOST = "lost"
    RESET = "reset"


@dataclass(slots=True)
class Direction:
    """The `fates` of the bytes sent one way, and the milliseconds, `ms`, from sending each to its
    answer."""

    fates: list[Fate] = field(default_factory=list)
    ms: list[float] = field(default_factory=list)

    def count(self, fate: Fate) -> int:
        return self.fates.count(fate)

    @property
    def carried(self) -> bool:
        """True if every urgent byte arrived as urgent data."""
        return bool(self.fates) and self.count(Fate.URGENT) == len(self.fates)

    @property
    def median_ms(self) -> float | None:
        return statistics.median(self.ms) if self.ms else None


@dataclass(frozen=True, slots=True)
class PathCheck:
    """The fates of urgent bytes `to_server`, the way that breaks travel, and `to_client`."""

    to_server: Direction
    to_client: Direction


class _ByteLine:
    """Reads a line of the other end, and the fate of an urgent byte before it."""

    def __init__(self, connection: socket.socket, patience_s: float) -> None:
        self._connection = connection
        self._poll = select.poll()
        self._patience_s = patience_s
        self._rest = b""

    def read(self) -> tuple[str, Fate]:
        """Raises ConnectionError where the other end is gone, TimeoutError where nothing comes."""
        urgent = False
        until = time.monotonic() + self._patience_s
        interest = select.POLLIN | select.POLLPRI
        while b"\n" not in self._rest:
            self._poll.register(self._connection, interest)
            remaining_s = until - time.monotonic()
            events = self._poll.poll(max(0, 1000 * remaining_s))
            if not events:
                raise TimeoutError(f"nothing came in {self._patience_s:g} s")
            if events[0][1] & select.POLLPRI:
                # The mark may be announced before its byte is there; then it comes with the rest.
                with contextlib.suppress(BlockingIOError, OSError):
                    urgent |= self._connection.recv(1, socket.MSG_OOB) == URGENT
                if urgent:
                    interest = select.POLLIN
            if events[0][1] & (select.POLLIN | select.POLLHUP | select.POLLERR):
                data = self._connection.recv(256)
                if not data:
                    raise ConnectionResetError("the other end closed the connection")
                self._rest += data
            if len(self._rest) > _LONGEST_LINE:
                raise ConnectionError("the other end is no 'polltrace oob-check'")
        line, _, self._rest = self._rest.partition(b"\n")
        inline = line.startswith(URGENT)
        fate = Fate.URGENT if urgent else Fate.INLINE if inline else Fate.LOST
        return line.removeprefix(URGENT).decode("ascii", "replace"), fate


def _say(connection: socket.socket, line: str, *, urgent: bool = False) -> None:
    if urgent:
        connection.send(URGENT, socket.MSG_OOB)
    connection.sendall(f"{line}\n".encode())


def check_path(host: str, port: int, tries: int, patience_s: float) -> PathCheck:
    """Try the path to the server half at host:port `tries` times each way.

    Raises HostError where there is no connection, or where the answer is not the server half's.
    """
    result = PathCheck(Direction(), Direction())
    with _connected(host, port, patience_s) as connection:
        line = _ByteLine(connection, patience_s)
        try:
            _say(connection, f"{GREETING} {tries}")
            if line.read()[0] != "ready":
                raise ConnectionError("it gave another answer")
        except OSError as error:
            raise HostError(
                f"{host}:{port} does not answer as 'polltrace oob-check --listen': {error}"
            ) from None
        with contextlib.suppress(ConnectionError):
            for attempt in range(tries):
                with _timed(result.to_server):
                    _say(connection, f"to-server {attempt}", urgent=True)
                    result.to_server.fates.append(Fate(line.read()[0]))
            for attempt in range(tries):
                with _timed(result.to_client):
                    _say(connection, f"to-client {attempt}")
                    result.to_client.fates.append(line.read()[1])
            _say(connection, "bye")
    return result


@contextlib.contextmanager
def _connected(host: str, port: int, patience_s: float) -> Iterator[socket.socket]:
    try:
        connection = socket.create_connection((host, port), patience_s)
    except OSError as error:
        raise HostError(
            f"no connection to {host}:{port} ({error.strerror or error}): is 'polltrace oob-check "
            "--listen' running there, and the port open?"
        ) from None
    with connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        yield connection


@contextlib.contextmanager
def _timed(direction: Direction) -> Iterator[None]:
    began = time.monotonic()
    try:
        yield
        direction.ms.append(1e3 * (time.monotonic() - began))
    except (TimeoutError, ValueError):
        # The line after the byte never came either, or came mangled.
        direction.fates.append(Fate.LOST)
        raise ConnectionAbortedError from None
    except ConnectionError:
        direction.fates.append(Fate.RESET)
        raise


def answer(connection: socket.socket, patience_s: float) -> PathCheck:
    """The result of the server half in one connection. Raises ConnectionError for a client
    that is none of ours, TimeoutError for one that sends nothing."""
    result = PathCheck(Direction(), Direction())
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    line = _ByteLine(connection, patience_s)
    words = line.read()[0].split()
    if words[:2] != GREETING.split() or len(words) != 3 or not words[2].isdecimal():
        raise ConnectionError("the client is no 'polltrace oob-check'")
    _say(connection, "ready")
    for _ in range(2 * min(int(words[2]), MOST_TRIES) + 1):
        try:
            text, fate = line.read()
        except ConnectionResetError:
            result.to_server.fates.append(Fate.RESET)
            return result
        if text.startswith("to-server"):
            result.to_server.fates.append(fate)
            _say(connection, fate.value)
        elif text.startswith("to-client"):
            _say(connection, "here", urgent=True)
        else:
            return result
    return result
