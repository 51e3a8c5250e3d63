# SPDX-License-Identifier: GPL-2.0-or-later
"""Time that the threads of a measurement were off CPU, by reason."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields

from polltrace.profiles.frames import OffCpuTotals
from polltrace.profiles.profile import Profile
from polltrace.profiles.sampled import NamedStack
from polltrace.stacks.frame import Frame
from polltrace.stacks.reasons import RUN_QUEUE, blocked_by, callers_of_scheduler

NO_STACK = "without a stack"
LATCH = "latch"
_SUMS = fields(OffCpuTotals)


@dataclass(frozen=True, slots=True)
class ReasonTime:
    """Threads were off CPU for this `reason` for `ns` together, after `switches` of them; a switch
    out that blocks is the blocking's, not the run queue's after it."""

    reason: str
    ns: int
    switches: int


@dataclass(frozen=True, slots=True)
class OffCpuTime(OffCpuTotals):
    """The lives of the threads of all processes.

    `reasons`, longest first, divide the time blocked and on a run queue; NO_STACK has the time for
    whose stack there was no room, or whose process ended before it could be named.
    `before` threads were out when the probe attached: that time is in the sums, as is that of
    those still out. `unfollowed` threads are in none, `unwoken` wake-ups and
    `unswitched` switches to a thread were not seen: the scheduler's counters divide these times.
    """

    before: int
    unfollowed: int
    unwoken: int
    unswitched: int
    reasons: tuple[ReasonTime, ...]

    @property
    def taken_ns(self) -> int:
        """Time on CPU that the scheduler's clock leaves out: a hypervisor's, and that of interrupts
        where the kernel accounts for it. The clock is read apart from the switches, so this may be
        a little below 0, and is a tick too high for a process that ended."""
        return self.on_cpu_ns - self.cpu_ns

    @property
    def unaccounted_ns(self) -> int:
        """The threads' lives less all their parts: 0 unless events were missed."""
        return self.thread_ns - self.on_cpu_ns - self.blocked_ns - self.queued_ns


def off_cpu_time(profile: Profile, stacks: Sequence[NamedStack]) -> OffCpuTime | None:
    """The off-CPU time of all processes; None where context switches were not followed."""
    totals = [item.off_cpu for item in profile.totals if item.off_cpu is not None]
    if not totals:
        return None
    off = [stack.off for stack in stacks if stack.off is not None]
    sums = {item.name: sum(getattr(process, item.name) for process in totals) for item in _SUMS}
    out_ns = sums["blocked_ns"] + sums["queued_ns"]
    return OffCpuTime(
        **sums,
        before=sum(item.before for item in off),
        unfollowed=profile.lost.get("threads", 0),
        unwoken=profile.lost.get("wakeups", 0),
        unswitched=profile.lost.get("switches", 0),
        reasons=_by_reason(stacks, out_ns, sums["switches"]),
    )


def off_stacks(stacks: Sequence[NamedStack], kernel: bool) -> Iterator[tuple[Sequence[Frame], int]]:
    """(frames innermost first, nanoseconds): the reason, in brackets, is the innermost frame;
    behind it the kernel's, if wanted, and the program's."""
    for stack in stacks:
        inner = callers_of_scheduler(stack.kernel) if kernel else ()
        for reason, ns, _ in off_parts(stack):
            if ns:
                yield (Frame(f"[{reason}]", "", 0, 0), *inner, *stack.to_its_end), ns


def off_parts(stack: NamedStack) -> Iterator[tuple[str, int, int]]:
    """Reason, nanoseconds and switches out of a stack off CPU; of another stack nothing."""
    if stack.off is None:
        return
    preempted = stack.off.state == "R"
    if not preempted:
        waits = stack.latch is not None and stack.latch.sleeps
        reason = LATCH if waits else blocked_by(stack.kernel, stack.off.state)
        yield reason, stack.off.blocked_ns, stack.count
    yield RUN_QUEUE, stack.off.queued_ns, stack.count if preempted else 0


def _by_reason(
    stacks: Sequence[NamedStack], whole_ns: int, switches: int
) -> tuple[ReasonTime, ...]:
    times: dict[str, tuple[int, int]] = {}
    for stack in stacks:
        for reason, ns, count in off_parts(stack):
            previous_ns, previous_count = times.get(reason, (0, 0))
            times[reason] = previous_ns + ns, previous_count + count
    remaining_ns = whole_ns - sum(ns for ns, _ in times.values())
    unseen = switches - sum(count for _, count in times.values())
    if remaining_ns > 0:
        times[NO_STACK] = remaining_ns, max(unseen, 0)
    listed = (ReasonTime(reason, ns, count) for reason, (ns, count) in times.items())
    return tuple(sorted(listed, key=lambda time: (-time.ns, time.reason)))
