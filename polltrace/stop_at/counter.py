# SPDX-License-Identifier: GPL-2.0-or-later
"""The tracing process of `--backend ptrace`: counts every system call and break poll."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from polltrace.stacks import AddressSpace, ProcessError
from polltrace.stacks.errors import UnansweredError
from polltrace.stacks.reading_process import read_within
from polltrace.stop_at import ptrace
from polltrace.stop_at.capture import Polled, Refused
from polltrace.stop_at.objects import FrameRules
from polltrace.stop_at.standing import Standing
from polltrace.stop_at.syscalls import POLLS, name_of
from polltrace.stop_at.tracer import Tracer
from polltrace.stop_at.tracing import End, Limits
from polltrace.stop_at.unwind import walk

# How often one process may be counted under different sockets or stacks.
_MOST_SOCKETS, _MOST_STACKS = 1 << 10, 1 << 14
# Seconds to read the call frame rules of one process.
_RULES_PATIENCE_S = 5.0


@dataclass(slots=True)
class ProcessCounts:
    """`calls` and `errors` by name of the system call; `break_polls` in all; `sockets` by what was
    polled; `stacks` by
    their addresses, innermost first, and whether they reach their beginning."""

    calls: Counter[str] = field(default_factory=Counter)
    errors: Counter[str] = field(default_factory=Counter)
    break_polls: int = 0
    sockets: Counter[Polled] = field(default_factory=Counter)
    stacks: Counter[tuple[tuple[int, ...], bool]] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True)
class PtraceCounts:
    """The counts of `processes` by PID; `end` is why counting ended. `late_sleepers`: threads whose
    sleep could not be interrupted unnoticed, so that the first calls after it may be missing."""

    processes: dict[int, ProcessCounts]
    end: End
    late_sleepers: int


class PtraceCallCounter:
    """Counts in all threads of `pids`; with `follow` in what they fork as well; with `stacks` it
    also walks the stack of each break poll."""

    def __init__(self, pids: Sequence[int], limits: Limits, follow: bool, stacks: bool) -> None:
        self._pids, self._limits, self._follow, self._stacks = list(pids), limits, follow, stacks
        self._counts: dict[int, ProcessCounts] = {}
        self._inside: dict[int, str] = {}
        self._standing: dict[int, Standing | None] = {}
        self._rules: dict[int, FrameRules | None] = {}

    def outcome(self, ready: Callable[[], None]) -> PtraceCounts | Refused:
        """Count to the end. Refused: `what` is the process that could not be traced."""
        tracer = None
        for pid in self._pids:
            self._rules_of(pid)  # reading tables takes its time: before anything is stopped
        try:
            tracer = Tracer(self._pids, self, self._limits, self._follow)
            end = tracer.run(ready)
        except OSError as error:
            return Refused(error.errno or 0, "" if tracer else "seize")
        return PtraceCounts(self._counts, end, tracer.late_sleepers)

    def at_exec(self, pid: int) -> bool:
        """Go on with the new program."""
        if standing := self._standing.pop(pid, None):
            standing.close()
        self._rules.pop(pid, None)
        return False

    def at_call(self, pid: int, tid: int) -> bool:
        """Count it; never the last."""
        call = ptrace.system_call(tid)
        counts = self._counts.get(pid) or self._counts.setdefault(pid, ProcessCounts())
        if isinstance(call, ptrace.CallExit):
            name = self._inside.pop(tid, "")
            if name and call.failed:
                counts.errors[name] += 1
        elif call is not None:
            name = name_of(call.number, call.is_64)
            counts.calls[name] += 1
            self._inside[tid] = name
            if name in POLLS:
                self._poll(pid, tid, call, counts)
        return False

    def _poll(self, pid: int, tid: int, call: ptrace.CallEntry, counts: ProcessCounts) -> None:
        if pid not in self._standing:
            self._standing[pid] = None
            with suppress(OSError):
                self._standing[pid] = Standing(pid)
        standing = self._standing[pid]
        if standing is None or (polled := standing.polled(call)) is None:
            return
        counts.break_polls += 1
        if polled in counts.sockets or len(counts.sockets) < _MOST_SOCKETS:
            counts.sockets[polled] += 1
        if self._stacks and len(counts.stacks) < _MOST_STACKS and (rules := self._rules_of(pid)):
            stack = walk(standing.copy(tid, call), rules.at, rules.is_code)
            counts.stacks[stack.addresses, stack.whole] += 1

    def _rules_of(self, pid: int) -> FrameRules | None:
        if self._stacks and pid not in self._rules:
            self._rules[pid] = None
            with suppress(ProcessError, UnansweredError, OSError):
                # Its files may never answer, and no target must be held that long.
                self._rules[pid] = read_within(lambda: _read_rules(pid), _RULES_PATIENCE_S)
        return self._rules.get(pid)


def _read_rules(pid: int) -> FrameRules:
    rules = FrameRules(AddressSpace.of(pid))
    rules.read_all()
    return rules
