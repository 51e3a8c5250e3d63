# SPDX-License-Identifier: GPL-2.0-or-later
"""Adds up a tracer's events by process."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from polltrace.backends.poll_arguments import JudgedPoll
from polltrace.backends.strace_stacks import stacks_at_polls
from polltrace.backends.traced import POLLS, Born, Moment, Poll, TracedCall, Unread
from polltrace.profiles.frames import ProcessTotals, SocketPolls, Syscall
from polltrace.profiles.sampled import NamedStack


@dataclass(slots=True)
class _Task:
    calls: Counter[str] = field(default_factory=Counter)
    errors: Counter[str] = field(default_factory=Counter)
    polls: Counter[Poll] = field(default_factory=Counter)
    sockets: Counter[SocketPolls] = field(default_factory=Counter)
    stacks: Counter[tuple[str, ...]] = field(default_factory=Counter)

    def add(self, other: _Task) -> None:
        self.calls.update(other.calls)
        self.errors.update(other.errors)
        self.polls.update(other.polls)
        self.sockets.update(other.sockets)
        self.stacks.update(other.stacks)


class Tally:
    """Feed it events with `add`; then ask."""

    def __init__(self, judge: Callable[[TracedCall], JudgedPoll]) -> None:
        self._judge = judge
        self._tasks: dict[int, _Task] = {}
        self._owner: dict[int, int] = {}
        self._born: set[int] = set()
        self._first_s: float | None = None
        self._last_s = 0.0
        self.unread: list[Unread] = []
        self.unnamed_socket = False

    def add(self, event: TracedCall | Born | Moment | Unread) -> None:
        match event:
            case TracedCall():
                self._count(event)
            case Born():
                self._born.add(event.task)
                if event.is_thread:
                    self._owner[event.task] = event.parent
            case Moment():
                self._first_s = event.at_s if self._first_s is None else self._first_s
                self._last_s = max(self._last_s, event.at_s)
            case Unread():
                self.unread.append(event)

    def know(self, owners: dict[int, int]) -> None:
        """Say whose threads are which, beyond what the text tells."""
        self._owner = {**owners, **self._owner}

    def _count(self, call: TracedCall) -> None:
        task = self._tasks.get(call.task) or self._tasks.setdefault(call.task, _Task())
        task.calls[call.name] += 1
        task.errors[call.name] += call.failed
        if call.name in POLLS:
            judged = self._judge(call)
            task.polls[judged.poll] += 1
            if call.stack and judged.poll is Poll.BREAK:
                task.stacks[call.stack] += 1
            if judged.socket is not None:
                task.sockets[judged.socket] += 1
                self.unnamed_socket |= not judged.socket.kind

    @property
    def seconds(self) -> float | None:
        """From the first time stamp to the last; None for text without two of them."""
        if self._first_s is None or self._last_s <= self._first_s:
            return None
        return self._last_s - self._first_s

    def processes(self) -> tuple[tuple[ProcessTotals, int], ...]:
        """Each process with how many of its polls could not be told apart; threads are added to
        theirs where the text tells whose they are."""
        return tuple(
            (_totals(pid, task), task.polls[Poll.UNDECIDED]) for pid, task in self._merged()
        )

    def stacks(self) -> dict[tuple[int, int], tuple[NamedStack, ...]]:
        """The stacks at each process's break polls, where the text has any."""
        found = {(pid, 0): stacks_at_polls(task.stacks) for pid, task in self._merged()}
        return {process: stacks for process, stacks in found.items() if stacks}

    def _merged(self) -> list[tuple[int, _Task]]:
        merged: dict[int, _Task] = {}
        for number, task in self._tasks.items():
            merged.setdefault(self._process(number), _Task()).add(task)
        return sorted(merged.items())

    def _process(self, task: int) -> int:
        if task == 0:
            # A command's first process is named only once there is a second.
            first = self._tasks.keys() - self._born - {0}
            return next(iter(first)) if len(first) == 1 else 0
        seen = {task}
        while (owner := self._owner.get(task, task)) not in seen:
            seen.add(owner)
            task = owner
        return task or self._process(0)


def _totals(pid: int, task: _Task) -> ProcessTotals:
    sockets = Counter[SocketPolls](task.sockets)
    return ProcessTotals(
        pid=pid,
        start_ticks=0,
        cpu_s=0.0,
        break_polls=task.polls[Poll.BREAK],
        other_polls=task.polls[Poll.OTHER],
        sockets=tuple(
            SocketPolls(each.fd, each.kind, each.local, each.peer, polls)
            for each, polls in sorted(sockets.items(), key=lambda item: (-item[1], item[0].fd))
        ),
        syscalls=tuple(
            Syscall(-1, name, calls, task.errors[name])
            for name, calls in sorted(task.calls.items())
        ),
        stacks=(),
    )


def add_all(tally: Tally, events: Iterable[TracedCall | Born | Moment | Unread]) -> Tally:
    """Feed a tally everything; the same tally."""
    for event in events:
        tally.add(event)
    return tally
