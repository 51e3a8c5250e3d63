# SPDX-License-Identifier: GPL-2.0-or-later
"""Stacks that end before they reach where the program began, and in which object they do.

A walk along frame pointers stops, or goes astray, at the first function that was built without
them. The rest is not a stack but its inner end, and should not be drawn as if it were one.
"""

from __future__ import annotations

import posixpath
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from polltrace.stacks.frame import Frame
from polltrace.stacks.walked import Found, StackStop

# Nothing that a program calls has these names: glibc's, musl's, Go's of goroutines and threads.
BEGINNINGS = frozenset(
    {
        *("_start", "main", "__libc_start_main", "__libc_start_call_main", "start_thread"),
        *("_start_c", "libc_start_main_stage2", "thread_start"),
        *("runtime.goexit", "runtime.mstart", "runtime.rt0_go"),
        *("ret_from_fork", "ret_from_fork_asm"),
    }
)
# A program also calls these, to start a thread; they are a beginning where nothing called them.
_OUTERMOST = frozenset({"clone", "clone3", "__clone", "__clone3", "start"})
# A program's own code may call main, but never these.
_BEFORE_MAIN = BEGINNINGS - {"main"}
_C_LIBRARIES = ("libc.so", "libc-", "libpthread", "ld-linux", "ld-musl", "ld.so")


END = "[stack ends: "
"""The beginning of the name of a frame that says why its stack ends early."""

REASONS = {
    StackStop.UNKNOWN: "no frame pointer?",
    StackStop.START: "start of the thread",
    StackStop.DEPTH: "deeper than was kept",
    StackStop.NO_RULES: "no unwind table",
    StackStop.NO_ROOM: "no room for an unwind table",
    StackStop.UNSUPPORTED: "unwind rule not understood",
    StackStop.UNREADABLE: "stack not readable",
    StackStop.NOT_CODE: "return address is no code",
    StackStop.NOT_CALL: "no call before return address",
    StackStop.NO_PROGRESS: "caller's frame is not above",
}
"""Why a walk along a stack stopped, in words."""


@dataclass(frozen=True, slots=True)
class Walk:
    """A stack, `frames` innermost first, that was seen `count` times; how each frame was found
    (letters of Found; empty: not known), and why the walk stopped."""

    frames: Sequence[Frame]
    count: int
    found: str = ""
    stop: StackStop = StackStop.UNKNOWN


@dataclass(frozen=True, slots=True)
class EarlyEnds:
    """Counts of samples: all, and those that end early.

    by_object: the early ones by the object (path) of their outermost frame: the one whose
    caller could not be found. nameless: those of them that lie in one program without a name: a
    stripped static program does not show its beginning, so they may be complete.
    by_reason: the early ones by why the walk stopped, where that is known. guessed: samples, early
    or not, with frames that only a frame pointer led to, which may have skipped callers.
    """

    samples: int
    early: int
    by_object: Mapping[str, int]
    nameless: int = 0
    by_reason: Mapping[str, int] = field(default_factory=dict)
    guessed: int = 0

    @property
    def share(self) -> float:
        """Early ends as a share of all samples, 0 to 1."""
        return self.early / self.samples if self.samples else 0.0

    def __str__(self) -> str:
        guessed = f"{100 * self.guessed / self.samples:.1f} % of them" if self.samples else ""
        if not self.guessed:
            return self._ends()
        return f"{self._ends()}; frames may be missing in {guessed}, by frame pointers alone"

    def _ends(self) -> str:
        if not self.early:
            return "every stack reaches the beginning of its program"
        worst, count = max(self.by_object.items(), key=lambda item: (item[1], item[0]))
        name = posixpath.basename(worst) or "unknown memory"
        share = f"{100 * self.share:.1f} % of the stacks end early, "
        reason = max(self.by_reason.items(), key=lambda item: (item[1], item[0]), default=("", 0))
        why = "no frame pointers?" if reason[1] < self.early / 2 else reason[0]
        if self.nameless == self.early:
            why = "without names it may be the beginning"
        return f"{share}{100 * count / self.early:.0f} % of these in {name} ({why})"


def early_ends(stacks: Iterable[Walk]) -> EarlyEnds:
    """Judge stacks, without those that the probe itself cut short."""
    samples = early = nameless = guessed = 0
    by_object: Counter[str] = Counter()
    by_reason: Counter[str] = Counter()
    for walk in stacks:
        samples += walk.count
        guessed += walk.count * (Found.POINTER in walk.found)
        if not reaches_start(walk.frames, walk.stop):
            early += walk.count
            by_object[walk.frames[-1].module if walk.frames else ""] += walk.count
            nameless += walk.count * _of_one_nameless_program(walk.frames)
            if walk.stop is not StackStop.UNKNOWN:
                by_reason[REASONS[walk.stop]] += walk.count
    return EarlyEnds(samples, early, dict(by_object), nameless, dict(by_reason), guessed)


def reaches_start(frames: Sequence[Frame], stop: StackStop) -> bool:
    """Whether a stack, innermost first, reaches where its thread began: by the rules of the code
    there, or by the name of a function that nothing calls."""
    return stop is StackStop.START or is_complete(frames)


def to_its_end(frames: Sequence[Frame], stop: StackStop) -> Sequence[Frame]:
    """The frames, innermost first; behind those of a stack that stops early a frame that says why.

    A stack without any frame stays one.
    """
    if not frames or reaches_start(frames, stop):
        return frames
    return (*frames, Frame(f"{END}{REASONS[stop]}]", "", 0, 0))


def is_complete(frames: Sequence[Frame]) -> bool:
    """Whether a stack (innermost first) reaches where its thread began.

    Where names are missing: the C library calls into a program when it starts it, hardly ever
    else, so a stack whose outermost frame is the library's, called from there, is complete.
    """
    if any(_bare(f.name) in BEGINNINGS for f in frames):
        return True
    if len(frames) > 1 and frames[-1].name in _OUTERMOST:
        return True
    if len(frames) < 2 or frames[-1].named:
        return False
    outermost = posixpath.basename(frames[-1].module)
    return outermost.startswith(_C_LIBRARIES) and frames[-2].module != frames[-1].module


def up_to_beginning(frames: Sequence[Frame]) -> Sequence[Frame]:
    """A stack (innermost first) without false callers of the code that starts a program or a
    thread. That code has no frame pointers: in a static program the register holds an address of
    data there, and the word behind it looks like a return address.
    """
    callers = _BEFORE_MAIN | _OUTERMOST
    for outer, (frame, caller) in enumerate(pairwise(frames), 1):
        if _bare(frame.name) in _BEFORE_MAIN and _bare(caller.name) not in callers:
            return frames[:outer]
    return frames


def _of_one_nameless_program(frames: Sequence[Frame]) -> bool:
    modules = {posixpath.basename(f.module) for f in frames}
    return len(modules) == 1 and ".so" not in modules.pop() and not any(f.named for f in frames)


def _bare(name: str) -> str:
    """The name without the suffix that Go's linker adds for the calling convention."""
    return name.removesuffix(".abi0")
