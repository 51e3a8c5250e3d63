# SPDX-License-Identifier: GPL-2.0-or-later
"""The stacks of a profile by name, and how many of them are the break check."""

from __future__ import annotations

import contextlib
import posixpath
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Protocol

from polltrace.engines import Engine, break_chains
from polltrace.profiles.frames import OffTime, ProbeRecord, Stack, WatchedProcess
from polltrace.profiles.latch_wait import LatchWait, latch_wait
from polltrace.profiles.profile import Profile
from polltrace.profiles.recognition import engine_of_process
from polltrace.stacks import (
    ChainMatch,
    Frame,
    ProcessError,
    classify,
    function_name,
    up_to_beginning,
)
from polltrace.stacks.earlyends import is_complete, to_its_end
from polltrace.stacks.walked import Found, StackStop

AT_POLL, ON_CPU, OFF_CPU = "poll", "cpu", "offcpu"


class SymbolSource(Protocol):
    """Names the functions at addresses: a Symbolizer of live processes, or a recording."""

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
    """User frames innermost first, seen `count` times.

    `is_break_check`: the stack is the break check of an engine; False also where that cannot be
    told. `by_shape`: a break check by the poll's arguments alone, because no function on the stack
    has a name and the process is a dedicated server. `undecided`: the stack may be the check, which
    cannot be told. `of_engine`: the process is a server of a known engine; no other can be told not
    to check.
    `truncated`: the probe stopped before the stack ended. `kernel` are the kernel's frames,
    innermost first, where these were requested.
    `polls`: the break polls that it stands for, since the stride between samples may change.
    `off`: of a thread off CPU, for how long. `latch`: of one that spins or sleeps in the get of a
    latch. `found` has a letter for each frame, how it was found (Found in stacks/walked.py); empty
    where that is not known. `stop` is why the walk ended.
    """

    frames: Sequence[Frame]
    count: int
    truncated: bool
    is_break_check: bool
    kernel: Sequence[Frame] = ()
    by_shape: bool = False
    undecided: bool = False
    of_engine: bool = False
    polls: int = 0
    off: OffTime | None = None
    latch: LatchWait | None = None
    found: str = ""
    stop: StackStop = StackStop.UNKNOWN

    @property
    def to_its_end(self) -> Sequence[Frame]:
        """The user frames, and behind those of a stack that ends early one that says why."""
        return to_its_end(self.frames, StackStop.DEPTH if self.truncated else self.stop)


def introduced(
    records: Iterable[ProbeRecord | None], names: SymbolSource
) -> Iterator[ProbeRecord | None]:
    """Pass records on; each process is shown to `names` while it lives, so that it has names
    after its end as well."""
    for record in records:
        if isinstance(record, WatchedProcess):
            with contextlib.suppress(ProcessError):
                names.user(record.pid, [])
        yield record


def named_stacks(profile: Profile, names: SymbolSource, kind: str) -> list[NamedStack]:
    """The stacks of one kind, commonest first, of all processes that `names` knows."""
    stacks = []
    for totals in profile.totals:
        process = profile.processes.get(totals.identity)
        engine = engine_of_process(process) if process is not None else None
        for stack in totals.stacks:
            if stack.kind != kind:
                continue
            with contextlib.suppress(ProcessError):
                frames = names.user(totals.pid, stack.addresses)
                kernel = names.kernel(stack.kernel) if stack.kernel else ()
                named = judged_stack(frames, stack, kernel, engine=engine)
                if engine is not None and engine.latches:
                    named = replace(named, latch=latch_wait(named.frames, engine.latches))
                stacks.append(named)
    return sorted(stacks, key=lambda stack: -stack.count)


