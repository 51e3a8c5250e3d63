# SPDX-License-Identifier: GPL-2.0-or-later
"""What polling costs, how often it is done, and that no view shows it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from polltrace.intervals import FEWEST_VALUES
from scenarios.expectations.point import WITHIN, Point, clients
from scenarios.run_analysis import Counted, RunResult
from scenarios.scenario import DEFAULT_SKIP

CLOSED = 0.25
"""What may be left of a gap that has closed."""


def in_band_slower(result: RunResult) -> Iterator[Point]:
    """By elapsed time or by the server's CPU time, which is quieter; by neither the reverse."""
    for each in result.cells:
        if each.cell.skip != DEFAULT_SKIP or each.cell.twin:
            continue
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


def gap_closes(result: RunResult) -> Iterator[Point]:
    """By the server's CPU time, which is quieter, where it is known; else by elapsed time.

    Of clients with an out-of-band session: a local one, over another kind of socket, takes 1 to 2 %
    less CPU by itself, which no skip closes.
    """
    modes = {(each.cell.client, each.cell.break_mode) for each in result.cells}
    for client in clients(result):
        if (client, "out-of-band") not in modes:
            continue
        gaps = {
            e.cell.skip: gap
            for e in result.cells
            if e.cell.client == client and e.cell.skip
            if (gap := e.cpu_over_base_pct or e.over_base_pct)
        }
        if DEFAULT_SKIP in gaps and max(gaps) > DEFAULT_SKIP:
            first, last = gaps[DEFAULT_SKIP], gaps[max(gaps)]
            most, held = CLOSED * first.value, None
            if len(result.run.blocks) >= FEWEST_VALUES and first.value > 0:
                if last.value <= most:
                    held = True
                elif last.low > most:
                    held = False
            words = (
                f"{client} {first.value:+.1f} % at {DEFAULT_SKIP}, {last.value:+.1f}"
                f" [{last.low:+.1f}, {last.high:+.1f}] % at {max(gaps)}"
            )
            yield Point(held, words)


def polls_by_skip(result: RunResult) -> Iterator[Point]:
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


def views_equal(result: RunResult) -> Iterator[Point]:
    """What was done, by count; how long it took is not the views' to hide.

    One more or less in a look is none: who looks has his first parse and his last wait.
    """
    for client in clients(result):
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
