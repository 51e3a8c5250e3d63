# SPDX-License-Identifier: GPL-2.0-or-later
"""The cost of one break poll as a function of the interval between polls.

The interval matters: the work between two polls evicts the kernel's code and branch history from
the processor's caches, so a rare poll costs more than a frequent one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from polltrace.intervals import Estimate, mixed


@dataclass(frozen=True, slots=True)
class PollCost:
    """A cost curve. Each of its `knots` is (interval between polls, cost of a poll), both in CPU
    seconds, in rising order of the interval; there is at least one."""

    knots: Sequence[tuple[float, Estimate]]

    def at(self, interval_s: float) -> Estimate:
        """CPU seconds of a poll at this interval: linear in the interval's logarithm between two
        knots, constant beyond the outermost."""
        (first_s, cost), *others = self.knots
        interval_s = max(interval_s, first_s)
        for knot_s, following in others:
            if interval_s < knot_s:
                share = math.log(interval_s / first_s) / math.log(knot_s / first_s)
                return mixed(cost, following, share)
            first_s, cost = knot_s, following
        return cost

    def scaled(self, factor: float) -> PollCost:
        """The curve of a processor on which everything takes `factor` times as long."""
        return PollCost([(interval_s, cost.scaled(factor)) for interval_s, cost in self.knots])

    def through(self, interval_s: float, cost: Estimate) -> PollCost:
        """The same rise with the interval, but with this cost, and its relative width, at one."""
        here = self.at(interval_s).value
        return PollCost([(knot_s, cost.scaled(each.value / here)) for knot_s, each in self.knots])


def constant(cost_s: Estimate) -> PollCost:
    """The same cost at every interval."""
    return PollCost([(1.0, cost_s)])
