# SPDX-License-Identifier: GPL-2.0-or-later
"""Whether a run bears out what its scenario expects: pure functions of the result.

A scenario file names a check beside the sentence; what has no check is left to the reader.
"""

from __future__ import annotations

import itertools
import re
import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from polltrace.intervals import FEWEST_VALUES
from scenarios.run_analysis import MORE_DATA, CellResult, Counted, RunResult
from scenarios.scenario import (
    CANCELS_CALLS_ONLY,
    DEFAULT_SKIP,
    NEVER_CHECKS,
    WAIT_SLICE_S,
    Expected,
)

WITHIN = 0.01
"""Counts may differ by so much: counting begins and ends between two polls."""
CLOSED = 0.25
"""What may be left of a gap that has closed."""
MOST_SHOWN = 8
AT_ONCE_MS = 100.0
"""What driver and server take to end a call, on a busy host too."""


@dataclass(frozen=True, slots=True)
class Point:
    """One cell or client: `held` is None where this run cannot tell."""

    held: bool | None
    words: str


@dataclass(frozen=True, slots=True)
class Finding:
    """`held` None: not checked, or not to be told by this run; `words` are the evidence."""

    text: str
    held: bool | None
    words: str


def findings(result: RunResult) -> list[Finding]:
    return [_finding(each, result) for each in result.scenario.expected]


def _finding(expected: Expected, result: RunResult) -> Finding:
    check = CHECKS.get(expected.check)
    points = list(check(result)) if check else []
    held = None if not points else all(each.held for each in points)
    if held is False and not any(each.held is False for each in points):
        held = None
    shown = points if held else [each for each in points if each.held is not True]
    words = [each.words for each in shown]
    if held and len(points) > MOST_SHOWN:
        words = [f"all {len(points)}"]
    return Finding(expected.text, held, "; ".join(words))


def _in_band_slower(result: RunResult) -> Iterator[Point]:
    """By elapsed time or by the server's CPU time, which is quieter; by neither the reverse."""
    for each in _cells(result, skip=DEFAULT_SKIP):
        over = {"elapsed": each.over_base_pct, "CPU": each.cpu_over_base_pct}
        known = {name: value for name, value in over.items() if value is not None}
        if not known:
            continue
        held = None
        if len(result.run.blocks) >= FEWEST_VALUES:
            if any(value.high < 0 for value in known.values()):
                held = False
            elif any(value.low > 0 for value in known.values()):
                held = True
        words = ", ".join(
            f"{name} {value.value:+.1f} [{value.low:+.1f}, {value.high:+.1f}] %"
            for name, value in known.items()
        )
        yield Point(held, f"{each.cell.client} {words}")


def _gap_closes(result: RunResult) -> Iterator[Point]:
    for client in _clients(result):
        ours = [e for e in result.cells if e.cell.client == client and e.over_base_pct]
        gaps = {e.cell.skip: e.over_base_pct.value for e in ours if e.cell.skip and e.over_base_pct}
        if DEFAULT_SKIP in gaps and max(gaps) > DEFAULT_SKIP:
            first, last = gaps[DEFAULT_SKIP], gaps[max(gaps)]
            told = len(result.run.blocks) >= FEWEST_VALUES and first > 0
            words = f"{client} {first:+.1f} % at {DEFAULT_SKIP}, {last:+.1f} % at {max(gaps)}"
            yield Point(last <= CLOSED * first if told else None, words)


def _polls_by_skip(result: RunResult) -> Iterator[Point]:
    for each in result.cells:
        counted = each.counted
        if counted is None or counted.known_polls is None:
            continue
        if each.cell.break_mode != "in-band":
            yield Point(counted.known_polls == 0, f"{each.label} {counted.known_polls:,.0f} polls")
        elif each.cell.skip:
            per_poll = counted.gets_per_poll or 0.0
            held = abs(per_poll / each.cell.skip - 1) <= WITHIN
            yield Point(held, f"{each.label} {per_poll:,.2f} gets a poll")


def _views_equal(result: RunResult) -> Iterator[Point]:
    """What was done, by count; how long it took is not the views' to hide.

    One more or less in a look is none: who looks has his first parse and his last wait.
    """
    for client in _clients(result):
        counted = [e.counted for e in result.cells if e.cell.client == client and e.counted]
        done = [_done(each) for each in counted]
        names = sorted({name for each in done for name in each})
        one = max((result.scenario.counted / each.executions for each in counted), default=0.0)
        differ = [
            f"{name} {min(values):,.1f} to {max(values):,.1f}"
            for name in names
            for values in [[each.get(name, 0.0) for each in done]]
            if max(values) - min(values) > WITHIN * max(values) + one
        ]
        if len(done) > 1 and names:
            words = ", ".join(differ) or f"{len(names)} statistics and events of {len(done)} cells"
            yield Point(not differ, f"{client}: {words}")


def _done(counted: Counted) -> Mapping[str, float]:
    """Of an execution, the statistics that count (no times, no bytes, none of the lab's own) and
    the waits."""
    return {
        **{
            name: value
            for name, value in counted.statistics.items()
            if not re.search("time|CPU|^bytes|^lab ", name)
        },
        **{name: waits for name, (waits, _) in counted.events.items()},
    }


