# SPDX-License-Identifier: GPL-2.0-or-later
"""Checks of the packets that carry rows over a database link, and of its path's cost."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from polltrace.scenarios.analyse.counted import TRIPS_TO_DBLINK, CountedTotals
from polltrace.scenarios.analyse.expectations.network import BYTES_SENT, TNS_HEADER
from polltrace.scenarios.analyse.expectations.observation import WITHIN, Observation
from polltrace.scenarios.analyse.result import CellResult, RunResult
from polltrace.scenarios.plan.cell import (
    BULK_COLLECT,
    CLIENT,
    DEFAULT_SKIP,
    FOR_LOOP,
    LOOP_FETCH,
)
from polltrace.scenarios.plan.linked_rows import row_bytes

TO_DBLINK = "SQL*Net message to dblink"
FROM_DBLINK = "SQL*Net message from dblink"
MORE_FROM_DBLINK = "SQL*Net more data from dblink"
TO_CLIENT = "SQL*Net message to client"
BYTES_FROM_DBLINK = "bytes received via SQL*Net from dblink"
LAB_CHECKS = "lab break checks"
DEFAULT_SDU = 8192
NOISE = 4
"""Messages of an execution that fetch no rows."""
OPENING = 4
"""Messages that open a link of the lab's: protocol, data types, and the two of the logon. A cell's
link is open before its first execution."""
TENTH = 0.1


@dataclass(frozen=True, slots=True)
class Published:
    """J. Lewis's counts for 20,000 rows ("DB links", July 2019): messages and more data of
    either hop, by rows a fetch, SDU and fetching program. `sdu` is 0 where PL/SQL did, so that no
    rows went to the client.

    `opens`: whether that execution opened the link, as far as his counts tell. It has five messages
    more over the link than from the client, and was the first one after he had restarted.
    """

    fetch_size: int
    link_sdu: int
    sdu: int
    messages: int
    more_from_dblink: int
    client_messages: int
    more_to_client: int
    opens: bool = False
    fetched_by: str = CLIENT


PUBLISHED = (
    Published(20, 8192, 8192, 1004, 0, 1004, 0),
    Published(2000, 8192, 8192, 13, 96, 14, 96),
    Published(20, 16384, 16384, 1009, 0, 1004, 0, opens=True),
    Published(2000, 16384, 16384, 13, 45, 14, 45),
    Published(2000, 8192, 32767, 13, 96, 14, 20),
    Published(LOOP_FETCH, 16384, 0, 203, 0, 4, 0, fetched_by=FOR_LOOP),
    Published(1000, 16384, 0, 24, 40, 4, 0, fetched_by=BULK_COLLECT),
)


def link_messages(result: RunResult) -> Iterator[Observation]:
    """A single message crosses the link for each fetch of the client's or of the block's, and no
    more than NOISE others."""
    for cell_result, counted in _counted(result):
        fetches = math.ceil(_rows(result) / cell_result.cell.fetch_size)
        sent, received = counted.waits(TO_DBLINK), counted.waits(FROM_DBLINK)
        trips = counted.statistics.get(TRIPS_TO_DBLINK, 0)
        fulfilled = sent == received == trips and fetches <= sent <= fetches + NOISE
        yield Observation(
            fulfilled, f"{cell_result.label} {sent:,.0f} messages for {fetches:,} fetches"
        )


def link_packets(result: RunResult) -> Iterator[Observation]:
    """On each hop more data = packets - 1 for each fetch, by that hop's SDU alone."""
    rows = _rows(result)
    for cell_result, counted in _counted(result):
        for hop, sent, messages, more_data, size, sdu in (
            (
                "link",
                rows,
                counted.waits(FROM_DBLINK),
                counted.waits(MORE_FROM_DBLINK),
                counted.statistics.get(BYTES_FROM_DBLINK, 0),
                cell_result.cell.link_sdu,
            ),
            (
                "client",
                rows if cell_result.cell.fetched_by == CLIENT else 0,
                counted.waits(TO_CLIENT),
                counted.more_packets,
                counted.statistics.get(BYTES_SENT, 0),
                cell_result.cell.sdu,
            ),
        ):
            payload = size - TNS_HEADER * (messages + more_data)
            fetch_size = cell_result.cell.fetch_size
            by_law = expected_more_data(sent, fetch_size, sdu or DEFAULT_SDU, payload)
            counts = f"{more_data:,.0f} more-data packets on the {hop}, {by_law:,} by law"
            yield Observation(more_data == by_law, f"{cell_result.label}: {counts}")


