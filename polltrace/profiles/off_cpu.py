# SPDX-License-Identifier: GPL-2.0-or-later
"""Where the threads of a measurement were while they were not on a CPU."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from polltrace.profiles.frames import OffCpuTotals
from polltrace.profiles.profile import Profile
from polltrace.profiles.sampled import NamedStack
from polltrace.stacks.frame import Frame
from polltrace.stacks.reasons import RUN_QUEUE, blocked_by, callers_of_scheduler

NO_STACK = "without a stack"


@dataclass(frozen=True, slots=True)
class ReasonTime:
    """Threads were off CPU for this `reason` for `ns` together, after `switches` of them; a switch
    out that blocks is the blocking's, not the run queue's after it."""

    reason: str
    ns: int
    switches: int


@dataclass(frozen=True, slots=True)
class OffCpuTime:
    """The threads' lives, `thread_ns` together, divided: `cpu_ns` by the scheduler's clock,
    `blocked_ns` and `queued_ns` by the context switches and wake-ups.

    `reasons`, longest first, divide the last two; NO_STACK has the time for whose stack there was
    no room, or whose process ended before it could be named.
    `open` threads were still out at the end, `before` were out when the probe attached: both counts
    are of time that is in the sums. `unfollowed` threads are in none, `unwoken` times were not seen
    to end and are all blocked.
    """

    threads: int
    thread_ns: int
    cpu_ns: int
    blocked_ns: int
    queued_ns: int
    switches: int
    open: int
    before: int
    unfollowed: int
    unwoken: int
    reasons: tuple[ReasonTime, ...]

    @property
    def unaccounted_ns(self) -> int:
        """What the parts miss of the threads' lives: time that a hypervisor or interrupts took,
        and the error of the clocks' readings, by which it may be below 0."""
        return self.thread_ns - self.cpu_ns - self.blocked_ns - self.queued_ns


def off_cpu_time(profile: Profile, found: Sequence[NamedStack]) -> OffCpuTime | None:
    """Of all processes; None where context switches were not followed."""
    totals = [each.off_cpu for each in profile.totals if each.off_cpu is not None]
    if not totals:
        return None
    off = [stack.off for stack in found if stack.off is not None]
    blocked, queued = _sum(totals, "blocked_ns"), _sum(totals, "queued_ns")
    return OffCpuTime(
        threads=_sum(totals, "threads"),
        thread_ns=_sum(totals, "thread_ns"),
        cpu_ns=_sum(totals, "cpu_ns"),
        blocked_ns=blocked,
        queued_ns=queued,
        switches=_sum(totals, "switches"),
        open=_sum(totals, "open"),
        before=sum(each.before for each in off),
        unfollowed=profile.lost.get("threads", 0),
        unwoken=profile.lost.get("wakeups", 0),
        reasons=_by_reason(found, blocked + queued, _sum(totals, "switches")),
    )


def off_stacks(found: Sequence[NamedStack], kernel: bool) -> Iterator[tuple[Sequence[Frame], int]]:
    """(frames innermost first, nanoseconds): the reason, in brackets, is the innermost frame;
    behind it the kernel's, if wanted, and the program's."""
    for stack in found:
        inner = callers_of_scheduler(stack.kernel) if kernel else ()
        for reason, ns, _ in _parts(stack):
            if ns:
                yield (Frame(f"[{reason}]", "", 0, 0), *inner, *stack.frames), ns


def _parts(stack: NamedStack) -> Iterator[tuple[str, int, int]]:
    """Reason, nanoseconds and switches out of a stack."""
    if stack.off is None:
        return
    preempted = stack.off.state == "R"
    if not preempted:
        reason = blocked_by(stack.kernel, stack.off.state)
        yield reason, stack.off.blocked_ns, stack.count
    yield RUN_QUEUE, stack.off.queued_ns, stack.count if preempted else 0


def _by_reason(found: Sequence[NamedStack], whole_ns: int, switches: int) -> tuple[ReasonTime, ...]:
    times: dict[str, tuple[int, int]] = {}
    for stack in found:
        for reason, ns, count in _parts(stack):
            before, seen = times.get(reason, (0, 0))
            times[reason] = before + ns, seen + count
    rest = whole_ns - sum(ns for ns, _ in times.values())
    unseen = switches - sum(count for _, count in times.values())
    if rest > 0:
        times[NO_STACK] = rest, max(unseen, 0)
    listed = (ReasonTime(reason, ns, count) for reason, (ns, count) in times.items())
    return tuple(sorted(listed, key=lambda each: (-each.ns, each.reason)))


def _sum(totals: Sequence[OffCpuTotals], field: str) -> int:
    return sum(getattr(each, field) for each in totals)
