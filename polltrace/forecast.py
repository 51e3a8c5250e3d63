# SPDX-License-Identifier: GPL-2.0-or-later
"""What another break_poll_skip would save, and what a cancel would then cost.

The model: a session makes its checks (calls of nsmore2recv) at a pace of its own and polls at one
in `skip` of them; nothing else depends on the skip. So one window says how much CPU the work
takes without its polls, and every other skip follows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from polltrace.frames import Bucket
from polltrace.intervals import Estimate

# Oracle's default, and decades around it.
SKIPS = (1, 3, 10, 30, 100, 300, 1000)


@dataclass(frozen=True, slots=True)
class CancelLatency:
    """Milliseconds from a break that comes at a random moment until the server looks."""

    median: float
    p99: float
    worst: float


@dataclass(frozen=True, slots=True)
class SkipForecast:
    """`cpu_pct` is the polls' share of CPU at this skip; `saved_pct` the CPU time that the same
    work would take less than now (negative: more); `cancel_waiting_s` the longest that a cancel
    takes while the session waits for something else than CPU.
    """

    break_poll_skip: int
    polls_per_s: float
    cpu_pct: Estimate
    saved_pct: Estimate
    cancel_ms: CancelLatency | None
    cancel_waiting_s: float


def forecast(
    now_pct: Estimate, polls_per_cpu_s: float, skip_now: int, skip: int, wait_slice_s: float
) -> SkipForecast:
    """The same work at `skip`, where polls now take `now_pct` of CPU at `skip_now`.

    The cancel latency is left out; see `cancel_latency`.
    """
    fewer = skip_now / skip

    def cpu(share_pct: float) -> float:
        """CPU time at `skip`, for what takes one second now."""
        return 1 - share_pct / 100 * (1 - fewer)

    def share(share_pct: float) -> float:
        return share_pct * fewer / cpu(share_pct)

    def saved(share_pct: float) -> float:
        return 100 * (1 - cpu(share_pct))

    low, high = sorted([saved(now_pct.low), saved(now_pct.high)])
    return SkipForecast(
        break_poll_skip=skip,
        polls_per_s=polls_per_cpu_s * fewer / cpu(now_pct.value),
        cpu_pct=Estimate(share(now_pct.value), share(now_pct.low), share(now_pct.high)),
        saved_pct=Estimate(saved(now_pct.value), low, high),
        cancel_ms=None,
        cancel_waiting_s=wait_slice_s * skip,
    )


def cancel_latency(gaps: Sequence[Bucket], skip_now: int, skip: int) -> CancelLatency | None:
    """How long a break waits, from the gaps between break polls at `skip_now`; None without any.

    A break is likelier to fall into a long gap than a short one, and anywhere in it. At another
    skip a gap is taken to be as many times longer: right for long gaps that stay long, and on
    the safe side for those that many checks would even out.
    """
    if not gaps:
        return None
    scale = skip / skip_now
    spans = [(scale * (b.from_ns + b.below_ns) / 2e6, b.count) for b in gaps]
    whole = sum(span * count for span, count in spans)

    def within(wait_ms: float) -> float:
        """The probability that the wait is no longer than this."""
        return sum(min(wait_ms, span) * count for span, count in spans) / whole

    worst = max(span for span, _ in spans)

    def quantile(probability: float) -> float:
        low, high = 0.0, worst
        for _ in range(60):  # far below the histogram's own resolution
            middle = (low + high) / 2
            low, high = (middle, high) if within(middle) < probability else (low, middle)
        return high

    return CancelLatency(quantile(0.5), quantile(0.99), worst)


def recommended(forecasts: Sequence[SkipForecast], most_cancel_s: float) -> SkipForecast | None:
    """The skip that saves most among those whose cancels, running or waiting, stay in the limit."""
    fit = [
        each
        for each in forecasts
        if each.cancel_waiting_s <= most_cancel_s
        and (each.cancel_ms is None or each.cancel_ms.worst <= 1e3 * most_cancel_s)
    ]
    return max(fit, key=lambda each: each.break_poll_skip, default=None)
