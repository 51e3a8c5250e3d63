# SPDX-License-Identifier: GPL-2.0-or-later
"""Work on many processes, each within a time of its own: the trouble of one is not the others'.

The work runs in a child process that is abandoned when a read of it hangs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

from polltrace.stacks.errors import UnansweredError
from polltrace.stacks.reading_process import ReadingProcess

Item = TypeVar("Item")
Result = TypeVar("Result")


def each_within(
    items: Sequence[Item], work: Callable[[Item], Result], patience_s: float
) -> Iterator[tuple[Item, Result | None]]:
    """Each item with the result of `work`; None where that took longer than `patience_s`.

    Exceptions of `work` are passed on.
    """
    return latest_within(items, lambda item: [work(item)], patience_s)


def latest_within(
    items: Sequence[Item], work: Callable[[Item], Iterable[Result]], patience_s: float
) -> Iterator[tuple[Item, Result | None]]:
    """Each item with the last result of `work`, or with the last that came before the one that
    took longer than `patience_s`; None where there was none.

    Exceptions of `work` are passed on.
    """

    def improving(some: Sequence[Item]) -> Iterator[tuple[bool, Result | None]]:
        for item in some:
            for result in work(item):
                yield False, result
            yield True, None

    remaining = list(items)
    while remaining:
        finished = 0
        latest: Result | None = None
        try:
            with ReadingProcess(improving) as process:
                for is_last, result in process.replies(remaining, patience_s):
                    if is_last:
                        yield remaining[finished], latest
                        finished, latest = finished + 1, None
                    else:
                        latest = result
        except UnansweredError:
            yield remaining[finished], latest
            finished += 1
        remaining = remaining[finished:]
