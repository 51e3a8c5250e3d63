# SPDX-License-Identifier: GPL-2.0-or-later
"""The stacks of a profile by name, and how many of them are the break check."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from polltrace.engines import Engine, break_chains
from polltrace.profiles.frames import Record, Stack, WatchedProcess
from polltrace.profiles.profile import Profile
from stacks import Evidence, Frame, ProcessError, classify

AT_POLL, ON_CPU = "poll", "cpu"


class Names(Protocol):
    """Who knows the functions at addresses: a Symbolizer of live processes, or a recording."""

    @property
    def problems(self) -> Mapping[str, str]:
        """Objects with no or fewer names than they should have: path, reason."""
        ...

    def user(self, pid: int, addresses: Sequence[int]) -> Sequence[Frame]:
        """Frames of a process, innermost first. Raises ProcessError where it is not known."""
        ...

    def kernel(self, addresses: Sequence[int]) -> Sequence[Frame]:
        """Frames in the kernel, innermost first."""
        ...


@dataclass(frozen=True, slots=True)
class NamedStack:
    """User frames innermost first, seen `count` times; `is_break_check` by any engine's chain.

    `kernel` are the frames inside of them, innermost first, where these were asked for;
    `by_shape`: it was told by the poll alone, because no function on the stack has a name;
    `polls`: the break polls it stands for, since the stride between samples may change.
    """

    frames: Sequence[Frame]
    count: int
    truncated: bool
    is_break_check: bool
    kernel: Sequence[Frame] = ()
    by_shape: bool = False
    polls: int = 0


def introduced(records: Iterable[Record | None], names: Names) -> Iterator[Record | None]:
    """Pass records on; each process is shown to `names` while it lives, so that it has names
    after its end as well."""
    for record in records:
        if isinstance(record, WatchedProcess):
            with contextlib.suppress(ProcessError):
                names.user(record.pid, [])
        yield record


def named_stacks(profile: Profile, names: Names, kind: str) -> list[NamedStack]:
    """The stacks of one kind, commonest first, of all processes that `names` knows."""
    found = []
    for totals in profile.totals:
        for stack in totals.stacks:
            if stack.kind != kind:
                continue
            with contextlib.suppress(ProcessError):
                frames = names.user(totals.pid, stack.addresses)
                kernel = names.kernel(stack.kernel) if stack.kernel else ()
                found.append(judged_stack(frames, stack, kernel))
    return sorted(found, key=lambda stack: -stack.count)


def judged_stack(frames: Sequence[Frame], stack: Stack, kernel: Sequence[Frame] = ()) -> NamedStack:
    """A stack by its names, held against the break check of every engine."""
    called = [frame.name for frame in frames]
    at_call = stack.kind == AT_POLL
    verdicts = (classify(called, chain, at_call) for chain in break_chains())
    verdict = next(filter(None, verdicts), None)
    return NamedStack(
        frames,
        stack.count,
        stack.truncated,
        is_break_check=verdict is not None,
        kernel=kernel,
        by_shape=verdict is not None and verdict.evidence is Evidence.SHAPE,
        polls=stack.polls,
    )


@dataclass(frozen=True, slots=True)
class Shares:
    """On-CPU samples by what they were taken in: of `total`, those on the way to a poll and in
    it, and those in a check that does not poll. `named` is whether any function of the chain had
    a name; if not, none of this says anything."""

    polling: int
    checking: int
    total: int
    named: bool


def shares(stacks: Sequence[NamedStack], engine: Engine) -> Shares:
    """What stands in the outermost link alone is not counted: out-of-band it runs as well."""
    deeper = frozenset().union(*engine.chain[2:-1])
    known = frozenset().union(*engine.chain[:-1])
    polling = checking = 0
    named = False
    for stack in stacks:
        names = {frame.name.partition(".")[0] for frame in stack.frames}
        named = named or not known.isdisjoint(names)
        if stack.is_break_check and not deeper.isdisjoint(names):
            polling += stack.count
        elif stack.is_break_check and engine.check_function in names:
            checking += stack.count
    return Shares(polling, checking, sum(stack.count for stack in stacks), named)