def expected_more_data(rows: int, fetch_size: int, sdu: int, payload: float) -> int:
    """Packets - 1, added up over the fetches of `rows` rows: each fetch fills its packets.

    `payload`, the bytes of all fetches, tells how many of each fetch are no rows'. Without rows it
    is one answer's.
    """
    fetches = [
        sum(map(row_bytes, range(first, min(first + fetch_size, rows))))
        for first in range(0, rows, fetch_size)
    ] or [0]
    overhead_bytes = (payload - sum(fetches)) / len(fetches)
    return sum(
        math.ceil((fetch_bytes + overhead_bytes) / (sdu - TNS_HEADER)) - 1
        for fetch_bytes in fetches
    )


def link_published(result: RunResult) -> Iterator[Observation]:
    """The published cells: more data exactly, messages within NOISE."""
    published = {(row.fetched_by, row.fetch_size, row.link_sdu, row.sdu): row for row in PUBLISHED}
    for cell_result, counted in _counted(result):
        cell = cell_result.cell
        row = published.get((cell.fetched_by, cell.fetch_size, cell.link_sdu, cell.sdu))
        if row is None:
            continue
        opening = OPENING if row.opens else 0
        messages = counted.waits(TO_DBLINK) + opening, counted.waits(TO_CLIENT)
        more_data = counted.waits(MORE_FROM_DBLINK), counted.more_packets
        fulfilled = more_data == (row.more_from_dblink, row.more_to_client) and all(
            abs(n - p) <= NOISE
            for n, p in zip(messages, (row.messages, row.client_messages), strict=True)
        )
        words = "/".join(f"{n:,.0f}" for n in (*messages, *more_data))
        yield Observation(fulfilled, f"{cell_result.label} {words}")


def link_delay(result: RunResult) -> Iterator[Observation]:
    """An execution takes longer by round trips x latency + bytes / bandwidth, within a tenth.

    While a fetch is on its way the servers work on the rest of it: up to the base's whole time is
    no addition.
    """
    for cell_result, (least_s, most_s) in link_forecasts(result):
        took = cell_result.over_base_s
        assert took is not None
        low_s, high_s = (1 - TENTH) * least_s, (1 + TENTH) * most_s
        fulfilled: bool | None = low_s <= took.value <= high_s
        if not fulfilled and took.low <= high_s and took.high >= low_s:
            fulfilled = None
        words = f"{cell_result.label} +{1e3 * took.value:,.0f} ms of +{1e3 * low_s:,.0f} to"
        yield Observation(fulfilled, f"{words} {1e3 * high_s:,.0f}")


def link_forecasts(result: RunResult) -> Iterator[tuple[CellResult, tuple[float, float]]]:
    """Cells whose link has a path that delays, and how many seconds it should add, at least and at
    most."""
    by_label = {cell_result.label: cell_result for cell_result in result.cells}
    for cell_result, counted in _counted(result):
        base, path = (
            by_label.get(cell_result.base or ""),
            result.scenario.paths[cell_result.cell.link_path],
        )
        if cell_result.cell.twin or not path.delays:
            continue
        if base and base.elapsed_s and cell_result.over_base_s:
            trips_s = counted.statistics.get(TRIPS_TO_DBLINK, 0) * path.round_trip_s
            size = counted.statistics.get(BYTES_FROM_DBLINK, 0)
            carries_s = path.carries_s(round(size))
            yield (
                cell_result,
                (trips_s + max(0, carries_s - base.elapsed_s.value), trips_s + carries_s),
            )


def remote_polls(result: RunResult) -> Iterator[Observation]:
    """The remote server's client is a server that never sends urgent data: it polls once in its
    skip checks, whatever the break mode of the local session."""
    for cell_result, counted in _counted(result):
        remote = counted.remote
        if remote is None or remote.known_polls is None:
            continue
        checks = remote.statistics.get(LAB_CHECKS, 0) * remote.executions
        expected = checks / (cell_result.cell.link_skip or DEFAULT_SKIP)
        fulfilled = abs(remote.known_polls - expected) <= max(WITHIN * expected, 1)
        yield Observation(
            fulfilled, f"{cell_result.label} {remote.known_polls:,.0f} polls of {checks:,.0f}"
        )


def _counted(result: RunResult) -> Iterator[tuple[CellResult, CountedTotals]]:
    for cell_result in result.cells:
        if cell_result.cell.link_path and cell_result.counted:
            yield cell_result, cell_result.counted


def _rows(result: RunResult) -> int:
    return int(result.scenario.binds["rows"])
