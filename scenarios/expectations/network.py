# SPDX-License-Identifier: GPL-2.0-or-later
"""What the network adds, and how rows per fetch and SDU decide how often it is crossed."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence

from scenarios.expectations.point import WITHIN, Point
from scenarios.run_analysis import MORE_DATA, CellResult, Counted, RunResult

BYTES_SENT = "bytes sent via SQL*Net to client"
TNS_HEADER = 10
"""What a data packet begins with, its flags included, in bytes."""


def path_delay(result: RunResult) -> Iterator[Point]:
    """What a path adds as SQL sees it: never less than it does, hardly more."""
    for each, added_s, true_s in path_delays(result):
        held = true_s * (1 - WITHIN) <= added_s <= true_s * 1.25 + 300e-6
        yield Point(held, f"{each.label} {1e6 * added_s:,.0f} of {1e6 * true_s:,.0f} us")


def fewer_trips(result: RunResult) -> Iterator[Point]:
    for sdu, ours in _by_sdu(result).items():
        trips = [e.counted.round_trips / e.counted.executions for e in ours if e.counted]
        held = all(b < a for a, b in itertools.pairwise(trips)) if len(trips) > 1 else None
        yield Point(held, f"SDU {sdu}: {' > '.join(f'{n:,.0f}' for n in trips)} round trips")


def more_data(result: RunResult) -> Iterator[Point]:
    """At the most rows per fetch: the larger the SDU, the fewer packets follow the first; and they
    are as many as the bytes need."""
    most = max((each.cell.fetch_size for each in result.cells), default=0)
    counted = {
        sdu: each.counted
        for sdu, ours in sorted(_by_sdu(result).items())
        for each in ours
        if each.cell.fetch_size == most and each.counted
    }
    packets = [more_packets(each) for each in counted.values()]
    held = None
    if len(packets) > 1:
        fewer = all(b < a for a, b in itertools.pairwise(packets))
        held = fewer and all(_bytes_fit(each, sdu) for sdu, each in counted.items())
    words = ", ".join(
        f"{n:,.0f} at SDU {sdu} ({each.statistics.get(BYTES_SENT, 0):,.0f} bytes)"
        for n, (sdu, each) in zip(packets, counted.items(), strict=True)
    )
    yield Point(held, f"{most} rows a fetch: {words} more-data packets")


def _bytes_fit(counted: Counted, sdu: int) -> bool:
    """Whether the packets are those that the bytes take: each answer's first and the more-data
    ones hold them all, and a more-data packet follows a full one only."""
    sent, trips = counted.statistics.get(BYTES_SENT, 0), counted.round_trips / counted.executions
    return sent / sdu - trips <= more_packets(counted) <= sent / (sdu - TNS_HEADER) + 1


def path_delays(result: RunResult) -> Iterator[tuple[CellResult, float, float]]:
    """Cells on a path with a delay: what it adds to a round trip as SQL sees it, and in truth."""
    by_label = {each.label: each for each in result.cells}
    for each in result.cells:
        base = by_label.get(each.base or "")
        true_s = result.scenario.paths[each.cell.path].round_trip_s
        if not true_s or base is None or base.cell.path == each.cell.path:
            continue
        here, there = (e.counted.round_trip_s if e.counted else None for e in (each, base))
        if here is not None and there is not None:
            yield each, here - there, true_s


def more_packets(counted: Counted) -> float:
    """Packets of an execution that followed the first of an answer."""
    return sum(waits for name, (waits, _) in counted.events.items() if name == MORE_DATA)


def _by_sdu(result: RunResult) -> Mapping[int, Sequence[CellResult]]:
    """By SDU, the cells in the order of their rows per fetch."""
    found: dict[int, list[CellResult]] = {}
    for each in sorted(result.cells, key=lambda each: each.cell.fetch_size):
        if not each.cell.twin:
            found.setdefault(each.cell.sdu, []).append(each)
    return found
