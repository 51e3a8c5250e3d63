# SPDX-License-Identifier: GPL-2.0-or-later
"""The named stacks of a recording."""

from __future__ import annotations

from dataclasses import replace

from polltrace.profiles.frames import Identity
from polltrace.profiles.profile import Profile
from polltrace.profiles.sampled import AT_POLL, OFF_CPU, ON_CPU, NamedStack, named_stacks
from polltrace.recording.fold import Recording


def profile_for(recording: Recording, kind: str) -> Profile | None:
    """The profile with stacks of this kind; None where they were not recorded."""
    found = {
        AT_POLL: recording.counted,
        ON_CPU: recording.sampled,
        OFF_CPU: recording.switches,
    }
    return found[kind]


def stacks_of(recording: Recording, identity: Identity, kind: str) -> list[NamedStack]:
    """Those of one process, commonest first."""
    profile = profile_for(recording, kind)
    if profile is None:
        return []
    mine = tuple(t for t in profile.totals if (t.pid, t.start_ticks) == identity)
    return named_stacks(replace(profile, totals=mine), recording.names.of(identity), kind)


def all_stacks(recording: Recording, kind: str) -> list[NamedStack]:
    """Those of all processes, commonest first."""
    found = [each for one in recording.identities for each in stacks_of(recording, one, kind)]
    return sorted(found, key=lambda stack: -stack.count)
