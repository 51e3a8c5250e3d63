# SPDX-License-Identifier: GPL-2.0-or-later
"""The savings of another break_poll_skip, and the time that a cancel would then take.

The model: a session makes its checks (calls of nsmore2recv) at intervals that do not depend on the
skip, and polls at one in `skip` of them; a rarer poll costs more. So one window gives the CPU time
of the work without its checks, and every other skip follows. The checks that do not poll cost the
same at every skip, and nothing out-of-band.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from polltrace.intervals import Estimate, exactly, propagated
from polltrace.overhead.cancel import CancelLatency
from polltrace.overhead.cost_model import cost_model
from polltrace.overhead.lock_waits import WITH_LOCKS_S, LockWaits

# Oracle's default, and steps of about three around it.
_DEFAULT = 3
SKIPS = (1, _DEFAULT, 10, 30, 100, 300, 1000)


@dataclass(frozen=True, slots=True)
class CheckingCost:
    """The present cost of break checking to a session, per second of its CPU time.

    `polls` is the number of break polls. `poll_cost_s` gives the CPU seconds of one by the interval
    since the last (CPU seconds); it is multiplied by `scale`, an estimate near 1. `checks` is the
    share (0 to 1) of the CPU time in checks that do not poll.
    """

    polls: Estimate
    poll_cost_s: Callable[[float], float]
    scale: Estimate
    checks: Estimate


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

    `polls_per_s` is per second of CPU time; `cpu_pct` break checking's share of CPU; `saved_pct`
    the CPU time that the work would take less than at present (negative: more). `cancel_ms` is None
    where gaps were not timed; `cancel_waiting_s` is the longest time that a cancel takes while the
    session waits for something other than CPU. `in_force` is true for the present skip.
    """

    break_poll_skip: int
    polls_per_s: float
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

    def cpu(polls: float, scale: float, checks: float, then: float = 1.0) -> float:
        return _at(cost, (polls, scale, checks), skip_now / skip, then)[0]

    def share(polls: float, scale: float, checks: float, then: float) -> float:
        cpu_s, own_s = _at(cost, (polls, scale, checks), skip_now / skip, then)
        return 100 * own_s / cpu_s

    then = exactly(1.0) if skip == skip_now else cost_model().other_interval
    inputs = (cost.polls, cost.scale, cost.checks, then)
    return SkipForecast(
        break_poll_skip=skip,
        polls_per_s=cost.polls.value
        * skip_now
        / skip
        / cpu(cost.polls.value, cost.scale.value, cost.checks.value),
        cpu_pct=_not_negative(propagated(share, *inputs)),
        saved_pct=propagated(lambda *values: 100 * (1 - cpu(*values)), *inputs),
        cancel_ms=None,
        cancel_waiting_s=wait_slice_s * skip,
        in_force=skip == skip_now,
    )


def never_rising(forecasts: Sequence[SkipForecast]) -> list[SkipForecast]:
    """The forecasts, in the order of their skips, none dearer than one at a lower skip; that of the
    skip in force, which is measured, keeps its value.

    The cost per poll is measured at each interval by itself, so a disturbed measurement may make
    fewer polls look dearer than more. They cannot be: whatever a poll finds evicted from the
    caches, one of several in the same time would have found evicted as well.
    """
    position_in_force = next(n for n, forecast in enumerate(forecasts) if forecast.in_force)
    adjusted = [*forecasts]
    for n in range(position_in_force + 1, len(adjusted)):
        if adjusted[n].cpu_pct.value > adjusted[n - 1].cpu_pct.value:
            adjusted[n] = _as_dear_as(adjusted[n - 1], adjusted[n])
    for n in reversed(range(position_in_force)):
        if adjusted[n].cpu_pct.value < adjusted[n + 1].cpu_pct.value:
            adjusted[n] = _as_dear_as(adjusted[n + 1], adjusted[n])
    return adjusted


def _as_dear_as(cheaper: SkipForecast, forecast: SkipForecast) -> SkipForecast:
    """`forecast` with the cost of `cheaper`: the number of polls stays, and the CPU time in which
    the work makes them is that of `cheaper`.
    """
    cpu_pct, other_cpu_pct = (100 - entry.saved_pct.value for entry in (forecast, cheaper))
    return replace(
        forecast,
        cpu_pct=cheaper.cpu_pct,
        saved_pct=cheaper.saved_pct,
        polls_per_s=forecast.polls_per_s * cpu_pct / other_cpu_pct,
    )


def out_of_band_saved_pct(cost: CheckingCost) -> Estimate:
    """The share of CPU time that the work would save if the session were out-of-band."""
    return propagated(
        lambda *inputs: 100 * _own_s(cost, *inputs), cost.polls, cost.scale, cost.checks
    )


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


def _own_s(
    cost: CheckingCost, polls: float, scale: float, checks: float, cpu_s: float = 1.0
) -> float:
    """CPU seconds of break checking, with that many polls in `cpu_s`."""
    return (polls * scale * cost.poll_cost_s(cpu_s / polls) if polls else 0.0) + checks


def _at(
    cost: CheckingCost, present: tuple[float, float, float], poll_ratio: float, cost_factor: float
) -> tuple[float, float]:
    """CPU seconds for the work that takes one second at present, and the part of them in break
    checking.

    The work makes `poll_ratio` times the polls, each `cost_factor` times as expensive as the cost
    curve has it. `present` has the cost's polls, scale and checks.
    """
    polls, scale, checks = present
    work_s = 1 - _own_s(cost, *present)
    # The cost depends on the interval, and the interval on the time of the polls: a fixed point.
    cpu_s = 1.0
    for _ in range(5):
        own_s = _own_s(cost, polls * poll_ratio, scale * cost_factor, checks, cpu_s)
        cpu_s = work_s + own_s
    return cpu_s, own_s


def _not_negative(estimate: Estimate) -> Estimate:
    return Estimate(max(0.0, estimate.value), max(0.0, estimate.low), max(0.0, estimate.high))
