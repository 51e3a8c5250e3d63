# SPDX-License-Identifier: GPL-2.0-or-later
"""The delay of a network path per round trip, and how rows per fetch and SDU set their number."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence

from polltrace.intervals import Estimate
from polltrace.scenarios.analyse import bootstrap
from polltrace.scenarios.analyse.counted import CountedTotals
from polltrace.scenarios.analyse.expectations.observation import WITHIN, Observation
from polltrace.scenarios.analyse.result import CellResult, RunResult

BYTES_SENT = "bytes sent via SQL*Net to client"
TNS_HEADER = 10
"""The length of a data packet's header, its flags included, in bytes."""


def path_delay(result: RunResult) -> Iterator[Observation]:
    """The round trip time measured from SQL grows by the path's own, and by little more."""
    for cell_result, added_s, true_s in path_delays(result):
        fulfilled = true_s * (1 - WITHIN) <= added_s.value <= true_s * 1.25 + 300e-6
        yield Observation(
            fulfilled, f"{cell_result.label} {interval_us(added_s)} of {1e6 * true_s:,.0f} us"
        )


def fewer_trips(result: RunResult) -> Iterator[Observation]:
    for sdu, ours in _by_sdu(result).items():
        trips = [e.counted.trips_per_execution for e in ours if e.counted]
        fulfilled = all(b < a for a, b in itertools.pairwise(trips)) if len(trips) > 1 else None
        yield Observation(
            fulfilled, f"SDU {sdu}: {' > '.join(f'{n:,.0f}' for n in trips)} round trips"
        )


def more_data(result: RunResult) -> Iterator[Observation]:
    """At the most rows per fetch: the larger the SDU, the fewer packets follow the first. Their
    number is the one that the bytes need."""
    largest_fetch = max((cell_result.cell.fetch_size for cell_result in result.cells), default=0)
    counted = {
        sdu: cell_result.counted
        for sdu, ours in sorted(_by_sdu(result).items())
        for cell_result in ours
        if cell_result.cell.fetch_size == largest_fetch and cell_result.counted
    }
    packets = [totals.more_packets for totals in counted.values()]
    fulfilled = None
    if len(packets) > 1:
        fewer = all(b < a for a, b in itertools.pairwise(packets))
        fulfilled = fewer and all(_bytes_fit(totals, sdu) for sdu, totals in counted.items())
    words = ", ".join(
        f"{n:,.0f} at SDU {sdu} ({totals.statistics.get(BYTES_SENT, 0):,.0f} bytes)"
        for n, (sdu, totals) in zip(packets, counted.items(), strict=True)
    )
    yield Observation(fulfilled, f"{largest_fetch} rows a fetch: {words} more-data packets")


def _bytes_fit(counted: CountedTotals, sdu: int) -> bool:
    """Check that first and more-data packets together carry the bytes, and each more-data packet
    follows a full one."""
    sent, trips = counted.statistics.get(BYTES_SENT, 0), counted.trips_per_execution
    return sent / sdu - trips <= counted.more_packets <= sent / (sdu - TNS_HEADER) + 1


def path_delays(result: RunResult) -> Iterator[tuple[CellResult, Estimate, float]]:
    """Cells on a path with a delay: seconds that a round trip takes longer than on the base's path,
    measured from SQL, and as the path was set."""
    by_label = {cell_result.label: cell_result for cell_result in result.cells}
    for cell_result in result.cells:
        base = by_label.get(cell_result.base or "")
        true_s = result.scenario.paths[cell_result.cell.path].round_trip_s
        if not true_s or base is None or base.cell.path == cell_result.cell.path:
            continue
        cell_trips_s, base_trips_s = (
            e.counted.round_trips_s if e.counted else () for e in (cell_result, base)
        )
        if cell_trips_s and len(cell_trips_s) == len(base_trips_s):
            added = [far - near for far, near in zip(cell_trips_s, base_trips_s, strict=True)]
            yield cell_result, bootstrap.median(added), true_s


def interval_us(estimate: Estimate) -> str:
    value, low, high = (f"{1e6 * s:,.0f}" for s in (estimate.value, estimate.low, estimate.high))
    return f"{value} [{low}, {high}]"


def _by_sdu(result: RunResult) -> Mapping[int, Sequence[CellResult]]:
    """Cells by SDU, in the order of their rows per fetch."""
    groups: dict[int, list[CellResult]] = {}
    for cell_result in sorted(result.cells, key=lambda cell_result: cell_result.cell.fetch_size):
        if not cell_result.cell.twin:
            groups.setdefault(cell_result.cell.sdu, []).append(cell_result)
    return groups
