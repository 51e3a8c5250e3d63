# SPDX-License-Identifier: GPL-2.0-or-later
"""A network path between client and server, as a scenario describes it."""

from __future__ import annotations

from dataclasses import dataclass, replace

URGENT = {"keep": "kept", "inline": "put in line", "drop": "lost"}


@dataclass(frozen=True, slots=True)
class NetworkPath:
    """The effects of a path on its packets, in order.

    - `round_trip_s`: seconds that it adds to a round trip, half of them each way
    - `jitter_s`: up to this many seconds more each way, at random
    - `urgent`: the treatment of urgent data, a key of URGENT
    - `mbit_s`: how much it carries each way, in 10^6 bits a second; 0: as much as comes
    """

    round_trip_s: float = 0.0
    jitter_s: float = 0.0
    urgent: str = "keep"
    mbit_s: float = 0.0

    @property
    def delays(self) -> bool:
        return self.round_trip_s > 0 or self.jitter_s > 0 or self.mbit_s > 0

    def carries_s(self, size: int) -> float:
        """Seconds that it takes to put `size` bytes on the path."""
        return size * 8e-6 / self.mbit_s if self.mbit_s else 0.0

    @property
    def without_delay(self) -> NetworkPath:
        return replace(self, round_trip_s=0.0, jitter_s=0.0, mbit_s=0.0)

    def __str__(self) -> str:
        delay = f"{1e3 * self.round_trip_s:g} ms a round trip" if self.delays else "no delay"
        jitter = f", up to {1e3 * self.jitter_s:g} ms more each way" if self.jitter_s else ""
        rate = f", {self.mbit_s:g} Mbit/s" if self.mbit_s else ""
        return f"{delay}{jitter}{rate}, urgent data {URGENT[self.urgent]}"
