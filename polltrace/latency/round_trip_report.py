# SPDX-License-Identifier: GPL-2.0-or-later
"""The report of `polltrace why --slow` on the division of a session's time, as text and as data."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from polltrace.intervals import Estimate
from polltrace.latency.round_trip_budget import RoundTripBudget
from polltrace.servers.servers import Server

# A part with a smaller share gets no advice.
_MOST_OF_IT = 0.5
_LEAST_SHOWN = 0.001
_ADVICE = {
    "processors": "the server waits for a processor: something else on its host has them",
    "network": "fewer round trips: more rows per fetch, array DML, a client nearer to the server",
    "client": "the client takes its time between two calls: profile it; the database is not slow",
    "server": "the server: 'polltrace stacks' shows its processor time",
}


def slow_text(server: Server, time: RoundTripBudget) -> str:
    return "\n".join(_lines(server, time))


def _lines(server: Server, time: RoundTripBudget) -> Iterator[str]:
    peer = server.socket.peer if server.socket else "?"
    name = f"{server.pid} ({server.instance}, client {peer})"
    if time.trip_s is None:
        yield f"{name}: no round trip in {time.seconds:.1f} s."
    else:
        yield (
            f"{name}: {time.trips:,} round trip{'s' * (time.trips != 1)} in "
            f"{time.seconds:.1f} s, one every {_ms(time.trip_s)} ms."
        )
    yield f"{'':10}{'SHARE':>7} {'95 % INTERVAL':>16} {'ms/TRIP':>10}"
    for part, share in _parts(time):
        interval = f"{100 * share.low:.1f} - {100 * share.high:.1f} %"
        yield f"{part:<10}{100 * share.value:>5.1f} % {interval:>16} {_per_trip(time, share):>10}"
    yield from _server_lines(time)
    yield from _network_lines(time)
    yield from advice(time, server.engine.waits_view)


def advice(time: RoundTripBudget, waits_view: str) -> Iterator[str]:
    """Advice where one part takes most of the time; `waits_view` has the server's waits (empty:
    none is known).
    """
    part, share = max(_parts(time), key=lambda part: part[1].value)
    if time.queued >= _MOST_OF_IT:
        yield f"advice: {_ADVICE['processors']}."
    elif share.value >= _MOST_OF_IT:
        waits = f", {waits_view} its waits" if waits_view and part == "server" else ""
        yield f"advice: {_ADVICE[part]}{waits}."


def _parts(time: RoundTripBudget) -> list[tuple[str, Estimate]]:
    return [("network", time.network), ("client", time.client), ("server", time.server)]


def _server_lines(time: RoundTripBudget) -> Iterator[str]:
    words = [f"on a processor {100 * time.cpu:.1f} %"]
    if time.queued >= _LEAST_SHOWN:
        words.append(f"waiting for a processor {100 * time.queued:.1f} %")
    words += [
        f"blocked in {name} {100 * share.value:.1f} %"
        for name, share in time.blocked
        if share.value >= _LEAST_SHOWN
    ]
    yield f"server is:  {', '.join(words)}"


def _network_lines(time: RoundTripBudget) -> Iterator[str]:
    if time.network_s is None:
        return
    yield (
        f"network is: at most {_ms(time.network_s)} ms a round trip, by the server's kernel; "
        f"{time.retransmits:,} segment{'s' * (time.retransmits != 1)} sent again"
    )


def _per_trip(time: RoundTripBudget, share: Estimate) -> str:
    return "-" if time.trip_s is None else _ms(share.value * time.trip_s)


def _ms(seconds: float) -> str:
    return f"{1e3 * seconds:.3f}"


def slow_data(server: Server, time: RoundTripBudget) -> dict[str, Any]:
    trip_s = time.trip_s
    return {
        "pid": server.pid,
        "instance": server.instance,
        "client": server.socket.peer if server.socket else None,
        "seconds": time.seconds,
        "samples": time.samples,
        "round_trips": time.trips,
        "ms_per_trip": None if trip_s is None else 1e3 * trip_s,
        "parts": [
            {
                "name": name,
                "share": share.value,
                "low": share.low,
                "high": share.high,
                "ms_per_trip": None if trip_s is None else 1e3 * share.value * trip_s,
            }
            for name, share in _parts(time)
        ],
        "server": {
            "on_cpu": time.cpu,
            "waiting_for_cpu": time.queued,
            "blocked": [{"in": name, **asdict(share)} for name, share in time.blocked],
        },
        "waiting_to_send": asdict(time.sending),
        "network_ms_at_most": None if time.network_s is None else 1e3 * time.network_s,
        "retransmits": time.retransmits,
    }
