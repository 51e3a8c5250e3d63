# SPDX-License-Identifier: GPL-2.0-or-later
"""Location of a statement's process while its calls ran, by samples.

It is a function, on a CPU, or a system call that the trace does not have as a wait.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from polltrace.statements.attribution import Busy, touching
from polltrace.statements.scheduler import SchedulerSample


@dataclass(frozen=True, slots=True)
class OnCpuSamples:
    """Samples by function for each span between two times of `at_us`."""

    at_us: Sequence[int]
    counts: Sequence[Mapping[str, int]]


@dataclass(frozen=True, slots=True)
class Interval:
    """An interval of CLOCK_MONOTONIC, in microseconds."""

    begin_us: int
    end_us: int


def on_cpu_in(
    calls: Sequence[Busy], samples: OnCpuSamples, error_us: int
) -> dict[str, dict[str, float]]:
    """Samples by statement and function.

    A span that several statements share is divided by their time on a CPU, so the numbers are not
    whole.
    """
    samples_in: defaultdict[str, defaultdict[str, float]] = defaultdict(lambda: defaultdict(float))
    weights = touching(calls, samples.at_us, error_us)
    for span, counts in enumerate(samples.counts):
        in_span = {name: weight for name, weight in weights.get(span, {}).items() if weight}
        total = sum(in_span.values())
        for statement, weight in in_span.items():
            for function, count in counts.items():
                samples_in[statement][function] += count * weight / total
    return {statement: dict(functions) for statement, functions in samples_in.items()}


def blocked_in(
    calls: Sequence[Busy], waits: Sequence[Interval], samples: Sequence[SchedulerSample]
) -> dict[str, Counter[str]]:
    """Samples by statement and system call in which the process was blocked outside traced waits.

    Neither calls nor waits overlap.
    """
    blocked: defaultdict[str, Counter[str]] = defaultdict(Counter)
    ordered = sorted(calls, key=lambda call: call.begin_us)
    call_begins = [call.begin_us for call in ordered]
    traced = sorted(waits, key=lambda wait: wait.begin_us)
    wait_begins = [wait.begin_us for wait in traced]
    for sample in samples:
        call_index = bisect_right(call_begins, sample.at_us) - 1
        wait_index = bisect_right(wait_begins, sample.at_us) - 1
        if not sample.blocked_in or call_index < 0 or sample.at_us > ordered[call_index].end_us:
            continue
        if wait_index < 0 or sample.at_us > traced[wait_index].end_us:
            blocked[ordered[call_index].statement][sample.blocked_in] += 1
    return dict(blocked)
