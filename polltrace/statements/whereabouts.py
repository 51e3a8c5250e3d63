# SPDX-License-Identifier: GPL-2.0-or-later
"""Where a statement's process was while its calls ran, by samples: on a CPU in a function, or
blocked in a system call that the trace does not know as a wait. Pure."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from polltrace.statements.attribution import Busy, touching
from polltrace.statements.scheduler import SchedulerSample


@dataclass(frozen=True, slots=True)
class OnCpuSamples:
    """`counts` has the samples of each span between two times of `at_us`, by the function that the
    process was in."""

    at_us: Sequence[int]
    counts: Sequence[Mapping[str, int]]


@dataclass(frozen=True, slots=True)
class Interval:
    """From `begin_us` to `end_us` of CLOCK_MONOTONIC."""

    begin_us: int
    end_us: int


def on_cpu_in(
    calls: Sequence[Busy], samples: OnCpuSamples, error_us: int
) -> dict[str, dict[str, float]]:
    """By statement, the samples by function: those of a span that several statements share are
    divided by their time on a CPU, so they are no whole numbers."""
    found: defaultdict[str, defaultdict[str, float]] = defaultdict(lambda: defaultdict(float))
    weights = touching(calls, samples.at_us, error_us)
    for span, counts in enumerate(samples.counts):
        in_span = {name: weight for name, weight in weights.get(span, {}).items() if weight}
        total = sum(in_span.values())
        for statement, weight in in_span.items():
            for function, count in counts.items():
                found[statement][function] += count * weight / total
    return {statement: dict(functions) for statement, functions in found.items()}


def blocked_in(
    calls: Sequence[Busy], waits: Sequence[Interval], samples: Sequence[SchedulerSample]
) -> dict[str, Counter[str]]:
    """By statement, the samples of its calls that found the process blocked, by system call; those
    in a wait that the trace has are left out. Calls and waits each follow one another."""
    found: defaultdict[str, Counter[str]] = defaultdict(Counter)
    ordered = sorted(calls, key=lambda each: each.begin_us)
    call_begins = [each.begin_us for each in ordered]
    traced = sorted(waits, key=lambda each: each.begin_us)
    wait_begins = [each.begin_us for each in traced]
    for sample in samples:
        call = bisect_right(call_begins, sample.at_us) - 1
        wait = bisect_right(wait_begins, sample.at_us) - 1
        if not sample.blocked_in or call < 0 or sample.at_us > ordered[call].end_us:
            continue
        if wait < 0 or sample.at_us > traced[wait].end_us:
            found[ordered[call].statement][sample.blocked_in] += 1
    return dict(found)