def judged_stack(
    frames: Sequence[Frame], stack: Stack, kernel: Sequence[Frame] = (), *, engine: Engine | None
) -> NamedStack:
    """A stack by its names, compared with the break check of the process's engine.

    engine: None for a process that no engine's data recognises. Such a process runs a break check
    only if every function of one is on the stack by name; else this cannot be told.
    Where an address lies in no mapped code the walk went astray, so the stack ends before it; it
    also ends where the program began.
    """
    walked = len(frames)
    frames = list(takewhile(lambda frame: frame.module, frames))
    stop = StackStop.NOT_CODE if len(frames) < walked else stack.stop
    frames = up_to_beginning(frames)
    evidence = _evidence(frames, stack, engine)
    is_check = evidence is not ChainMatch.NONE and (engine is not None or evidence in _BY_NAME)
    return NamedStack(
        frames,
        stack.count,
        stack.truncated,
        is_break_check=is_check,
        kernel=kernel,
        by_shape=is_check and evidence is ChainMatch.SHAPE,
        undecided=not is_check and not _is_decided(frames, stack, engine, evidence),
        of_engine=engine is not None,
        polls=stack.polls,
        off=stack.off,
        found=stack.found[: len(frames)],
        stop=stop,
    )


_BY_NAME = (ChainMatch.WHOLE, ChainMatch.HIDDEN)


def _evidence(frames: Sequence[Frame], stack: Stack, engine: Engine | None) -> ChainMatch:
    """The match of a stack with the first chain that it may be; NONE where it is no chain."""
    called = [frame.name for frame in frames]
    matches = (
        classify(called, chain, stack.kind == AT_POLL).evidence for chain in break_chains(engine)
    )
    return next((match for match in matches if match is not ChainMatch.NONE), ChainMatch.NONE)


def _is_decided(
    frames: Sequence[Frame], stack: Stack, engine: Engine | None, evidence: ChainMatch
) -> bool:
    """Whether a stack that was not accepted as a check is none.

    At a poll a named function contradicts the chain, unless a guessed frame pointer led to it:
    that may have skipped functions of the chain. Elsewhere a stack that ends early may have ended
    inside of it, and a function of the server without a name may belong to it.
    """
    if engine is None:
        return evidence is ChainMatch.NONE
    if stack.kind == AT_POLL:
        certain = stack.found.partition(Found.POINTER)[0] if stack.found else frames
        return _evidence(frames[: len(certain)], stack, engine) is ChainMatch.NONE
    nameless = (frame.module for frame in frames if not frame.named)
    programs = {posixpath.basename(module.removesuffix(" (deleted)")) for module in nameless}
    return programs.isdisjoint(engine.executables) and (stack.truncated or is_complete(frames))


def by_names(stacks: Sequence[NamedStack]) -> tuple[NamedStack, ...]:
    """Stacks that differ only in where in its functions each stood are one; commonest first."""
    merged: dict[tuple[str, ...], NamedStack] = {}
    for stack in stacks:
        names = tuple(frame.name for frame in stack.frames)
        previous = merged.get(names)
        merged[names] = replace(stack, count=stack.count + (previous.count if previous else 0))
    return tuple(sorted(merged.values(), key=lambda stack: -stack.count))


def have_names(stacks: Sequence[NamedStack]) -> bool:
    """True if any frame has a name, without which no break check can be recognised."""
    return any(frame.named for stack in stacks for frame in stack.frames)


@dataclass(frozen=True, slots=True)
class Shares:
    """On-CPU samples by the code that they were taken in: of `total`, `polling` on the way to a
    poll and in
    it, `checking` in a check that does not poll. `named` is whether any function of the chain had
    a name; if not, the counts mean nothing."""

    polling: int
    checking: int
    total: int
    named: bool


def _below(engine: Engine, chain: Sequence[frozenset[str]]) -> Sequence[frozenset[str]]:
    """The functions between the check function and the system call; all of them where every check
    polls."""
    if len(chain) == 1:
        return chain
    function = function_name(engine.check_function)
    position = next((i for i, names in enumerate(chain) if function in names), -1)
    return chain[position + 1 : -1]


def shares(stacks: Sequence[NamedStack], engine: Engine) -> Shares:
    """Functions up to the check function alone do not count: they run without a poll as well."""
    deeper = frozenset().union(*(link for chain in engine.chains for link in _below(engine, chain)))
    chained = frozenset().union(*(link for chain in engine.chains for link in chain[:-1] or chain))
    polling = checking = 0
    named = False
    for stack in stacks:
        names = {function_name(frame.name) for frame in stack.frames}
        named = named or not chained.isdisjoint(names)
        if stack.is_break_check and not deeper.isdisjoint(names):
            polling += stack.count
        elif stack.is_break_check and function_name(engine.check_function) in names:
            checking += stack.count
    return Shares(polling, checking, sum(stack.count for stack in stacks), named)
