# SPDX-License-Identifier: GPL-2.0-or-later
"""The parameters of a test, as its two ends agree on them."""

from __future__ import annotations

import json
import socket
from dataclasses import asdict, dataclass

from polltrace.errors import HostError

MODES = ("sync", "async")
DIRECTIONS = ("to-server", "to-client", "both")
ACK = 10
"""The length of an acknowledgement, and of a request for data, in bytes."""
LONGEST_MESSAGE = 1 << 24
LONGEST_S = 86_400.0
LARGEST_BUFFER = 1 << 28

GREETING = "polltrace-net-test"
VERSION = 2
READY = b"ready\n"
GO = b"\n"
"""Sent by a client that sends nothing else: the server begins to send with its first byte."""
_LONGEST_LINE = 512


@dataclass(frozen=True, slots=True)
class NetTestPlan:
    """The parameters of a test.

    - `mode`: "sync" waits for an answer to each message, "async" for none
    - `direction`: of the messages
    - `length`: of a message, in bytes
    - `seconds`: duration of the test, after `warm_up_s`, which is not counted
    - `buffer`: of the sockets in bytes; 0: the system's default
    """

    mode: str = "sync"
    direction: str = "to-server"
    length: int = 8192
    seconds: float = 10.0
    warm_up_s: float = 1.0
    buffer: int = 0

    @property
    def up(self) -> int:
        """Bytes that the client sends in a turn."""
        return ACK if self.direction == "to-client" else self.length

    @property
    def down(self) -> int:
        """Bytes that the server sends in a turn."""
        return ACK if self.direction == "to-server" else self.length

    @property
    def payload(self) -> int:
        """Bytes of messages in a turn, without acknowledgements."""
        return self.length * (2 if self.direction == "both" else 1)

    def line(self) -> bytes:
        return (json.dumps({GREETING: VERSION, **asdict(self)}) + "\n").encode()


def plan_of(line: bytes) -> NetTestPlan:
    """The plan in a client's first line. Raises ValueError for anything else."""
    data = json.loads(line)
    if not isinstance(data, dict) or data.pop(GREETING, None) != VERSION:
        raise ValueError("not a polltrace net-test of this version")
    try:
        plan = NetTestPlan(**data)
    except TypeError:
        raise ValueError("a plan with other fields") from None
    fits = (
        plan.mode in MODES
        and plan.direction in DIRECTIONS
        and _within(plan.length, int, 1, LONGEST_MESSAGE)
        and _within(plan.seconds, float, 0, LONGEST_S)
        and _within(plan.warm_up_s, float, 0, LONGEST_S)
        and _within(plan.buffer, int, 0, LARGEST_BUFFER)
    )
    if not fits:
        raise ValueError("a plan out of bounds")
    return plan


def _within(value: object, kind: type[int] | type[float], lowest: int, highest: float) -> bool:
    kinds = (int,) if kind is int else (int, float)
    return isinstance(value, kinds) and not isinstance(value, bool) and lowest <= value <= highest


def read_line(connection: socket.socket) -> bytes:
    """Read a line byte by byte, so that nothing after it is consumed. Raises OSError,
    ValueError.
    """
    line = b""
    while not line.endswith(b"\n"):
        byte = connection.recv(1)
        if not byte:
            raise ConnectionResetError("the other end closed the connection")
        line += byte
        if len(line) > _LONGEST_LINE:
            raise ValueError("its first line is too long")
    return line


def set_up(connection: socket.socket, plan: NetTestPlan) -> None:
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    if plan.buffer:
        for which in (socket.SO_SNDBUF, socket.SO_RCVBUF):
            connection.setsockopt(socket.SOL_SOCKET, which, plan.buffer)


def opened(address: tuple[str, int], plan: NetTestPlan, timeout_s: float) -> socket.socket:
    """A connection whose other end is ready for the plan. Raises HostError."""
    where = f"{address[0]}:{address[1]}"
    try:
        connection = socket.create_connection(address, timeout_s)
    except OSError as error:
        raise HostError(
            f"no connection to {where} ({error.strerror or error}): is 'polltrace net-test "
            "--listen' running there, and the port open?"
        ) from None
    try:
        set_up(connection, plan)
        connection.sendall(plan.line())
        answer = read_line(connection)
        if answer != READY:
            raise ValueError(answer.decode("ascii", "replace").strip()[:80])
    except (OSError, ValueError) as error:
        connection.close()
        raise HostError(
            f"{where} does not answer as 'polltrace net-test --listen': {error}"
        ) from None
    return connection
