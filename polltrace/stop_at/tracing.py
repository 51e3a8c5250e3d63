# SPDX-License-Identifier: GPL-2.0-or-later
"""Limits of tracing, the handling of its stops, and the reasons why it ends."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Protocol


class End(Enum):
    """Why tracing ended."""

    FOUND = "the visitor has what it wanted"
    LATE = "time is over"
    ASKED = "we were asked to end"
    SUSPENDED = "the process that started us was suspended"
    GONE = "all processes have ended"


@dataclass(frozen=True, slots=True)
class Limits:
    """`wait_s` in all (None: until asked); `stop_s` without a sign of life, after which the kernel
    ends the tracer and lets its targets run."""

    wait_s: float | None
    stop_s: float


class Visitor(Protocol):
    """The work done at the stops of a traced thread. True ends the tracing."""

    def at_call(self, pid: int, tid: int) -> bool:
        """At a system call's entry or exit."""
        ...

    def at_exec(self, pid: int) -> bool:
        """The process runs another program now."""
        ...
