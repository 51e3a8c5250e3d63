# SPDX-License-Identifier: GPL-2.0-or-later
"""How often a server that checks by a timer does so."""

from __future__ import annotations

from collections.abc import Iterator

from polltrace.scenarios.analyse.expectations.observation import Observation
from polltrace.scenarios.analyse.result import RunResult

_LATE = 0.5
"""The share of the checks that may be missing: a check waits for a place where interrupts are
looked for, and a session for a processor; the timer starts again only after the check."""


def checks_by_interval(result: RunResult) -> Iterator[Observation]:
    """At most one an interval of elapsed time and, but for late ones, one an interval of CPU
    time; one more or less an execution, which begins and ends between two."""
    for each in result.cells:
        counted, interval_ms = each.counted, each.cell.check_interval
        if counted is None or counted.known_polls is None or interval_ms is None:
            continue
        checks = counted.known_polls
        if not interval_ms:
            yield Observation(checks == 0, f"{each.label} {checks:,.0f} checks")
            continue
        interval_s = interval_ms / 1e3
        most = counted.elapsed_s / interval_s + counted.executions
        least = (counted.cpu_s or 0.0) / interval_s * (1 - _LATE) - counted.executions
        words = f"{each.label} {checks / counted.elapsed_s:,.1f} a second"
        yield Observation(least <= checks <= most, words)
