# SPDX-License-Identifier: GPL-2.0-or-later
"""Waiting for an event that comes a moment later, and on a busy machine a good while later."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest

# Upper bound; only a failing test waits this long.
PATIENCE_S = float(os.environ.get("POLLTRACE_PATIENCE_S", "120"))

T = TypeVar("T")


def until(wanted: Callable[[], T | None], what: str = "what was waited for") -> T:
    """The first true value that `wanted` returns; the test fails where there is none."""
    deadline = time.monotonic() + PATIENCE_S
    while not (found := wanted()):
        if time.monotonic() > deadline:
            pytest.fail(f"after {PATIENCE_S:g} s there is not yet: {what}")
        time.sleep(0.02)
    return found


def is_asleep(pid: int) -> bool:
    """Whether process `pid` waits within a system call, as proc(5) says it (state S)."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "S"


def cpu_s(pid: int) -> float:
    """Seconds that the first thread of process `pid` has been on a processor."""
    return int(Path(f"/proc/{pid}/schedstat").read_text().split()[0]) / 1e9


def children(pid: int, name: str) -> list[int]:
    """The PIDs of the processes called `name` that process `pid` started and has not awaited."""
    found = []
    for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
        try:
            called = Path(f"/proc/{child}/comm").read_text().strip()
        except OSError:  # it has ended since
            continue
        if called == name:
            found.append(int(child))
    return found
