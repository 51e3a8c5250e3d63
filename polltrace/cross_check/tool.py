# SPDX-License-Identifier: GPL-2.0-or-later
"""The interface of an independent tool, and the measurement that it returns."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Protocol, Self

from polltrace.cross_check.readings import Reading
from polltrace.cross_check.tool_process import ToolCost


@dataclass(frozen=True, slots=True)
class ToolCounts:
    """The counts of one tool between two readings.

    `slack` is the number of calls that may have been under way at an edge of its window: polltrace
    counts a call by name as it returns, most tools as it begins. Break polls are counted as they
    begin.
    `is_complete` is False for a tool that leaves part of a figure out.
    """

    name: str
    start: Reading
    end: Reading
    cost: ToolCost
    slack: int = 0
    is_complete: bool = True


def threads(pid: int) -> int:
    """The number of threads, each of which may be in a call; 0 of a process that has ended."""
    try:
        return len(list(Path(f"/proc/{pid}/task").iterdir()))
    except OSError:
        return 0


class Tool(Protocol):
    """An independent tool on one process: attached by __init__, counting at begin() at the latest.

    Raises HostError where it cannot attach, or does not count.
    """

    name: str

    def begin(self) -> None: ...

    def end(self) -> ToolCounts: ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None: ...
