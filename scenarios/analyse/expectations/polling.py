# SPDX-License-Identifier: GPL-2.0-or-later
"""The cost and the rate of polling, and that no view shows it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from polltrace.intervals import FEWEST_VALUES
from polltrace.scenarios.analyse.counted import CountedTotals
from polltrace.scenarios.analyse.expectations.observation import WITHIN, Observation
from polltrace.scenarios.analyse.result import RunResult
from polltrace.scenarios.plan.cell import DEFAULT_SKIP

CLOSED = 0.25
"""The share of a gap that may be left where it has closed."""


def in_band_slower(result: RunResult) -> Iterator[Observation]:
    """By elapsed time or by the server's CPU time, which is less noisy; faster by neither."""
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
            f"{name} {value.value:+z.1f} [{value.low:+z.1f}, {value.high:+z.1f}] %"
            for name, value in known.items()
        )
        yield Observation(held, f"{each.cell.client} {words}")


def gap_closes(result: RunResult) -> Iterator[Observation]:
    """By the server's CPU time, which is less noisy, where it is known; else by elapsed time.

    Only for clients that have an out-of-band session: a local session uses another kind of socket
    and takes 1 to 2 % less CPU by itself, which no skip closes.
    """
    modes = {(each.cell.client, each.cell.break_mode) for each in result.cells}
    for client in result.clients:
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
                f"{client} {first.value:+z.1f} % at {DEFAULT_SKIP}, {last.value:+z.1f}"
                f" [{last.low:+z.1f}, {last.high:+z.1f}] % at {max(gaps)}"
            )
            yield Observation(held, words)


def polls_by_skip(result: RunResult) -> Iterator[Observation]:
    for each in result.cells:
        counted = each.counted
        if counted is None or counted.known_polls is None:
            continue
        if each.cell.break_mode != "in-band":
            yield Observation(
                counted.known_polls == 0, f"{each.label} {counted.known_polls:,.0f} polls"
            )
        elif each.cell.skip:
            per_poll = counted.gets_per_poll or 0.0
            held = abs(per_poll / each.cell.skip - 1) <= WITHIN
            yield Observation(held, f"{each.label} {per_poll:,.2f} gets a poll")


def views_equal(result: RunResult) -> Iterator[Observation]:
    """The counts in the views agree between cells; times are left out.

    A difference of one is none: the session that reads the views adds a parse and a wait.
    """
    for client in result.clients:
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
            yield Observation(not differ, f"{client}: {words}")


def same_plan(result: RunResult) -> Iterator[Observation]:
    """One plan in all cells; nothing where the server does not show it."""
    plans = {plan for each in result.cells if each.counted for plan in each.counted.plans}
    if plans:
        shown = ", ".join(map(str, sorted(plans)))
        yield Observation(len(plans) == 1, f"PLAN_HASH_VALUE {shown}")
    else:
        yield Observation(None, "this server's V$SQL shows no plan")


def _done(counted: CountedTotals) -> Mapping[str, float]:
    """Statistics that are counts (no times, no bytes, none of the lab's own) and waits, for each
    execution."""
    return {
        **{
            name: value
            for name, value in counted.statistics.items()
            if not re.search("time|CPU|^bytes|^lab ", name)
        },
        **{name: waits for name, (waits, _) in counted.events.items()},
    }
