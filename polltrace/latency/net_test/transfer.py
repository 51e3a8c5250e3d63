# SPDX-License-Identifier: GPL-2.0-or-later
"""Bytes in and out of a connection, in constant memory."""

from __future__ import annotations

import os
import socket

_CHUNK = 1 << 18


class Payload:
    """A message of `length` random bytes, which no path can compress."""

    def __init__(self, length: int) -> None:
        self._chunk = os.urandom(min(length, _CHUNK))
        self._whole, self._rest = divmod(length, len(self._chunk))
        self._tail = memoryview(self._chunk)[: self._rest]

    def send(self, connection: socket.socket) -> None:
        for _ in range(self._whole):
            connection.sendall(self._chunk)
        if self._rest:
            connection.sendall(self._tail)


class Sink:
    """Receives and discards."""

    def __init__(self) -> None:
        self._buffer = memoryview(bytearray(_CHUNK))

    def receive(self, connection: socket.socket, length: int) -> bool:
        """Receive `length` bytes; False if the connection ended earlier."""
        while length > 0:
            came = connection.recv_into(self._buffer[: min(length, _CHUNK)])
            if not came:
                return False
            length -= came
        return True

    def some(self, connection: socket.socket) -> int:
        """Receive the available bytes and return their number; 0 at the end."""
        return connection.recv_into(self._buffer)