def _losing_path(result: RunResult) -> Iterator[Point]:
    """On paths that lose urgent data: checked means polls and no lost cancel, unchecked neither."""
    for each in result.cells:
        if result.scenario.paths[each.cell.path].urgent != "drop" or each.counted is None:
            continue
        polls, sent = each.counted.known_polls or 0, each.cancels_lost + len(each.cancels_ms)
        words = f"{each.label} {polls:,.0f} polls, {each.cancels_lost} of {sent} cancels lost"
        if each.cell.path_check and each.cell.client not in NEVER_CHECKS:
            yield Point(polls > 0 and not each.cancels_lost, words)
        else:
            yield Point(polls == 0 and each.cancels_lost == sent > 0, words)


def _path_delay(result: RunResult) -> Iterator[Point]:
    """What a path adds as SQL sees it: never less than it does, hardly more."""
    for each, added_s, true_s in path_delays(result):
        held = true_s * (1 - WITHIN) <= added_s <= true_s * 1.25 + 300e-6
        yield Point(held, f"{each.label} {1e6 * added_s:,.0f} of {1e6 * true_s:,.0f} us")


def _fewer_trips(result: RunResult) -> Iterator[Point]:
    for sdu, ours in _by_sdu(result).items():
        trips = [e.counted.round_trips / e.counted.executions for e in ours if e.counted]
        held = all(b < a for a, b in itertools.pairwise(trips)) if len(trips) > 1 else None
        yield Point(held, f"SDU {sdu}: {' > '.join(f'{n:,.0f}' for n in trips)} round trips")


def _more_data(result: RunResult) -> Iterator[Point]:
    """At the most rows per fetch: the larger the SDU, the fewer packets follow the first."""
    most = max((each.cell.fetch_size for each in result.cells), default=0)
    packets = {
        sdu: more_data(each.counted)
        for sdu, ours in sorted(_by_sdu(result).items())
        for each in ours
        if each.cell.fetch_size == most and each.counted
    }
    numbers = list(packets.values())
    held = all(b < a for a, b in itertools.pairwise(numbers)) if len(numbers) > 1 else None
    words = ", ".join(f"{n:,.0f} at SDU {sdu}" for sdu, n in packets.items())
    yield Point(held, f"{most} rows a fetch: {words} more-data packets")


def _cancel_at_once(result: RunResult) -> Iterator[Point]:
    for each in result.cells:
        between_calls = each.cell.busy == "sending" and each.cell.client in CANCELS_CALLS_ONLY
        sent = each.cancels_ms or each.cancels_lost
        if each.cell.break_mode != "in-band" and sent and not between_calls:
            yield _within(each, AT_ONCE_MS)


def _cancel_by_skip(result: RunResult) -> Iterator[Point]:
    """In-band and executing, the highest skip against the lowest."""
    for client in _clients(result):
        medians = {
            e.cell.skip: statistics.median(e.cancels_ms)
            for e in result.cells
            if e.cell.client == client and e.cell.skip and e.cell.busy == "executing"
            if e.cancels_ms
        }
        if len(medians) > 1:
            low, high = min(medians), max(medians)
            words = f"{client} {medians[low]:.1f} ms at {low}, {medians[high]:.1f} ms at {high}"
            yield Point(medians[high] > medians[low], words)


def _cancel_in_waits(result: RunResult) -> Iterator[Point]:
    """In-band and waiting for a row lock: a look every 3 s, so some cancels wait for long."""
    for each in result.cells:
        if each.cell.skip and each.cell.busy == "waiting" and each.cancels_ms:
            slices_ms = 1e3 * WAIT_SLICE_S * each.cell.skip
            seen = _within(each, slices_ms + AT_ONCE_MS)
            yield Point(seen.held and max(each.cancels_ms) > AT_ONCE_MS, seen.words)


def _within(each: CellResult, most_ms: float) -> Point:
    if not each.cancels_ms:
        return Point(False, f"{each.label} all {each.cancels_lost} lost")
    median, most = statistics.median(each.cancels_ms), max(each.cancels_ms)
    words = f"{each.label} {median:.1f} ms, {most:.1f} at most, {each.cancels_lost} lost"
    return Point(most <= most_ms and not each.cancels_lost, words)


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


def more_data(counted: Counted) -> float:
    """Packets of an execution that followed the first of an answer."""
    return sum(waits for name, (waits, _) in counted.events.items() if name == MORE_DATA)


def _by_sdu(result: RunResult) -> Mapping[int, Sequence[CellResult]]:
    """By SDU, the cells in the order of their rows per fetch."""
    found: dict[int, list[CellResult]] = {}
    for each in sorted(result.cells, key=lambda each: each.cell.fetch_size):
        if not each.cell.twin:
            found.setdefault(each.cell.sdu, []).append(each)
    return found


def _cells(result: RunResult, *, skip: int) -> Sequence[CellResult]:
    return [each for each in result.cells if each.cell.skip == skip and not each.cell.twin]


def _clients(result: RunResult) -> Sequence[str]:
    return list(dict.fromkeys(each.cell.client for each in result.cells))


CHECKS: Mapping[str, Callable[[RunResult], Iterator[Point]]] = {
    "in-band slower": _in_band_slower,
    "gap closes": _gap_closes,
    "polls by skip": _polls_by_skip,
    "views equal": _views_equal,
    "losing path": _losing_path,
    "path delay": _path_delay,
    "fewer trips": _fewer_trips,
    "more data": _more_data,
    "cancel at once": _cancel_at_once,
    "cancel by skip": _cancel_by_skip,
    "cancel in waits": _cancel_in_waits,
}
