# SPDX-License-Identifier: GPL-2.0-or-later
"""Samples of latency summed up by layer, and the shares of network, server and client."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from polltrace.intervals import Estimate, propagated
from polltrace.latency.distribution import Distribution, LatencySummary
from polltrace.scenarios.run.latency.latency_session import LayerFailure
from polltrace.scenarios.run.latency.layers import LAYERS, PING, ROW, RTT, SEED, TCP, TNS, Sample


@dataclass(slots=True)
class LayerTotals:
    """The samples of one layer: `seconds` of each, and of those with DB time that, `db_s`; the sum
    of their round `trips`; failures, and the `reason` of the last."""

    seconds: Distribution = field(default_factory=Distribution)
    db_s: Distribution = field(default_factory=Distribution)
    trips: float = 0.0
    failures: int = 0
    reason: str = ""

    def take(self, sample: Sample | LayerFailure) -> None:
        if isinstance(sample, LayerFailure):
            self.failures += 1
            self.reason = sample.reason
            return
        self.seconds.add(sample.seconds)
        self.trips += sample.trips
        if sample.db_s is not None:
            self.db_s.add(sample.db_s)


@dataclass(frozen=True, slots=True)
class LayerResult:
    """A layer of a path.

    - `name`: of LAYERS
    - `summary`: its seconds; None where none was measured
    - `trips`: round trips of one sample, on average
    - `db_s`: DB time of one sample, the median; None where it is not known
    - `failures`, `reason`: how many measurements failed, and why the last did
    """

    name: str
    summary: LatencySummary | None
    trips: float
    db_s: Estimate | None
    failures: int
    reason: str

    @property
    def seconds(self) -> Estimate | None:
        return self.summary.p50 if self.summary else None


@dataclass(frozen=True, slots=True)
class Part:
    """A difference between layers, in seconds of one sample; `of` says of which, `how` how it is
    made."""

    name: str
    of: str
    seconds: Estimate
    how: str


class PathTotals:
    """The samples of all layers of a path; layers without any are left out."""

    def __init__(self) -> None:
        self._layers: dict[str, LayerTotals] = {}

    def take(self, sample: Sample | LayerFailure) -> None:
        self._layers.setdefault(sample.layer, LayerTotals()).take(sample)

    def extend(self, samples: Iterable[Sample | LayerFailure]) -> None:
        for sample in samples:
            self.take(sample)

    def layers(self) -> list[LayerResult]:
        """The results of all layers, in the order of LAYERS."""
        return [_result(name, self._layers[name]) for name in LAYERS if name in self._layers]


def _result(name: str, totals: LayerTotals) -> LayerResult:
    db = totals.db_s.summary()
    return LayerResult(
        name=name,
        summary=totals.seconds.summary(),
        trips=totals.trips / totals.seconds.samples if totals.seconds.samples else 1.0,
        db_s=db.p50 if db else None,
        failures=totals.failures,
        reason=totals.reason,
    )


def parts(layers: Sequence[LayerResult]) -> list[Part]:
    """The differences between layers, as far as the layers were measured."""
    by_name = {layer.name: layer for layer in layers if layer.seconds is not None}
    return [*_of_a_row(by_name), *_between(by_name)]


def _of_a_row(by_name: dict[str, LayerResult]) -> Iterator[Part]:
    """Network, server and client of one execution: they add up to it."""
    row, rtt = by_name.get(ROW), by_name.get(RTT)
    if row is None or rtt is None or row.seconds is None or rtt.seconds is None:
        return
    network = rtt.seconds.scaled(row.trips)
    yield Part("network", ROW, network, f"{RTT} x {row.trips:g} round trip{'s' * (row.trips != 1)}")
    if row.db_s is None:
        remainder = propagated(lambda a, b: a - b, row.seconds, network)
        yield Part("server and client", ROW, remainder, "the rest; DB time is not known")
        return
    yield Part("server", ROW, row.db_s, "DB time by V$SESS_TIME_MODEL")
    remainder = propagated(lambda a, b, c: a - b - c, row.seconds, network, row.db_s)
    yield Part("client", ROW, remainder, "the rest: the driver, and waking up at both ends")


_DIFFERENCES = (
    ("this host", TCP, RTT, "making a socket, and waking up"),
    ("listener", TNS, RTT, "the listener, and starting a server process"),
    ("driver and server", PING, RTT, "a call without SQL"),
    ("SQL", ROW, PING, "parse, execute and fetch of one row"),
    ("client, per row", SEED, RTT, "outside DB time and network"),
)


def _between(by_name: dict[str, LayerResult]) -> Iterator[Part]:
    for name, upper, lower, meaning in _DIFFERENCES:
        above, below = by_name.get(upper), by_name.get(lower)
        if above is None or below is None or above.seconds is None or below.seconds is None:
            continue
        trips = 1.0 if upper in (SEED, ROW) else above.trips
        below_total = below.seconds.scaled(trips)
        seconds = propagated(lambda a, b: a - b, above.seconds, below_total)
        yield Part(name, upper, seconds, f"{upper} - {lower}: {meaning}")
