# SPDX-License-Identifier: GPL-2.0-or-later
"""The CONNECT packet of Oracle Net, and a listener's answer to it.

The layout is the one that python-oracledb's thin mode sends (Apache-2.0, its source names the
fields); a listener answers ACCEPT, REFUSE, REDIRECT, or RESEND, after which the packet is sent
again.
"""

from __future__ import annotations

import re
import socket
import struct

from polltrace.errors import HostError

_CONNECT, _ACCEPT, _REFUSE, _REDIRECT, _RESEND = 1, 2, 4, 5, 11
_HEADER = struct.Struct(">HHBBH")
_OFFSET = 74
_VERSION, _OLDEST, _SDU, _TDU = 318, 300, 8192, 65535
_DONT_CARE, _PROTOCOL, _NO_NATIVE_SERVICES = 0x0001, 0x4F98, 0x84
_LONGEST_DATA = 230  # more goes in a packet of its own
_LONGEST_ANSWER = 8192
_MOST_RESENDS = 3
_WORD = re.compile(r"[\w.$#:%-]+")
_CODE = re.compile(rb"\(ERR=(\d{1,6})\)")


def connect_packet(host: str, port: int, service: str) -> bytes:
    """A CONNECT packet for a dedicated server of `service`. Raises HostError for an invalid
    name.
    """
    for name in (host, service):
        if not _WORD.fullmatch(name):
            raise HostError(f"{name!r} cannot stand in a connect descriptor")
    data = (
        f"(DESCRIPTION=(ADDRESS=(PROTOCOL=tcp)(HOST={host})(PORT={port}))"
        f"(CONNECT_DATA=(SERVICE_NAME={service})(CID=(PROGRAM=polltrace))))"
    ).encode()
    if len(data) > _LONGEST_DATA:
        raise HostError("host and service are too long for one connect packet")
    body = struct.pack(
        ">HHHHHHHHHHIBB",
        *(_VERSION, _OLDEST, _DONT_CARE, _SDU, _TDU, _PROTOCOL, 0, 1),
        *(len(data), _OFFSET, 0, _NO_NATIVE_SERVICES, _NO_NATIVE_SERVICES),
    )
    body += struct.pack(">QQQIIII", 0, 0, 0, _SDU, _TDU, 0, 0)
    return _HEADER.pack(_OFFSET + len(data), 0, _CONNECT, 0, 0) + body + data


def tns_connect(connection: socket.socket, packet: bytes) -> int:
    """Send the packet and wait until the listener accepts; return the number of round trips.

    Raises HostError where it refuses or is no Oracle Net listener, OSError where the connection
    fails.
    """
    for trip in range(1, _MOST_RESENDS + 2):
        connection.sendall(packet)
        kind, body = _answer(connection)
        if kind == _ACCEPT:
            return trip
        if kind == _REFUSE:
            code = _CODE.search(body)
            raise HostError(
                f"the listener refuses: {f'ORA-{int(code[1]):05}' if code else 'no reason given'}"
            )
        if kind == _REDIRECT:
            raise HostError("the listener redirects to another address: name that one")
        if kind != _RESEND:
            break
    raise HostError("the answer is not an Oracle Net listener's")


def _answer(connection: socket.socket) -> tuple[int, bytes]:
    length, _, kind, _, _ = _HEADER.unpack(_exactly(connection, _HEADER.size))
    if not _HEADER.size <= length <= _LONGEST_ANSWER:
        raise HostError("the answer is not an Oracle Net listener's")
    return kind, _exactly(connection, length - _HEADER.size)


def _exactly(connection: socket.socket, length: int) -> bytes:
    data = b""
    while len(data) < length:
        piece = connection.recv(length - len(data))
        if not piece:
            raise ConnectionResetError("the other end closed the connection")
        data += piece
    return data
