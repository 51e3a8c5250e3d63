# SPDX-License-Identifier: GPL-2.0-or-later
"""The cost of one check as a function of the interval between checks.

The interval matters: the work between two polls evicts the kernel's code and branch history from
the processor's caches, so a rare poll costs more than a frequent one.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self

from polltrace.engines import CheckKind, Trigger
from polltrace.intervals import Estimate, mixed

# Powers of two, in microseconds. A signal's checks are rarer than any poll by count.
_SHORTEST_BY_SIGNAL, _LONGEST_BREAK_POLL, _LONGEST = 10, 10, 13
# Seconds: a check that a signal starts sooner than this is taken to cost as much.
SHORTEST_TIMER_S = 1e-6 * (1 << _SHORTEST_BY_SIGNAL)


def _ends(kind: CheckKind) -> tuple[int, int]:
    return (
        _SHORTEST_BY_SIGNAL if kind.by_signal else 0,
        _LONGEST_BREAK_POLL if kind.is_break_poll else _LONGEST,
    )


class Knot(NamedTuple):
    """A point at which the cost of a check is measured: the kind of check, and the interval between
    two in microseconds of CPU time.
    """

    kind: CheckKind
    interval_us: int

    @classmethod
    def nearest(cls, kind: CheckKind, interval_s: float) -> Self:
        """The knot nearest to a session that checks every `interval_s` seconds of its CPU time."""
        lowest, highest = _ends(kind)
        power = math.log2(1e6 * interval_s) if interval_s else 0.0
        return cls(kind, 1 << round(min(highest, max(lowest, power))))

    def with_ends(self) -> set[Knot]:
        """This knot and the others that a forecast needs: all but break polls also at both ends,
        because it covers every interval.
        """
        ends = () if self.kind.is_break_poll else _ends(self.kind)
        return {self, *(Knot(self.kind, 1 << power) for power in ends)}

    @property
    def trigger(self) -> Trigger:
        return self.kind.trigger


@dataclass(frozen=True, slots=True)
class PollCost:
    """A cost curve. Each of its `knots` is (interval between polls, cost of a poll), both in CPU
    seconds, in rising order of the interval; there is at least one."""

    knots: Sequence[tuple[float, Estimate]]

    def at(self, interval_s: float) -> Estimate:
        """CPU seconds of a poll at this interval: linear in the interval's logarithm between two
        knots, constant outside the outermost.
        """
        (first_s, cost), *following_knots = self.knots
        interval_s = max(interval_s, first_s)
        for knot_s, following in following_knots:
            if interval_s < knot_s:
                share = math.log(interval_s / first_s) / math.log(knot_s / first_s)
                return mixed(cost, following, share)
            first_s, cost = knot_s, following
        return cost

    def scaled(self, factor: float) -> PollCost:
        """The curve of a processor on which everything takes `factor` times as long."""
        return PollCost([(interval_s, cost.scaled(factor)) for interval_s, cost in self.knots])


def in_order(costs: Mapping[Knot, Estimate]) -> list[tuple[Knot, Estimate]]:
    """The costs sorted by trigger (count first), kind and interval."""

    def order(entry: tuple[Knot, Estimate]) -> tuple[str, bool, tuple[str, ...], str, int]:
        kind = entry[0].kind
        return kind.trigger.value, kind.by_signal, kind.calls, kind.model, entry[0].interval_us

    return sorted(costs.items(), key=order)


def curve(costs: Mapping[Knot, Estimate], kind: CheckKind) -> PollCost | None:
    """The costs of one kind of check as a curve; None where none was measured."""
    knots = [(1e-6 * knot.interval_us, cost) for knot, cost in in_order(costs) if knot.kind == kind]
    return PollCost(knots) if knots else None


def constant(cost_s: Estimate) -> PollCost:
    """A curve with the same cost at every interval."""
    return PollCost([(1.0, cost_s)])
