# SPDX-License-Identifier: GPL-2.0-or-later
"""Work on many processes, each within a time of its own: the trouble of one is not the others'.

To read a process's command line, environment or files may wait for that very process, or for a
file system that it mounted; no flag of open(2) prevents that.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from queue import Empty, SimpleQueue
from typing import Generic, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")
# Threads that wait for something hostile cannot be ended, only left behind.
_MOST_LEFT_BEHIND = 64
_left_behind: list[threading.Thread] = []


class _Worker(Generic[Item, Result]):
    """A thread that works on `items` one after the other."""

    def __init__(self, items: Sequence[Item], work: Callable[[Item], Result]) -> None:
        self._items, self._work = items, work
        self.results: SimpleQueue[Result | BaseException] = SimpleQueue()
        self.abandoned = False
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self) -> None:
        for item in self._items:
            if self.abandoned:
                return
            try:
                self.results.put(self._work(item))
            except BaseException as error:
                self.results.put(error)


def each_within(
    items: Sequence[Item], work: Callable[[Item], Result], seconds: float
) -> Iterator[tuple[Item, Result | None]]:
    """Each item with what `work` returns for it; None where that took longer than `seconds`.

    It is no longer waited for then, but not ended either: after 64 that never came back the rest
    is None at once. Exceptions of `work` are passed on.
    """
    remaining = list(items)
    while remaining:
        _left_behind[:] = [thread for thread in _left_behind if thread.is_alive()]
        if len(_left_behind) >= _MOST_LEFT_BEHIND:
            yield from ((item, None) for item in remaining)
            return
        worker = _Worker(remaining, work)
        finished = 0
        for item in remaining:
            try:
                result = worker.results.get(timeout=seconds)
            except Empty:
                worker.abandoned = True
                _left_behind.append(worker.thread)
                finished += 1
                yield item, None
                break
            if isinstance(result, BaseException):
                raise result
            finished += 1
            yield item, result
        remaining = remaining[finished:]
