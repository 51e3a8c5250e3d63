# SPDX-License-Identifier: GPL-2.0-or-later
"""The time until a cancel is noticed while the session is on CPU, at the present skip and at
others.
"""

from __future__ import annotations

import math
import random
from bisect import bisect
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate

from polltrace.profiles.frames import Bucket

# The number of sums of gaps drawn for a higher skip; fewer where each is a sum of hundreds.
_MOST_SUMS, _FEWEST_SUMS, _DRAWS = 4000, 400, 200_000


@dataclass(frozen=True, slots=True)
class CancelLatency:
    """Milliseconds from a break at a random moment until the server notices it: the `median`, the
    99th percentile (`p99`) and the longest (`worst`)."""

    median: float
    p99: float
    worst: float


@dataclass(frozen=True, slots=True)
class Gaps:
    """Times between break polls: `spans` of (milliseconds, count), shortest first.

    `dropped` is the number of longest gaps that were left out as waits, not CPU.
    """

    spans: Sequence[tuple[float, float]]
    dropped: int = 0


def on_cpu_gaps(buckets: Sequence[Bucket], on_cpu_s: float | None = None) -> Gaps:
    """The gaps of a session that was on CPU or runnable for `on_cpu_s` while it was timed.

    The probe sees the times of polls only. But all gaps on CPU add up to no more than the CPU time,
    so the longest gaps in excess of that sum are waits for the client, a lock or a disk. Without
    `on_cpu_s` all gaps are kept.
    """
    spans = sorted((_middle_ms(bucket), float(bucket.count)) for bucket in buckets)
    if on_cpu_s is None:
        return Gaps(spans)
    # The allowance covers the error of the histogram and of two clocks that are read in sequence.
    remaining_ms, on_cpu, dropped = 1e3 * on_cpu_s * 1.02 + 1, [], 0
    for span, count in spans:
        fit = min(count, math.floor(remaining_ms / span)) if span else count
        if fit:
            on_cpu.append((span, fit))
        remaining_ms -= span * fit
        dropped += round(count - fit)
    return Gaps(on_cpu, dropped)


def cancel_latency(gaps: Gaps, skip_now: int, skip: int) -> CancelLatency | None:
    """The wait of a break at `skip`, from the gaps at `skip_now`; None without any gaps.

    A break is likelier to fall into a long gap than a short one, and anywhere in it. At a higher
    skip one gap is the sum of several present ones, drawn at random, which is right where long gaps
    (an interrupt, another process's turn, a page read) come one at a time. A statement with a long
    phase of few checks keeps a cancel waiting longer than this. At a lower skip the usual part of
    each gap is divided, and the excess stays in one piece.
    """
    return _cancel_latency(tuple(gaps.spans), skip / skip_now) if gaps.spans else None


def _latency(spans: tuple[tuple[float, float], ...], ratio: float) -> CancelLatency:
    if ratio <= 1:
        return _residual(_divided(spans, ratio))
    latency = _residual(_summed(spans, ratio))
    total_count = sum(count for _, count in spans)
    mean = sum(span * count for span, count in spans) / total_count
    worst = max(latency.worst, (ratio - 1) * mean + spans[-1][0])
    return CancelLatency(latency.median, min(latency.p99, worst), worst)


# A live view needs the same gaps every second. No decorator: mutmut skips decorated functions.
_cancel_latency = lru_cache(64)(_latency)


def _middle_ms(bucket: Bucket) -> float:
    return (bucket.from_ns + bucket.below_ns) / 2e6


def _residual(spans: Sequence[tuple[float, float]]) -> CancelLatency:
    ordered = sorted(spans)
    total_ms = sum(span * count for span, count in ordered)

    def quantile(probability: float) -> float:
        """The wait that is not exceeded with this probability.

        The probability of a wait up to w is the sum of min(w, span) * count over the total, which
        is linear between two spans.
        """
        shorter_ms, longer = 0.0, sum(count for _, count in ordered)
        target_ms = probability * total_ms
        following = iter(ordered)
        span, count = next(following)
        while shorter_ms + span * longer < target_ms:
            shorter_ms += span * count
            longer -= count
            span, count = next(following)
        return (target_ms - shorter_ms) / longer

    return CancelLatency(quantile(0.5), quantile(0.99), ordered[-1][0])


def _divided(spans: Sequence[tuple[float, float]], ratio: float) -> list[tuple[float, float]]:
    counts = list(accumulate(count for _, count in spans))
    usual = spans[bisect(counts, counts[-1] / 2)][0]
    divided = []
    for span, count in spans:
        short = ratio * min(span, usual)
        divided.append((short, count * (1 / ratio - 1)))
        divided.append((short + max(0.0, span - usual), count))
    return sorted(divided)


def _summed(spans: Sequence[tuple[float, float]], ratio: float) -> list[tuple[float, float]]:
    """Sums of `ratio` gaps each, with the frequency of each.

    The longest gaps, few but much of the time, are not left to chance: each gets a sum of its own,
    as long as they are a tenth of the sums at most.
    """
    groups = sum(count for _, count in spans) / ratio
    singled: list[tuple[float, float]] = []
    usual = list(spans)
    while sum(count for _, count in singled) + usual[-1][1] <= groups / 10:
        singled.append(usual.pop())
    usual_count = sum(count for _, count in usual)
    rest_ms = (ratio - 1) * sum(span * count for span, count in usual) / usual_count
    totals = [(span + rest_ms, count) for span, count in singled]

    order = random.Random(0)  # the same answer for the same gaps
    lengths = [span for span, _ in usual]
    counts = list(accumulate(count for _, count in usual))
    number_of_sums = int(min(_MOST_SUMS, max(_FEWEST_SUMS, _DRAWS / ratio)))
    count_per_sum = (groups - sum(count for _, count in singled)) / number_of_sums
    whole_gaps, part = divmod(ratio, 1)
    for _ in range(number_of_sums):
        drawn = order.choices(lengths, cum_weights=counts, k=int(whole_gaps) + 1)
        totals.append((sum(drawn[:-1]) + part * drawn[-1], count_per_sum))
    return sorted(totals)
