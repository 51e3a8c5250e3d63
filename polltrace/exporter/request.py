# SPDX-License-Identifier: GPL-2.0-or-later
"""HTTP of the exporter: a request's head, and the refusal of all but scrapes. Pure functions."""

from __future__ import annotations

import contextlib
import ipaddress
from collections.abc import Collection
from dataclasses import dataclass
from typing import Self

LONGEST_HEAD = 8192
_TEXT = "text/plain; charset=utf-8"


@dataclass(frozen=True, slots=True)
class Request:
    """The parts of a request's head that an answer depends on; `host` is None without a header."""

    method: str
    path: str
    host: str | None
    accept: str

    @classmethod
    def parsed(cls, head: bytes) -> Self | None:
        """The request; None where the head is not of HTTP/1."""
        first, *lines = head.decode("latin-1").split("\r\n")
        words = first.split(" ")
        if len(words) != 3 or not words[2].startswith("HTTP/1."):
            return None
        fields: dict[str, str] = {}
        for name, colon, value in (line.partition(":") for line in lines):
            if colon and fields.setdefault(name.lower(), value.strip()) != value.strip():
                return None  # two different values: an attack on whoever reads the other
        method, target, _ = words
        path = target.partition("?")[0]
        return cls(method, path, fields.get("host"), fields.get("accept", ""))


def refusal(request: Request | None, host_names: Collection[str] | None) -> bytes:
    """The answer to a request that is no scrape; empty for one that is.

    A Host that is neither an address, localhost nor one of `host_names` is refused: a web page may
    have its own name resolve to this host's address, and then read the answer (DNS rebinding).
    None: any Host.
    """
    if request is None:
        return response("400 Bad Request", b"not a request of HTTP/1\n")
    if host_names is not None and not _is_ours(request.host, host_names):
        return response(
            "421 Misdirected Request", b"unknown name in Host: start with --host-name NAME\n"
        )
    if request.path != "/metrics":
        return response("404 Not Found", b"the metrics are at /metrics\n")
    if request.method != "GET":
        return response("405 Method Not Allowed", b"only GET\n")
    return b""


def response(status: str, body: bytes, content_type: str = _TEXT) -> bytes:
    """A whole answer, which names no program and no version."""
    head = (
        f"HTTP/1.1 {status}\r\nContent-Type: {content_type}\r\nContent-Length: {len(body)}\r\n"
        "Connection: close\r\nX-Content-Type-Options: nosniff\r\n\r\n"
    )
    return head.encode() + body


def _is_ours(host: str | None, host_names: Collection[str]) -> bool:
    if host is None:
        return True  # no browser sends this
    name, _, port = host.rpartition(":")
    if not name or not port.isdecimal():
        name = host
    if name.lower() in {"localhost", *host_names}:
        return True
    with contextlib.suppress(ValueError):
        ipaddress.ip_address(name.strip("[]"))
        return True
    return False
