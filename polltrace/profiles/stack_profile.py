# SPDX-License-Identifier: GPL-2.0-or-later
"""The stacks of one measurement, folded by name, with their quality."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from polltrace.engines import Engine, engines_checking
from polltrace.profiles.latches import LatchPath, latch_paths
from polltrace.profiles.off_cpu import OffCpuTime, off_cpu_time, off_stacks
from polltrace.profiles.profile import Profile
from polltrace.profiles.recognition import engine_of_process
from polltrace.profiles.sampled import (
    AT_POLL,
    OFF_CPU,
    NamedStack,
    SymbolSource,
    named_stacks,
)
from polltrace.stacks import EarlyEnds, early_ends, fold
from polltrace.stacks.earlyends import Walk
from polltrace.stacks.folded import Folded
from polltrace.stacks.picture import NANOSECONDS


@dataclass(frozen=True, slots=True)
class StackQuality:
    """Quality figures of a set of stacks. All but the last three count samples.

    `early`: those that end before their program began, by object; `truncated`: deeper than
    the kept frames; `caller_unknown`: taken at a break poll, where libc's poll hides its caller and
    its place was not known; `unnamed`: of processes that ended before anyone saw their mappings;
    `lost`: no room for one more different stack, or none could be taken; `no_kernel`: kept
    without their kernel part; `skipped`: samples that the kernel refused the probe;
    `problems`: objects that lack names (path, reason); `complete`: the probe saw the end.
    """

    early: EarlyEnds
    truncated: int
    caller_unknown: int
    unnamed: int
    lost: int
    no_kernel: int
    skipped: int
    problems: Mapping[str, str]
    complete: bool


@dataclass(frozen=True, slots=True)
class StackProfile:
    """Stacks of one `kind`, taken in `seconds`: `samples` in all, `checks` of them in the break
    check. `quality` is how well they could be walked and named.

    `by_shape`: the checks that are known by the poll's arguments alone, for lack of names.
    `undecided`: samples of which it cannot be told whether they are the check; `foreign` of these
    are of processes that no engine's data recognises.
    `break_polls`: their number in that time, of which a part was sampled; 0 where polls were
    counted in windows only. `folded` counts the break polls that the samples stand for, or
    samples on CPU, `hz` a second of CPU time (0: not known); it has the kernel's frames as well,
    where they were requested. Of threads off CPU it counts nanoseconds, and `off_cpu` divides their
    time; samples are their switches out. `engines` are those of the processes; of a trace, which
    does not name its processes, those whose check is on the stacks. `latches` are the paths of the
    stacks that wait for one.
    """

    kind: str
    seconds: float
    samples: int
    checks: int
    by_shape: int
    undecided: int
    foreign: int
    break_polls: int
    folded: Folded
    quality: StackQuality
    hz: float = 0.0
    engines: frozenset[Engine] = frozenset()
    off_cpu: OffCpuTime | None = None
    latches: tuple[LatchPath, ...] = ()

    @property
    def unit(self) -> str:
        """The unit of the counts in `folded`."""
        at_poll = "break polls" if self.engines else "polls"
        return {AT_POLL: at_poll, OFF_CPU: NANOSECONDS}.get(self.kind, "samples")


def stack_profile(
    profile: Profile, names: SymbolSource, kind: str, kernel: bool = True
) -> StackProfile:
    """Name, fold and classify the stacks of one kind of a measurement, live or recorded.

    `kernel`: off CPU, whether `folded` has the kernel's frames, which are always taken there.
    """
    raw_stacks = [s for totals in profile.totals for s in totals.stacks if s.kind == kind]
    stacks = named_stacks(profile, names, kind)
    hidden = sum(stack.count for stack in raw_stacks if stack.hidden == "unknown")
    quality = StackQuality(
        early=_early(stacks),
        truncated=_truncated(stacks),
        caller_unknown=hidden if kind == AT_POLL else 0,
        unnamed=sum(stack.count for stack in raw_stacks) - sum(stack.count for stack in stacks),
        lost=profile.lost.get("stacks", 0),
        no_kernel=profile.lost.get("kernel_stacks", 0),
        skipped=profile.lost.get("runs", 0),
        problems=dict(names.problems),
        complete=profile.complete,
    )
    engines_seen = frozenset(filter(None, map(engine_of_process, profile.processes.values())))
    checking = {f.name for s in stacks if s.is_break_check for f in s.frames}
    judged = _judged(profile, stacks, kind, quality, engines_seen or engines_checking(checking))
    if kind != OFF_CPU:
        return judged
    return replace(
        judged, folded=fold(off_stacks(stacks, kernel)), off_cpu=off_cpu_time(profile, stacks)
    )


def traced_stacks(profile: Profile, stacks: Iterable[NamedStack]) -> StackProfile:
    """Fold and classify the stacks that strace -k took: one at each break poll, by DWARF."""
    stacks = list(stacks)
    quality = StackQuality(_early(stacks), _truncated(stacks), 0, 0, 0, 0, 0, {}, profile.complete)
    names = {frame.name for stack in stacks for frame in stack.frames}
    return _judged(profile, stacks, AT_POLL, quality, engines_checking(names))


def _judged(
    profile: Profile,
    stacks: Sequence[NamedStack],
    kind: str,
    quality: StackQuality,
    engines: frozenset[Engine],
) -> StackProfile:
    polls = sum(totals.break_polls for totals in profile.totals)
    foreign = [s for s in stacks if not (s.of_engine or s.is_break_check)]
    decided_foreign = sum(stack.count for stack in foreign if not stack.undecided)
    return StackProfile(
        kind=kind,
        seconds=profile.seconds,
        samples=sum(stack.count for stack in stacks),
        checks=sum(stack.count for stack in stacks if stack.is_break_check),
        by_shape=sum(stack.count for stack in stacks if stack.by_shape),
        undecided=sum(stack.count for stack in stacks if stack.undecided) + decided_foreign,
        foreign=sum(stack.count for stack in foreign),
        break_polls=polls if kind == AT_POLL else 0,
        folded=fold(((*s.kernel, *s.to_its_end), s.polls or s.count) for s in stacks),
        quality=quality,
        engines=engines,
        latches=latch_paths(stacks) if kind != AT_POLL else (),
    )


def _truncated(stacks: Sequence[NamedStack]) -> int:
    return sum(stack.count for stack in stacks if stack.truncated)


def _early(stacks: Sequence[NamedStack]) -> EarlyEnds:
    """A thread that left its CPU out of our sight has no frames, which is no early end."""
    judged = (s for s in stacks if not s.truncated and (s.frames or s.off is None))
    return early_ends(Walk(s.frames, s.count, s.found, s.stop) for s in judged)
