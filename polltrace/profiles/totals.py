# SPDX-License-Identifier: GPL-2.0-or-later
"""Arithmetic on a process's totals: the difference of two, and sums of histograms."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from polltrace.profiles.frames import (
    Bucket,
    OffCpuTotals,
    OffTime,
    ProcessTotals,
    SocketPolls,
    Stack,
)


def since(base: ProcessTotals, latest: ProcessTotals) -> ProcessTotals:
    """The totals of a process from `base` to `now`, both of the same process.

    A sampled rate and the probe's cost are not sums, and stay as they are now; so does the number
    of threads, of which `base` does not tell how many had ended by then.
    """
    sockets = {(item.fd, item.local, item.peer): item.polls for item in base.sockets}
    calls = {item.nr: item for item in base.syscalls}
    stacks = {_key(item): item for item in base.stacks}
    return replace(
        latest,
        cpu_s=latest.cpu_s - base.cpu_s,
        break_polls=latest.break_polls - base.break_polls,
        other_polls=latest.other_polls - base.other_polls,
        calls_32bit=latest.calls_32bit - base.calls_32bit,
        sockets=tuple(
            replace(item, polls=item.polls - sockets.get((item.fd, item.local, item.peer), 0))
            for item in latest.sockets
        ),
        syscalls=tuple(
            replace(
                item,
                calls=item.calls - calls[item.nr].calls,
                errors=item.errors - calls[item.nr].errors,
            )
            if item.nr in calls
            else item
            for item in latest.syscalls
        ),
        stacks=tuple(
            difference
            for item in latest.stacks
            if _is_new(difference := _more(stacks.get(_key(item)), item))
        ),
        gaps=_fewer(base.gaps, latest.gaps),
        durations=_fewer(base.durations, latest.durations),
        off_cpu=_less(base.off_cpu, latest.off_cpu),
    )


def _is_new(stack: Stack) -> bool:
    """True if the stack was counted, or a thread was off CPU with it."""
    return stack.count > 0 or (
        stack.off is not None and stack.off.blocked_ns + stack.off.queued_ns > 0
    )


def _less(base: OffCpuTotals | None, latest: OffCpuTotals | None) -> OffCpuTotals | None:
    if base is None or latest is None:
        return latest
    return replace(
        latest,
        thread_ns=latest.thread_ns - base.thread_ns,
        cpu_ns=latest.cpu_ns - base.cpu_ns,
        on_cpu_ns=latest.on_cpu_ns - base.on_cpu_ns,
        blocked_ns=latest.blocked_ns - base.blocked_ns,
        queued_ns=latest.queued_ns - base.queued_ns,
        switches=latest.switches - base.switches,
    )


def _fewer(base: Iterable[Bucket], latest: Iterable[Bucket]) -> tuple[Bucket, ...]:
    base_counts = {bucket.from_ns: bucket.count for bucket in base}
    return tuple(
        Bucket(bucket.from_ns, bucket.below_ns, count)
        for bucket in latest
        if (count := bucket.count - base_counts.get(bucket.from_ns, 0)) > 0
    )


def _more(base: Stack | None, latest: Stack) -> Stack:
    if base is None:
        return latest
    return replace(
        latest,
        count=latest.count - base.count,
        polls=latest.polls - base.polls,
        off=_off_since(base.off, latest.off),
    )


def _off_since(base: OffTime | None, latest: OffTime | None) -> OffTime | None:
    """A thread that was out at `base` was out before."""
    if base is None or latest is None:
        return latest
    blocked_ns, queued_ns = latest.blocked_ns - base.blocked_ns, latest.queued_ns - base.queued_ns
    return OffTime(latest.state, blocked_ns, queued_ns, open=latest.open, before=base.open)


def added(first: Iterable[Bucket], second: Iterable[Bucket]) -> tuple[Bucket, ...]:
    """Two histograms in one."""
    counts: dict[tuple[int, int], int] = {}
    for bucket in (*first, *second):
        span = bucket.from_ns, bucket.below_ns
        counts[span] = counts.get(span, 0) + bucket.count
    return tuple(Bucket(*span, count) for span, count in sorted(counts.items()))


def timed_too(earlier: ProcessTotals, later: ProcessTotals) -> ProcessTotals:
    """`now`, with the histograms of an earlier measurement of the same process in its own."""
    return replace(
        later,
        gaps=added(earlier.gaps, later.gaps),
        durations=added(earlier.durations, later.durations),
    )


def together(earlier: ProcessTotals, later: ProcessTotals) -> ProcessTotals:
    """Two measurements of one process as one: sums of CPU time, polls, sockets and histograms; all
    else as it is now."""
    polls: dict[tuple[int, str, str, str], int] = {}
    for polled in (*earlier.sockets, *later.sockets):
        socket = polled.fd, polled.kind, polled.local, polled.peer
        polls[socket] = polls.get(socket, 0) + polled.polls
    return replace(
        timed_too(earlier, later),
        cpu_s=earlier.cpu_s + later.cpu_s,
        break_polls=earlier.break_polls + later.break_polls,
        other_polls=earlier.other_polls + later.other_polls,
        sockets=tuple(SocketPolls(*socket, count) for socket, count in polls.items()),
    )


def _key(stack: Stack) -> Stack:
    """The key that distinguishes the stacks of one process."""
    off = stack.off and OffTime(stack.off.state, 0, 0)
    return replace(stack, count=0, polls=0, off=off)
