# SPDX-License-Identifier: GPL-2.0-or-later
"""`polltrace why --slow`: where a session's time goes, as text and as data."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from polltrace.intervals import Estimate
from polltrace.latency.session_time import SessionTime
from polltrace.servers.servers import Server

# Below this a part is not worth a sentence of advice.
_MOST_OF_IT = 0.5
_LEAST_SHOWN = 0.001
_ADVICE = {
    "processors": "the server waits for a processor: something else on its host has them",
    "network": "fewer round trips: more rows per fetch, array DML, a client nearer to the server",
    "client": "the client takes its time between two calls: profile it; the database is not slow",
    "server": "the server: 'polltrace stacks' shows its processor time",
}


def slow_text(server: Server, found: SessionTime) -> str:
    return "\n".join(_lines(server, found))


def _lines(server: Server, found: SessionTime) -> Iterator[str]:
    peer = server.socket.peer if server.socket else "?"
    name = f"{server.pid} ({server.instance}, client {peer})"
    if found.trip_s is None:
        yield f"{name}: no round trip in {found.seconds:.1f} s."
    else:
        yield (
            f"{name}: {found.trips:,} round trip{'s' * (found.trips != 1)} in "
            f"{found.seconds:.1f} s, one every {_ms(found.trip_s)} ms."
        )
    yield f"{'':10}{'SHARE':>7} {'95 % INTERVAL':>16} {'ms/TRIP':>10}"
    for part, share in _parts(found):
        interval = f"{100 * share.low:.1f} - {100 * share.high:.1f} %"
        yield f"{part:<10}{100 * share.value:>5.1f} % {interval:>16} {_per_trip(found, share):>10}"
    yield from _server_lines(found)
    yield from _network_lines(found)
    yield from advice(found, server.engine.waits_view)


def advice(found: SessionTime, waits_view: str) -> Iterator[str]:
    """What would help, where one thing takes most of the time; `waits_view` has the server's waits
    (empty: none is known)."""
    part, share = max(_parts(found), key=lambda each: each[1].value)
    if found.queued >= _MOST_OF_IT:
        yield f"what helps: {_ADVICE['processors']}."
    elif share.value >= _MOST_OF_IT:
        waits = f", {waits_view} its waits" if waits_view and part == "server" else ""
        yield f"what helps: {_ADVICE[part]}{waits}."


def _parts(found: SessionTime) -> list[tuple[str, Estimate]]:
    return [("network", found.network), ("client", found.client), ("server", found.server)]


def _server_lines(found: SessionTime) -> Iterator[str]:
    words = [f"on a processor {100 * found.cpu:.1f} %"]
    if found.queued >= _LEAST_SHOWN:
        words.append(f"waiting for a processor {100 * found.queued:.1f} %")
    words += [
        f"blocked in {name} {100 * share.value:.1f} %"
        for name, share in found.blocked
        if share.value >= _LEAST_SHOWN
    ]
    yield f"server is:  {', '.join(words)}"


def _network_lines(found: SessionTime) -> Iterator[str]:
    if found.network_s is None:
        return
    yield (
        f"network is: at most {_ms(found.network_s)} ms a round trip, by the server's kernel; "
        f"{found.retransmits:,} segment{'s' * (found.retransmits != 1)} sent again"
    )


def _per_trip(found: SessionTime, share: Estimate) -> str:
    return "-" if found.trip_s is None else _ms(share.value * found.trip_s)


def _ms(seconds: float) -> str:
    return f"{1e3 * seconds:.3f}"


def slow_data(server: Server, found: SessionTime) -> dict[str, Any]:
    trip_s = found.trip_s
    return {
        "pid": server.pid,
        "instance": server.instance,
        "client": server.socket.peer if server.socket else None,
        "seconds": found.seconds,
        "samples": found.samples,
        "round_trips": found.trips,
        "ms_per_trip": None if trip_s is None else 1e3 * trip_s,
        "parts": [
            {
                "name": name,
                "share": share.value,
                "low": share.low,
                "high": share.high,
                "ms_per_trip": None if trip_s is None else 1e3 * share.value * trip_s,
            }
            for name, share in _parts(found)
        ],
        "server": {
            "on_cpu": found.cpu,
            "waiting_for_cpu": found.queued,
            "blocked": [{"in": name, **asdict(share)} for name, share in found.blocked],
        },
        "waiting_to_send": asdict(found.sending),
        "network_ms_at_most": None if found.network_s is None else 1e3 * found.network_s,
        "retransmits": found.retransmits,
    }
