# SPDX-License-Identifier: GPL-2.0-or-later
"""The layers of a path's latency."""

from __future__ import annotations

from dataclasses import dataclass

TCP, RTT, TNS, PING, ROW, SEED = (
    "tcp-connect",
    "kernel-rtt",
    "tns-connect",
    "ttc-ping",
    "one-row-sql",
    "elapsed-minus-db-time",
)
LAYERS = {
    TCP: "connect(2), from the call to its return",
    RTT: "SYN to SYN-ACK, by this host's kernel (TCP_INFO)",
    TNS: "Oracle Net CONNECT to ACCEPT: the listener starts a server process",
    PING: "the driver's ping on a warm channel",
    ROW: "select 1 from dual, from execute to the row",
    SEED: "a row per round trip: (elapsed - DB time) / round trips",
}
"""The timed operation of each layer, by name."""

CONNECTING = (TCP, RTT, TNS)
CALLING = (PING, ROW, SEED)


@dataclass(frozen=True, slots=True)
class Sample:
    """A measurement of a layer.

    - `layer`: of LAYERS
    - `seconds`: of all its round trips; of SEED: of one
    - `trips`: how many round trips that was
    - `db_s`: DB time of the server in it, where the V$ views give that
    """

    layer: str
    seconds: float
    trips: float = 1.0
    db_s: float | None = None
