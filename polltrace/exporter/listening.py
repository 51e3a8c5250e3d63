# SPDX-License-Identifier: GPL-2.0-or-later
"""The socket that the exporter listens on: of a TCP port, or of a path."""

from __future__ import annotations

import contextlib
import errno
import ipaddress
import os
import socket
from dataclasses import dataclass
from pathlib import Path

_UNIX = "unix:"
# The owner and the group of the file may connect.
_MODE = 0o660


@dataclass(frozen=True, slots=True)
class Address:
    """`ip` and `port`, or the `path` of a Unix socket."""

    ip: ipaddress.IPv4Address | ipaddress.IPv6Address | None = None
    port: int = 0
    path: Path | None = None

    @property
    def is_tcp(self) -> bool:
        return self.path is None

    def __str__(self) -> str:
        if self.path is not None:
            return f"{_UNIX}{self.path}"
        return f"[{self.ip}]:{self.port}" if ":" in str(self.ip) else f"{self.ip}:{self.port}"


def parsed_address(text: str) -> Address:
    """The address in `127.0.0.1:9417`, `[::1]:9417` or `unix:PATH`. Raises ValueError."""
    if text.startswith(_UNIX) and len(text) > len(_UNIX):
        return Address(path=Path(text.removeprefix(_UNIX)))
    host, _, port = text.rpartition(":")
    ip = ipaddress.ip_address("127.0.0.1" if host == "localhost" else host.strip("[]"))
    if not port.isdecimal() or int(port) > 65535:
        raise ValueError(port)
    return Address(ip, int(port))


def bound_socket(address: Address) -> socket.socket:
    """A socket bound to the address. Raises OSError."""
    if address.path is not None:
        return _bound_path(address.path)
    family = socket.AF_INET6 if ":" in str(address.ip) else socket.AF_INET
    bound = socket.socket(family, socket.SOCK_STREAM)
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind((str(address.ip), address.port))
    except OSError:
        bound.close()
        raise
    return bound


def _bound_path(path: Path) -> socket.socket:
    bound = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        if _is_abandoned(path):
            path.unlink()
        bound.bind(str(path))
        path.chmod(_MODE)
    except OSError as error:
        bound.close()
        if error.errno is None:  # too long for a socket's address
            raise OSError(errno.ENAMETOOLONG, os.strerror(errno.ENAMETOOLONG)) from None
        raise
    return bound


def _is_abandoned(path: Path) -> bool:
    """True for a socket that no process listens on, as one that was killed leaves it."""
    if not path.is_socket():
        return False
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as client:
        return client.connect_ex(str(path)) == errno.ECONNREFUSED


def remove_socket(address: Address) -> None:
    """Remove the file of a Unix socket."""
    if address.path is not None:
        with contextlib.suppress(OSError):
            address.path.unlink()


def url_of(bound: socket.socket) -> str:
    """The address to scrape, as Prometheus or curl take it."""
    if bound.family == socket.AF_UNIX:
        return f"unix:{bound.getsockname()}, path /metrics"
    host, port = bound.getsockname()[:2]
    return f"http://{f'[{host}]' if ':' in host else host}:{port}/metrics"
