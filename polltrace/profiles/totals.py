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


def since(base: ProcessTotals, now: ProcessTotals) -> ProcessTotals:
    """The totals of a process from `base` to `now`, both of the same process.

    A sampled rate and the probe's cost are not sums, and stay as they are now; so does the number
    of threads, of which `base` does not tell how many had ended by then.
    """
    sockets = {(each.fd, each.local, each.peer): each.polls for each in base.sockets}
    calls = {each.nr: each for each in base.syscalls}
    stacks = {_key(each): each for each in base.stacks}
    return replace(
        now,
        cpu_s=now.cpu_s - base.cpu_s,
        break_polls=now.break_polls - base.break_polls,
        other_polls=now.other_polls - base.other_polls,
        calls_32bit=now.calls_32bit - base.calls_32bit,
        sockets=tuple(
            replace(each, polls=each.polls - sockets.get((each.fd, each.local, each.peer), 0))
            for each in now.sockets
        ),
        syscalls=tuple(
            replace(
                each,
                calls=each.calls - calls[each.nr].calls,
                errors=each.errors - calls[each.nr].errors,
            )
            if each.nr in calls
            else each
            for each in now.syscalls
        ),
        stacks=tuple(
            more for each in now.stacks if _is_new(more := _more(stacks.get(_key(each)), each))
        ),
        gaps=_fewer(base.gaps, now.gaps),
        durations=_fewer(base.durations, now.durations),
        off_cpu=_less(base.off_cpu, now.off_cpu),
    )


def _is_new(stack: Stack) -> bool:
    """Whether it was seen, or a thread was out with it."""
    return stack.count > 0 or (
        stack.off is not None and stack.off.blocked_ns + stack.off.queued_ns > 0
    )


def _less(base: OffCpuTotals | None, now: OffCpuTotals | None) -> OffCpuTotals | None:
    if base is None or now is None:
        return now
    return replace(
        now,
        thread_ns=now.thread_ns - base.thread_ns,
        cpu_ns=now.cpu_ns - base.cpu_ns,
        on_cpu_ns=now.on_cpu_ns - base.on_cpu_ns,
        blocked_ns=now.blocked_ns - base.blocked_ns,
        queued_ns=now.queued_ns - base.queued_ns,
        switches=now.switches - base.switches,
    )


def _fewer(base: Iterable[Bucket], now: Iterable[Bucket]) -> tuple[Bucket, ...]:
    before = {each.from_ns: each.count for each in base}
    return tuple(
        Bucket(each.from_ns, each.below_ns, left)
        for each in now
        if (left := each.count - before.get(each.from_ns, 0)) > 0
    )


def _more(base: Stack | None, now: Stack) -> Stack:
    if base is None:
        return now
    return replace(
        now,
        count=now.count - base.count,
        polls=now.polls - base.polls,
        off=_off_since(base.off, now.off),
    )


def _off_since(base: OffTime | None, now: OffTime | None) -> OffTime | None:
    """A thread that was out at `base` was out before."""
    if base is None or now is None:
        return now
    blocked_ns, queued_ns = now.blocked_ns - base.blocked_ns, now.queued_ns - base.queued_ns
    return OffTime(now.state, blocked_ns, queued_ns, open=now.open, before=base.open)


def added(one: Iterable[Bucket], other: Iterable[Bucket]) -> tuple[Bucket, ...]:
    """Two histograms in one."""
    counts: dict[tuple[int, int], int] = {}
    for bucket in (*one, *other):
        span = bucket.from_ns, bucket.below_ns
        counts[span] = counts.get(span, 0) + bucket.count
    return tuple(Bucket(*span, count) for span, count in sorted(counts.items()))


def timed_too(before: ProcessTotals, now: ProcessTotals) -> ProcessTotals:
    """`now`, with the histograms of an earlier measurement of the same process in its own."""
    return replace(
        now,
        gaps=added(before.gaps, now.gaps),
        durations=added(before.durations, now.durations),
    )


def together(before: ProcessTotals, now: ProcessTotals) -> ProcessTotals:
    """Two measurements of one process as one: sums of CPU time, polls, sockets and histograms; all
    else as it is now."""
    polls: dict[tuple[int, str, str, str], int] = {}
    for each in (*before.sockets, *now.sockets):
        socket = each.fd, each.kind, each.local, each.peer
        polls[socket] = polls.get(socket, 0) + each.polls
    return replace(
        timed_too(before, now),
        cpu_s=before.cpu_s + now.cpu_s,
        break_polls=before.break_polls + now.break_polls,
        other_polls=before.other_polls + now.other_polls,
        sockets=tuple(SocketPolls(*socket, count) for socket, count in polls.items()),
    )


def _key(stack: Stack) -> Stack:
    """The key that distinguishes the stacks of one process."""
    off = stack.off and OffTime(stack.off.state, 0, 0)
    return replace(stack, count=0, polls=0, off=off)
