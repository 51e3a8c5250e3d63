# SPDX-License-Identifier: GPL-2.0-or-later
"""Counts a tracer's events by process."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TypeVar

from polltrace.backends.call_names import is_poll
from polltrace.backends.poll_arguments import JudgedPoll
from polltrace.backends.strace_stacks import stacks_at_polls
from polltrace.backends.trace_events import Born, CallEvent, Poll, TimeStamp, TraceEvent, Unread
from polltrace.profiles.frames import ProcessTotals, SocketPolls, Syscall
from polltrace.profiles.sampled import NamedStack

K = TypeVar("K")
_polls = lru_cache(1 << 10)(is_poll)


@dataclass(slots=True)
class _Task:
    """Counts of one thread. A trace may have hundreds of thousands, so these are plain and few.

    `calls` and `errors` (calls that failed) are by name of the system call; `sockets` and `stacks`
    count break polls. `undecided` polls may be `break_polls` or `other_polls`.
    """

    calls: dict[str, int] = field(default_factory=dict)
    errors: dict[str, int] | None = None
    sockets: dict[SocketPolls, int] | None = None
    stacks: Counter[tuple[str, ...]] | None = None
    break_polls: int = 0
    other_polls: int = 0
    undecided: int = 0

    def add(self, task: _Task) -> None:
        """Add the counts of another task of the same process."""
        _add(self.calls, task.calls)
        self.errors = _sum(self.errors, task.errors)
        self.sockets = _sum(self.sockets, task.sockets)
        if task.stacks:
            self.stacks = (self.stacks or Counter()) + task.stacks
        self.break_polls += task.break_polls
        self.other_polls += task.other_polls
        self.undecided += task.undecided

    def poll(self, judged: JudgedPoll, stack: tuple[str, ...]) -> None:
        """Count one poll with the stack that was printed below it."""
        is_break = judged.poll is Poll.BREAK
        self.break_polls += is_break
        self.other_polls += judged.poll is Poll.OTHER
        self.undecided += judged.poll is Poll.UNDECIDED
        if stack and is_break:
            self.stacks = self.stacks or Counter()
            self.stacks[stack] += 1
        if judged.socket is not None:
            self.sockets = _sum(self.sockets, {judged.socket: 1})


def _add(sums: dict[K, int], counts: Mapping[K, int]) -> None:
    for key, count in counts.items():
        sums[key] = sums.get(key, 0) + count


def _sum(sums: dict[K, int] | None, counts: Mapping[K, int] | None) -> dict[K, int] | None:
    if counts:
        sums = {} if sums is None else sums
        _add(sums, counts)
    return sums


class CallCounter:
    """Counts of the events given to `add`, by process."""

    def __init__(self, judge: Callable[[CallEvent], JudgedPoll]) -> None:
        self._judge = judge
        self._tasks: dict[int, _Task] = {}
        self._owner: dict[int, int] = {}
        self._born: set[int] = set()
        self._first_s: float | None = None
        self._last_s = 0.0
        self.unread: list[Unread] = []
        self.unnamed_socket = False

    def add_all(self, events: Iterable[TraceEvent]) -> None:
        for event in events:
            self.add(event)

    def add(self, event: TraceEvent) -> None:
        match event:
            case CallEvent():
                self._count(event)
            case Born():
                self._born.add(event.task)
                if event.is_thread:
                    self._owner[event.task] = event.parent
            case TimeStamp():
                self._first_s = event.at_s if self._first_s is None else self._first_s
                self._last_s = max(self._last_s, event.at_s)
            case Unread():
                self.unread.append(event)

    def _count(self, call: CallEvent) -> None:
        task = self._tasks.get(call.task) or self._tasks.setdefault(call.task, _Task())
        task.calls[call.name] = task.calls.get(call.name, 0) + 1
        if call.failed:
            task.errors = _sum(task.errors, {call.name: 1})
        if _polls(call.name):
            judged = self._judge(call)
            task.poll(judged, call.stack)
            self.unnamed_socket |= judged.socket is not None and not judged.socket.kind

    @property
    def seconds(self) -> float | None:
        """Seconds from the first time stamp to the last; None for text without two of them."""
        if self._first_s is None or self._last_s <= self._first_s:
            return None
        return self._last_s - self._first_s

    def processes(self) -> tuple[tuple[ProcessTotals, int], ...]:
        """Each process with the number of its undecided polls; threads are added to their process
        where the text names it."""
        return tuple((_totals(pid, task), task.undecided) for pid, task in self._merged())

    def stacks(self) -> dict[tuple[int, int], tuple[NamedStack, ...]]:
        """The stacks at each process's break polls, where the text has any."""
        return {
            (pid, 0): stacks_at_polls(task.stacks) for pid, task in self._merged() if task.stacks
        }

    def _merged(self) -> list[tuple[int, _Task]]:
        members: defaultdict[int, list[_Task]] = defaultdict(list)
        for number, task in self._tasks.items():
            members[self._process(number)].append(task)
        return [(pid, _merge(tasks)) for pid, tasks in sorted(members.items())]

    def _process(self, task: int) -> int:
        if task == 0:
            # A command's first process is named only once there is a second.
            unborn = self._tasks.keys() - self._born - {0}
            return next(iter(unborn)) if len(unborn) == 1 else 0
        visited = {task}
        while (owner := self._owner.get(task, task)) not in visited:
            visited.add(owner)
            task = owner
        return task or self._process(0)


def _merge(tasks: Sequence[_Task]) -> _Task:
    if len(tasks) == 1:
        return tasks[0]
    merged = _Task()
    for task in tasks:
        merged.add(task)
    return merged


def _totals(pid: int, task: _Task) -> ProcessTotals:
    return ProcessTotals(
        pid=pid,
        start_ticks=0,
        cpu_s=0.0,
        break_polls=task.break_polls,
        other_polls=task.other_polls,
        sockets=_sockets(tuple((task.sockets or {}).items())),
        syscalls=_syscalls(tuple(task.calls.items()), tuple((task.errors or {}).items())),
        stacks=(),
    )


# Cached, because many tasks of a trace make the same calls.
@lru_cache(1 << 12)
def _sockets(counts: tuple[tuple[SocketPolls, int], ...]) -> tuple[SocketPolls, ...]:
    """The sockets with their counts, most polled first."""
    ordered = sorted(counts, key=lambda item: (-item[1], item[0].fd))
    return tuple(replace(socket, polls=polls) for socket, polls in ordered)


@lru_cache(1 << 12)
def _syscalls(
    calls: tuple[tuple[str, int], ...], errors: tuple[tuple[str, int], ...]
) -> tuple[Syscall, ...]:
    """The system calls, sorted by name."""
    failed = dict(errors)
    return tuple(Syscall(-1, name, count, failed.get(name, 0)) for name, count in sorted(calls))
