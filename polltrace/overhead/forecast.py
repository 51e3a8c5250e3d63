# SPDX-License-Identifier: GPL-2.0-or-later
"""The savings of another break_poll_skip, and the time that a cancel would then take.

The model: a session makes its checks (calls of nsmore2recv) at intervals that do not depend on the
skip, and polls at one in `skip` of them; a rarer poll costs more. So one window gives the CPU time
of the work without its checks, and every other skip follows. The checks that do not poll cost the
same at every skip, and nothing out-of-band.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from polltrace.intervals import Estimate, propagated
from polltrace.overhead.cancel import CancelLatency
from polltrace.overhead.lock_waits import WITH_LOCKS_S, LockWaits

# Oracle's default, and steps of about three around it.
_DEFAULT = 3
SKIPS = (1, _DEFAULT, 10, 30, 100, 300, 1000)


@dataclass(frozen=True, slots=True)
class CheckingCost:
    """The present cost of break checking to a session, per second of its CPU time.

    `polls` is the number of break polls, `poll_cost_s` the CPU seconds of one, multiplied by
    `scale`, an estimate near 1. At another interval between polls the cost of one is multiplied by
    the ratio of the intervals to the power of `rise`. `checks` is the share (0 to 1) of the CPU
    time in checks that do not poll.
    """

    polls: Estimate
    poll_cost_s: float
    scale: Estimate
    checks: Estimate
    rise: Estimate


@dataclass(frozen=True, slots=True)
class CancelLimits:
    """The longest time that a cancel may take, in seconds.

    `running_s` applies while the session is on CPU, `waiting_s` while it waits for something else,
    such as a row lock; `lock_waits` is the evidence for the latter, None where the user has set it,
    or nothing is known of the session.
    """

    running_s: float = 1.0
    waiting_s: float = WITH_LOCKS_S
    lock_waits: LockWaits | None = None

    def allow(self, forecast: SkipForecast) -> bool:
        return (
            forecast.cancel_ms is not None
            and forecast.cancel_ms.worst <= 1e3 * self.running_s
            and forecast.cancel_waiting_s <= self.waiting_s
        )


@dataclass(frozen=True, slots=True)
class SkipForecast:
    """The present work at `break_poll_skip`.

    `polls_per_cpu_s` is polls per second of CPU time; `cpu_pct` break checking's share of CPU;
    `saved_pct`
    the CPU time that the work would take less than at present (negative: more). `cancel_ms` is None
    where gaps were not timed; `cancel_waiting_s` is the longest time that a cancel takes while the
    session waits for something other than CPU. `in_force` is true for the present skip.
    """

    break_poll_skip: int
    polls_per_cpu_s: float
    cpu_pct: Estimate
    saved_pct: Estimate
    cancel_ms: CancelLatency | None
    cancel_waiting_s: float
    in_force: bool = False


def forecast(cost: CheckingCost, skip_now: int, skip: int, wait_slice_s: float) -> SkipForecast:
    """Forecast the present work at `skip`.

    A waiting session checks once in `wait_slice_s`. The cancel latency on CPU is omitted; see
    `cancel.py`.
    """
    poll_ratio = skip_now / skip

    def cpu(*inputs: float) -> float:
        return _at(cost.poll_cost_s, inputs, poll_ratio)[0]

    def share(*inputs: float) -> float:
        cpu_s, own_s = _at(cost.poll_cost_s, inputs, poll_ratio)
        return 100 * own_s / cpu_s

    inputs = (cost.polls, cost.scale, cost.checks, cost.rise)
    return SkipForecast(
        break_poll_skip=skip,
        polls_per_cpu_s=cost.polls.value
        * poll_ratio
        / cpu(*(quantity.value for quantity in inputs)),
        cpu_pct=_not_negative(propagated(share, *inputs)),
        saved_pct=propagated(lambda *values: 100 * (1 - cpu(*values)), *inputs),
        cancel_ms=None,
        cancel_waiting_s=wait_slice_s * skip,
        in_force=skip == skip_now,
    )


def out_of_band_saved_pct(cost: CheckingCost) -> Estimate:
    """The share of CPU time that the work would save if the session were out-of-band."""

    def saved_pct(polls: float, scale: float, checks: float) -> float:
        return 100 * (polls * scale * cost.poll_cost_s + checks)

    return propagated(saved_pct, cost.polls, cost.scale, cost.checks)


def recommended(
    forecasts: Sequence[SkipForecast], limits: CancelLimits = CancelLimits()
) -> SkipForecast | None:
    """The lowest skip whose saving cannot be distinguished from the highest saving within the
    limits.

    Its saving lies in the interval of the best one's; a higher skip only makes cancels slower. A
    skip below the default is recommended only where it is in force or nothing else meets the
    limits: a cancel that takes seconds less is no reason to poll more. None where no skip meets the
    limits.
    """
    within = [candidate for candidate in forecasts if limits.allow(candidate)]
    if not within:
        return None
    best = max(within, key=lambda candidate: candidate.saved_pct.value)
    as_good = [candidate for candidate in within if candidate.saved_pct.value >= best.saved_pct.low]
    usual = [
        candidate
        for candidate in as_good
        if candidate.in_force or candidate.break_poll_skip >= _DEFAULT
    ]
    return min(usual or as_good, key=lambda candidate: candidate.break_poll_skip)


def _at(poll_cost_s: float, present: Sequence[float], poll_ratio: float) -> tuple[float, float]:
    """CPU seconds for the work that takes one second at present, and the part of them in break
    checking, with `poll_ratio` times the polls. `present` has the polls, the scale of their cost,
    the CPU seconds of the other checks, and the rise of the cost.
    """
    polls, scale, checks_s, rise = present
    present_s = polls * scale * poll_cost_s
    work_s = 1 - present_s - checks_s
    # The cost depends on the interval, and the interval on the time of the polls: a fixed point.
    cpu_s = 1.0
    for _ in range(5):
        own_s = present_s * poll_ratio * (cpu_s / poll_ratio) ** rise + checks_s
        cpu_s = max(work_s + own_s, 1e-9)
    return cpu_s, own_s


def _not_negative(estimate: Estimate) -> Estimate:
    return Estimate(max(0.0, estimate.value), max(0.0, estimate.low), max(0.0, estimate.high))
