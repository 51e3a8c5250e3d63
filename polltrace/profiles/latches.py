# SPDX-License-Identifier: GPL-2.0-or-later
"""Time that threads wait for latches: CPU time spun, and time slept."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from polltrace.intervals import Estimate, proportion
from polltrace.profiles.off_cpu import OffCpuTime, off_cpu_time
from polltrace.profiles.profile import Profile
from polltrace.profiles.sampled import OFF_CPU, ON_CPU, NamedStack, SymbolSource, named_stacks


@dataclass(frozen=True, slots=True)
class LatchPath:
    """Waiting for a latch in one `path` of functions, outermost first: `spun` of the samples on
    CPU, `sleeps` that took `slept_ns` up to the wake-up."""

    path: tuple[str, ...]
    spun: int
    sleeps: int
    slept_ns: int


@dataclass(frozen=True, slots=True)
class LatchTime:
    """The threads' lives divided (`whole`), and the part that was waiting for latches, by `paths`,
    the longest time first. CPU time was sampled `samples` times."""

    whole: OffCpuTime
    seconds: float
    samples: int
    paths: tuple[LatchPath, ...]

    @property
    def spun(self) -> int:
        return sum(path.spun for path in self.paths)

    @property
    def sleeps(self) -> int:
        return sum(path.sleeps for path in self.paths)

    @property
    def slept_ns(self) -> int:
        return sum(path.slept_ns for path in self.paths)

    @property
    def spun_share(self) -> Estimate | None:
        """Per cent of the CPU time, with its 95 % interval; None without a sample."""
        return proportion(self.spun, self.samples) if self.samples else None

    def spun_ns(self, samples: float) -> float:
        """The CPU time that `samples` of all stand for; 0 without any."""
        return self.whole.cpu_ns * samples / self.samples if self.samples else 0.0


def latch_time(switches: Profile, sampled: Profile, names: SymbolSource) -> LatchTime:
    """Latch time from two measurements of the same processes at the same time: their context
    switches, and samples on CPU.

    Raises ValueError where `switches` did not follow context switches.
    """
    off = named_stacks(switches, names, OFF_CPU)
    on = named_stacks(sampled, names, ON_CPU)
    whole = off_cpu_time(switches, off)
    if whole is None:
        raise ValueError("no context switches were followed")
    samples = sum(stack.count for totals in sampled.totals for stack in totals.stacks)
    return LatchTime(whole, switches.seconds, samples, latch_paths([*on, *off]))


def together(parts: Iterable[LatchPath]) -> tuple[LatchPath, ...]:
    """Paths of several processes, each once; the longest sleep first."""
    sums: dict[tuple[str, ...], list[int]] = {}
    for path in parts:
        counts = sums.setdefault(path.path, [0, 0, 0])
        for i, count in enumerate((path.spun, path.sleeps, path.slept_ns)):
            counts[i] += count
    return _ordered(sums)


def latch_paths(stacks: Iterable[NamedStack]) -> tuple[LatchPath, ...]:
    """The paths in stacks of either kind, or of both; the longest sleep first."""
    sums: dict[tuple[str, ...], list[int]] = {}
    for stack in stacks:
        if stack.latch is None:
            continue
        counts = sums.setdefault(stack.latch.path, [0, 0, 0])
        if stack.off is None:
            counts[0] += 0 if stack.latch.sleeps else stack.count
        elif stack.latch.sleeps and stack.off.state != "R":
            counts[1] += stack.count
            counts[2] += stack.off.blocked_ns
    return _ordered(sums)


def _ordered(sums: Mapping[tuple[str, ...], Sequence[int]]) -> tuple[LatchPath, ...]:
    paths = (LatchPath(path, *counts) for path, counts in sums.items() if any(counts))
    return tuple(sorted(paths, key=lambda path: (-path.slept_ns, -path.spun, path.path)))
