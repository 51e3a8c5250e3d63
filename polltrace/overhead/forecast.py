# SPDX-License-Identifier: GPL-2.0-or-later
"""The savings of another break_poll_skip, and how long a cancel would then take.

The model: a session makes its checks (calls of nsmore2recv) at intervals that do not depend on the
skip, and polls at one in `skip` of them; a rarer poll costs more. So one window tells how much CPU
the work takes without its checks, and every other skip follows. The checks that do not poll cost
the same at every skip, and nothing out-of-band.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from polltrace.intervals import Estimate, exactly, propagated
from polltrace.overhead.cancel import CancelLatency
from polltrace.overhead.cost_model import cost_model
from polltrace.overhead.lock_waits import WITH_LOCKS_S, LockWaits

# Oracle's default, and decades around it.
_DEFAULT = 3
SKIPS = (1, _DEFAULT, 10, 30, 100, 300, 1000)


@dataclass(frozen=True, slots=True)
class CheckingCost:
    """The cost of break checking to a session now, per second of its CPU time.

    `polls` is the number of break polls. `poll_cost_s` gives the CPU seconds of one by the interval
    since the last (CPU seconds); it is multiplied by `scale`, an estimate near 1. `checks` is the
    share (0 to 1) of the CPU time that goes into checks that do not poll.
    """

    polls: Estimate
    poll_cost_s: Callable[[float], float]
    scale: Estimate
    checks: Estimate


@dataclass(frozen=True, slots=True)
class CancelLimits:
    """The longest that a cancel may take, in seconds: `running_s` while the session is on CPU,
    `waiting_s` while it waits for something else, such as a row lock; `lock_waits` are what the
    latter follows from, None where somebody has set it, or nothing is known of the session."""

    running_s: float = 1.0
    waiting_s: float = WITH_LOCKS_S
    lock_waits: LockWaits | None = None

    def allow(self, each: SkipForecast) -> bool:
        return (
            each.cancel_ms is not None
            and each.cancel_ms.worst <= 1e3 * self.running_s
            and each.cancel_waiting_s <= self.waiting_s
        )


@dataclass(frozen=True, slots=True)
class SkipForecast:
    """The same work at `break_poll_skip`. `polls_per_s` is per second of CPU time; `cpu_pct` break
    checking's share of CPU; `saved_pct` the CPU time that the work would take less than now
    (negative: more). `cancel_ms` is None where gaps were not timed; `cancel_waiting_s` is the
    longest that a cancel takes while the session waits for something else than CPU. `in_force`: it
    is the skip of now.
    """

    break_poll_skip: int
    polls_per_s: float
    cpu_pct: Estimate
    saved_pct: Estimate
    cancel_ms: CancelLatency | None
    cancel_waiting_s: float
    in_force: bool = False


def forecast(cost: CheckingCost, skip_now: int, skip: int, wait_slice_s: float) -> SkipForecast:
    """The same work at `skip`. `wait_slice_s`: a waiting session checks once in that time. The
    cancel latency on CPU is left out; see `cancel.py`."""

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
    skip in force, which is measured, stays.

    The cost per poll is measured at each interval by itself, so a disturbed one may make fewer
    polls look dearer than more. They cannot be: whatever a poll finds gone from the caches, one of
    several in the same time would have found gone as well.
    """
    now = next(n for n, each in enumerate(forecasts) if each.in_force)
    found = [*forecasts]
    for n in range(now + 1, len(found)):
        if found[n].cpu_pct.value > found[n - 1].cpu_pct.value:
            found[n] = _as_dear_as(found[n - 1], found[n])
    for n in reversed(range(now)):
        if found[n].cpu_pct.value < found[n + 1].cpu_pct.value:
            found[n] = _as_dear_as(found[n + 1], found[n])
    return found


def _as_dear_as(other: SkipForecast, forecast: SkipForecast) -> SkipForecast:
    """Its polls are as many; the CPU time in which the work makes them is that of `other`."""
    cpu_pct, other_cpu_pct = (100 - each.saved_pct.value for each in (forecast, other))
    return replace(
        forecast,
        cpu_pct=other.cpu_pct,
        saved_pct=other.saved_pct,
        polls_per_s=forecast.polls_per_s * cpu_pct / other_cpu_pct,
    )


def out_of_band_saved_pct(cost: CheckingCost) -> Estimate:
    """The CPU time that the same work would take less if the session were out-of-band."""
    return propagated(lambda *now: 100 * _own_s(cost, *now), cost.polls, cost.scale, cost.checks)


def recommended(
    forecasts: Sequence[SkipForecast], limits: CancelLimits = CancelLimits()
) -> SkipForecast | None:
    """The lowest skip that is as good as the one that saves most within the limits, as far as the
    measurement can tell: its saving lies in the interval of that one's. A higher skip only makes
    cancels slower. One below the default is recommended only where it is in force or nothing else
    keeps the limits: a cancel that takes seconds less is no reason to poll more. None where no skip
    keeps the limits.
    """
    within = [each for each in forecasts if limits.allow(each)]
    if not within:
        return None
    best = max(within, key=lambda each: each.saved_pct.value)
    as_good = [each for each in within if each.saved_pct.value >= best.saved_pct.low]
    usual = [each for each in as_good if each.in_force or each.break_poll_skip >= _DEFAULT]
    return min(usual or as_good, key=lambda each: each.break_poll_skip)


def _own_s(
    cost: CheckingCost, polls: float, scale: float, checks: float, cpu_s: float = 1.0
) -> float:
    """CPU seconds of break checking, with that many polls in `cpu_s`."""
    return (polls * scale * cost.poll_cost_s(cpu_s / polls) if polls else 0.0) + checks


def _at(
    cost: CheckingCost, now: tuple[float, float, float], fewer: float, then: float
) -> tuple[float, float]:
    """CPU seconds for what takes one second now, and the part of them that is break checking, with
    `fewer` times the polls, each `then` times as expensive as the cost curve has it. `now` are the
    cost's polls, scale and checks."""
    polls, scale, checks = now
    work_s = 1 - _own_s(cost, *now)
    # The cost depends on the interval, which depends on what the polls take: a fixed point.
    cpu_s = 1.0
    for _ in range(5):
        own_s = _own_s(cost, polls * fewer, scale * then, checks, cpu_s)
        cpu_s = work_s + own_s
    return cpu_s, own_s


def _not_negative(estimate: Estimate) -> Estimate:
    return Estimate(max(0.0, estimate.value), max(0.0, estimate.low), max(0.0, estimate.high))
