# SPDX-License-Identifier: GPL-2.0-or-later
"""The named stacks of a recording."""

from __future__ import annotations

from dataclasses import replace

from polltrace.profiles.frames import Identity
from polltrace.profiles.off_cpu import off_parts, off_stacks
from polltrace.profiles.profile import Profile
from polltrace.profiles.sampled import AT_POLL, OFF_CPU, ON_CPU, NamedStack, named_stacks
from polltrace.recording.fold import Recording
from polltrace.stacks import fold
from polltrace.stacks.folded import Folded


def profile_for(recording: Recording, kind: str) -> Profile | None:
    """The profile with stacks of this kind; None where they were not recorded."""
    profiles = {
        AT_POLL: recording.counted,
        ON_CPU: recording.sampled,
        OFF_CPU: recording.switches,
    }
    return profiles[kind]


def stacks_of(recording: Recording, identity: Identity, kind: str) -> list[NamedStack]:
    """The stacks of one process, commonest first."""
    profile = profile_for(recording, kind)
    if profile is None:
        return []
    mine = tuple(t for t in profile.totals if (t.pid, t.start_ticks) == identity)
    return named_stacks(replace(profile, totals=mine), recording.names.of(identity), kind)


def all_stacks(recording: Recording, kind: str) -> list[NamedStack]:
    """The stacks of all processes, commonest first."""
    stacks = [
        stack for identity in recording.identities for stack in stacks_of(recording, identity, kind)
    ]
    return sorted(stacks, key=lambda stack: -stack.count)


def folded_stacks(recording: Recording, kind: str) -> Folded:
    """The stacks of all processes by name, with the kernel's functions; off CPU in nanoseconds,
    with the reason innermost.
    """
    stacks = all_stacks(recording, kind)
    if kind == OFF_CPU:
        return fold(off_stacks(stacks, kernel=True))
    return fold(((*stack.kernel, *stack.to_its_end), stack.count) for stack in stacks)


def waiting_functions(recording: Recording) -> Folded:
    """The program's part of the off-CPU stacks of all processes, in nanoseconds."""
    stacks = all_stacks(recording, OFF_CPU)
    return fold((stack.to_its_end, ns) for stack in stacks for _, ns, _ in off_parts(stack) if ns)
