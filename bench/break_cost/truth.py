# SPDX-License-Identifier: GPL-2.0-or-later
"""The true cost of break polling to a session: its own executions with polls and without, in turns.

Each turn executes the statement four times in random order: twice at the session's skip, twice with
no checks at all. Server CPU time, nothing attached. The two at one skip are an A/A test.
"""

from __future__ import annotations

import math
import random
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from polltrace.intervals import Estimate

OUT_OF_BAND = 0
_TRIM = 0.1


@dataclass(frozen=True, slots=True)
class Turns:
    """CPU seconds by turn of (first with polls, second, first without, second)."""

    cpu_s: Sequence[tuple[float, float, float, float]]

    @property
    def saved_pct(self) -> Estimate:
        """Per cent of the CPU time at its skip that being out-of-band saves, with its 95 %
        interval.
        """
        return trimmed_mean([100 * (1 - (c + d) / (a + b)) for a, b, c, d in self.cpu_s])

    @property
    def null_pct(self) -> Estimate:
        """The difference of two equal executions in per cent, 0 without disturbance."""
        return trimmed_mean(
            [100 * ((a - b) / (a + b) + (c - d) / (c + d)) for a, b, c, d in self.cpu_s]
        )


def trimmed_mean(values: Sequence[float]) -> Estimate:
    """The mean without the tenth at each end, and its interval by Winsorised variance (Tukey and
    McLaughlin 1963). A virtual machine's times have tails that a plain mean follows, and a median
    wastes a third of the turns."""
    ordered = sorted(values)
    cut = int(_TRIM * len(ordered))
    central = ordered[cut : len(ordered) - cut]
    value = statistics.fmean(central)
    winsorised = [central[0]] * cut + central + [central[-1]] * cut
    spread = statistics.stdev(winsorised) if len(winsorised) > 1 else math.inf
    half = 1.96 * spread / ((1 - 2 * _TRIM) * math.sqrt(len(ordered)))
    return Estimate(value, value - half, value + half)


def measured(execute: Callable[[int], float], skip: int, seconds: float) -> Turns:
    """Turns for about `seconds`; `execute` gives the server's CPU seconds at a skip."""
    order = random.Random()
    turns: list[tuple[float, float, float, float]] = []
    until = time.monotonic() + seconds
    while time.monotonic() < until or len(turns) < 20:
        took = [0.0] * 4
        for position in order.sample(range(4), 4):
            took[position] = execute(skip if position < 2 else OUT_OF_BAND)
        turns.append((took[0], took[1], took[2], took[3]))
    return Turns(turns)
