# SPDX-License-Identifier: GPL-2.0-or-later
"""What another break_poll_skip would save, and what a cancel would then cost.

The model: a session makes its checks (calls of nsmore2recv) at a pace of its own and polls at one
in `skip` of them; nothing else depends on the skip, but that a poll which comes more seldom is
dearer. So one window says how much CPU the work takes without its checks, and every other skip
follows. The checks that do not poll cost the same at every skip, and nothing out-of-band.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from polltrace.intervals import Estimate, exactly, propagated
from polltrace.overhead.cancel import CancelLatency

# Oracle's default, and decades around it.
SKIPS = (1, 3, 10, 30, 100, 300, 1000)
# How unsure it is what a poll takes at another pace than the session's own: by `make proof` on the
# lab, at a third of the pace and at ten times it.
_OTHER_PACE = Estimate(1.0, 0.85, 1.15)
# Of what lies between the dearest skip and the cheapest.
_NEXT_TO_NOTHING = 0.03


@dataclass(frozen=True, slots=True)
class Cost:
    """What break checking takes of a session now, per second of its CPU time.

    `polls` is how many break polls; `price_s` what one takes by how long after the one before it
    comes (CPU seconds), to be multiplied by `scale`, an estimate about 1; `checks` the share (0 to
    1) of the checks that do not poll.
    """

    polls: Estimate
    price_s: Callable[[float], float]
    scale: Estimate
    checks: Estimate


@dataclass(frozen=True, slots=True)
class SkipForecast:
    """`cpu_pct` is break checking's share of CPU at this skip; `saved_pct` the CPU time that the
    same work would take less than now (negative: more); `cancel_waiting_s` the longest that a
    cancel takes while the session waits for something else than CPU.
    """

    break_poll_skip: int
    polls_per_s: float
    cpu_pct: Estimate
    saved_pct: Estimate
    cancel_ms: CancelLatency | None
    cancel_waiting_s: float


def forecast(cost: Cost, skip_now: int, skip: int, wait_slice_s: float) -> SkipForecast:
    """The same work at `skip`. The cancel latency is left out; see `cancel.py`."""

    def cpu(polls: float, scale: float, checks: float, then: float = 1.0) -> float:
        return _at(cost, (polls, scale, checks), skip_now / skip, then)[0]

    def share(polls: float, scale: float, checks: float, then: float) -> float:
        cpu_s, own_s = _at(cost, (polls, scale, checks), skip_now / skip, then)
        return 100 * own_s / cpu_s

    then = exactly(1.0) if skip == skip_now else _OTHER_PACE
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
    )


def out_of_band_saved_pct(cost: Cost) -> Estimate:
    """The CPU time that the same work would take less if the session were out-of-band."""
    return propagated(lambda *now: 100 * _own_s(cost, *now), cost.polls, cost.scale, cost.checks)


def recommended(forecasts: Sequence[SkipForecast], most_cancel_s: float) -> SkipForecast | None:
    """The lowest skip that saves nearly all of what can be saved with every cancel on CPU within
    the limit: beyond it cancels get slower, above all for sessions that wait, for next to nothing.
    """
    fit = [
        each
        for each in forecasts
        if each.cancel_ms is not None and each.cancel_ms.worst <= 1e3 * most_cancel_s
    ]
    if not fit:
        return None
    least = min(each.cpu_pct.value for each in fit)
    most = max(each.cpu_pct.value for each in forecasts)
    enough = least + _NEXT_TO_NOTHING * (most - least)
    return min(
        (each for each in fit if each.cpu_pct.value <= enough),
        key=lambda each: each.break_poll_skip,
    )


def _own_s(cost: Cost, polls: float, scale: float, checks: float, cpu_s: float = 1.0) -> float:
    """CPU seconds that break checking takes, with so many polls in `cpu_s`."""
    return (polls * scale * cost.price_s(cpu_s / polls) if polls else 0.0) + checks


def _at(
    cost: Cost, now: tuple[float, float, float], fewer: float, then: float
) -> tuple[float, float]:
    """CPU seconds for what takes one second now, and those of them that break checking takes,
    with `fewer` times the polls, each `then` times as dear as it is thought to be at that pace.
    `now` are the cost's polls, scale and checks."""
    polls, scale, checks = now
    work_s = 1 - _own_s(cost, *now)
    # A price depends on the pace, and that on what the polls take.
    cpu_s = 1.0
    for _ in range(5):
        own_s = _own_s(cost, polls * fewer, scale * then, checks, cpu_s)
        cpu_s = work_s + own_s
    return cpu_s, own_s


def _not_negative(estimate: Estimate) -> Estimate:
    return Estimate(max(0.0, estimate.value), max(0.0, estimate.low), max(0.0, estimate.high))
