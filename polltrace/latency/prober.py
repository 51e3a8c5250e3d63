# SPDX-License-Identifier: GPL-2.0-or-later
"""A program that connects, times the connect, and disconnects: once for each line of JSON on its
stdin.

    {"address": [HOST, PORT], "name": HOST, "service": S or null, "timeout_s": T}
    {"tcp_connect_s", "kernel_rtt_s", "tns_connect_s": or null, "tns_round_trips"}  or  {"error"}

It is a process of its own so that it can run in a path's network namespace. It ends with its stdin.
"""

from __future__ import annotations

import json
import socket
import sys
import time
from typing import Any

from polltrace.errors import HostError
from polltrace.latency.tcp_info import tcp_info
from polltrace.latency.tns_connect import connect_packet, tns_connect


def connected(
    address: tuple[str, int], name: str, service: str | None, timeout_s: float
) -> dict[str, Any]:
    """The times of a TCP connect and of an Oracle Net connect to `service` over it, in seconds, and
    the kernel's round trip time of the handshake. Raises OSError, HostError.
    """
    packet = None if service is None else connect_packet(name, address[1], service)
    began = time.perf_counter()
    with socket.create_connection(address, timeout_s) as connection:
        connected_at = time.perf_counter()
        timings: dict[str, Any] = {
            "tcp_connect_s": connected_at - began,
            # Before any data: no acknowledgement that waits for an answer is in it.
            "kernel_rtt_s": tcp_info(connection).rtt_s,
            "tns_connect_s": None,
            "tns_round_trips": 0,
        }
        if packet is not None:
            began = time.perf_counter()
            timings["tns_round_trips"] = tns_connect(connection, packet)
            timings["tns_connect_s"] = time.perf_counter() - began
        return timings


def main() -> None:
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer = connected(
                tuple(request["address"]), request["name"], request["service"], request["timeout_s"]
            )
        except (OSError, HostError) as error:
            answer = {"error": str(getattr(error, "strerror", None) or error)}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
