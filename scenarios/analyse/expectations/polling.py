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
    """Slower by elapsed time or by the server's less noisy CPU time, and faster by neither."""
    for cell_result in result.cells:
        if cell_result.cell.skip != DEFAULT_SKIP or cell_result.cell.twin:
            continue
        over = {"elapsed": cell_result.over_base_pct, "CPU": cell_result.cpu_over_base_pct}
        known_over = {name: value for name, value in over.items() if value is not None}
        if not known_over:
            continue
        fulfilled = None
        if len(result.run.blocks) >= FEWEST_VALUES:
            if any(value.high < 0 for value in known_over.values()):
                fulfilled = False
            elif any(value.low > 0 for value in known_over.values()):
                fulfilled = True
        words = ", ".join(
            f"{name} {value.value:+z.1f} [{value.low:+z.1f}, {value.high:+z.1f}] %"
            for name, value in known_over.items()
        )
        yield Observation(fulfilled, f"{cell_result.cell.client} {words}")


def gap_closes(result: RunResult) -> Iterator[Observation]:
    """The comparison uses the server's CPU time, which is less noisy, or else elapsed time.

    Only for clients that have an out-of-band session: a local session uses another kind of socket
    and takes 1 to 2 % less CPU by itself, which no skip closes.
    """
    modes = {(cell_result.cell.client, cell_result.cell.break_mode) for cell_result in result.cells}
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
            limit_pct, fulfilled = CLOSED * first.value, None
            if len(result.run.blocks) >= FEWEST_VALUES and first.value > 0:
                if last.value <= limit_pct:
                    fulfilled = True
                elif last.low > limit_pct:
                    fulfilled = False
            words = (
                f"{client} {first.value:+z.1f} % at {DEFAULT_SKIP}, {last.value:+z.1f}"
                f" [{last.low:+z.1f}, {last.high:+z.1f}] % at {max(gaps)}"
            )
            yield Observation(fulfilled, words)


def polls_by_skip(result: RunResult) -> Iterator[Observation]:
    for cell_result in result.cells:
        counted = cell_result.counted
        if counted is None or counted.known_polls is None:
            continue
        if cell_result.cell.break_mode != "in-band":
            yield Observation(
                counted.known_polls == 0, f"{cell_result.label} {counted.known_polls:,.0f} polls"
            )
        elif cell_result.cell.skip:
            per_poll = counted.gets_per_poll or 0.0
            fulfilled = abs(per_poll / cell_result.cell.skip - 1) <= WITHIN
            yield Observation(fulfilled, f"{cell_result.label} {per_poll:,.2f} gets a poll")


def views_equal(result: RunResult) -> Iterator[Observation]:
    """The counts in the views agree between cells; times are left out.

    A difference of one is none: the session that reads the views adds a parse and a wait.
    """
    for client in result.clients:
        counted = [e.counted for e in result.cells if e.cell.client == client and e.counted]
        work_done = [_done(totals) for totals in counted]
        names = sorted({name for counts in work_done for name in counts})
        one_block = max(
            (result.scenario.counted / totals.executions for totals in counted), default=0.0
        )
        differ = [
            f"{name} {min(values):,.1f} to {max(values):,.1f}"
            for name in names
            for values in [[counts.get(name, 0.0) for counts in work_done]]
            if max(values) - min(values) > WITHIN * max(values) + one_block
        ]
        if len(work_done) > 1 and names:
            words = (
                ", ".join(differ) or f"{len(names)} statistics and events of {len(work_done)} cells"
            )
            yield Observation(not differ, f"{client}: {words}")


def same_plan(result: RunResult) -> Iterator[Observation]:
    """All cells have the same plan, where the server shows it."""
    plans = {
        plan
        for cell_result in result.cells
        if cell_result.counted
        for plan in cell_result.counted.plans
    }
    if plans:
        plan_list = ", ".join(map(str, sorted(plans)))
        yield Observation(len(plans) == 1, f"PLAN_HASH_VALUE {plan_list}")
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
