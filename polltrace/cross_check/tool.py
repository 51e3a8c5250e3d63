# SPDX-License-Identifier: GPL-2.0-or-later
"""The interface of an independent tool, and the measurement that it returns."""

from __future__ import annotations

from dataclasses import dataclass
from types import TracebackType
from typing import Protocol, Self

from polltrace.cross_check.readings import Reading
from polltrace.cross_check.tool_process import ToolCost


@dataclass(frozen=True, slots=True)
class ToolCounts:
    """The counts of one tool between two readings.

    `slack` is the number of calls that it may count more or fewer because they were under way at an
    edge of its window; `is_complete` is False for a tool that leaves part of a figure out.
    """

    name: str
    start: Reading
    end: Reading
    cost: ToolCost
    slack: int = 0
    is_complete: bool = True


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
