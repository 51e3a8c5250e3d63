# SPDX-License-Identifier: GPL-2.0-or-later
"""`polltrace oob-check`: the verdict on a path, for a DBA and for a network team."""

from __future__ import annotations

from typing import Any

from polltrace.breaks.oob_path import Direction, Fate, PathCheck

_MEANING = {
    Fate.URGENT: "carried: out-of-band breaks can work over this path",
    Fate.INLINE: "turned into ordinary data: something on the path clears the URG flag or relays "
    "the stream (a firewall's TCP normaliser, a proxy)",
    Fate.LOST: "eaten: something on the path ends the connection and opens another, or strips the "
    "byte (a proxy, a port forwarder, a load balancer)",
    Fate.RESET: "answered with the end of the connection: something on the path refuses it",
}


def verdict(check: PathCheck) -> str:
    """carried, inline, lost, reset or mixed; breaks travel from client to server."""
    fates = set(check.to_server.fates)
    if len(fates) != 1:
        return "mixed"
    (fate,) = fates
    return "carried" if fate is Fate.URGENT else fate.value


def oob_data(check: PathCheck, host: str, port: int) -> dict[str, Any]:
    return {
        "host": host,
        "port": port,
        "verdict": verdict(check),
        "to_server": _direction_data(check.to_server),
        "to_client": _direction_data(check.to_client),
    }


def _direction_data(direction: Direction) -> dict[str, Any]:
    counts = {fate.value: direction.count(fate) for fate in Fate}
    return {"tries": len(direction.fates), **counts, "median_ms": direction.median_ms}


def oob_text(check: PathCheck, host: str, port: int) -> str:
    """The verdict, then both directions."""
    outcome = verdict(check)
    if outcome == "mixed":
        text = (
            "now carried, now not: more than one way leads there, or a device in between depends "
            "on its load"
        )
    else:
        text = _MEANING[Fate.URGENT if outcome == "carried" else Fate(outcome)]
    return "\n".join(
        [
            f"TCP urgent data to {host}:{port} is {text}.",
            f"  client to server (breaks): {_direction(check.to_server)}",
            f"  server to client:          {_direction(check.to_client)}",
        ]
    )


def _direction(direction: Direction) -> str:
    if not direction.fates:
        return "not tried, the connection had ended"
    counts = [f"{direction.count(fate)} {fate.value}" for fate in Fate if direction.count(fate)]
    took = "" if direction.median_ms is None else f", {direction.median_ms:.2f} ms each (median)"
    return f"{', '.join(counts)} of {len(direction.fates)}{took}"
