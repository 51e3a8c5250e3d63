# SPDX-License-Identifier: GPL-2.0-or-later
"""The evidence in a tracer's text: a Profile, and the polls that could not be classified."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain

from polltrace.profiles.frames import ProcessTotals
from polltrace.profiles.profile import Profile
from polltrace.profiles.sampled import NamedStack


@dataclass(frozen=True, slots=True)
class TraceEvidence:
    """A Profile with `undecided` polls, by process, that may be break polls or other polls.

    `timed`: the profile's seconds are known. `cpu_s`: CPU seconds by the tracer, its own work
    included; None where it prints none. The CPU time and times of the profile itself are always 0.
    `gaps` are the reasons why calls may be missing from the counts, `doubts` all other defects of
    the text, a sentence each. `stacks` are those at break polls, by process, where strace -k took
    them.
    """

    profile: Profile
    undecided: Mapping[tuple[int, int], int]
    timed: bool
    cpu_s: float | None
    doubts: tuple[str, ...]
    stacks: Mapping[tuple[int, int], tuple[NamedStack, ...]] = field(default_factory=dict)
    gaps: tuple[str, ...] = ()

    def undecided_of(self, totals: ProcessTotals) -> int:
        return self.undecided.get((totals.pid, totals.start_ticks), 0)

    def all_stacks(self) -> Iterator[NamedStack]:
        return chain.from_iterable(self.stacks.values())

    def stacks_of(self, totals: ProcessTotals) -> tuple[NamedStack, ...]:
        return self.stacks.get((totals.pid, totals.start_ticks), ())


def polls_of(evidence: TraceEvidence, totals: ProcessTotals) -> int:
    """The number of a process's polls of any kind."""
    return totals.break_polls + totals.other_polls + evidence.undecided_of(totals)
