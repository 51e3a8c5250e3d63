# SPDX-License-Identifier: GPL-2.0-or-later
"""A process's threads as /proc reports them."""

from __future__ import annotations

import os

# Not OSError: where this process may open no more files, that says nothing of the other one.
_GONE = (FileNotFoundError, ProcessLookupError, PermissionError)


def threads(pid: int) -> list[int]:
    """The thread IDs of a process; none when it is gone."""
    try:
        return [int(name) for name in os.listdir(f"/proc/{pid}/task")]
    except _GONE:
        return []


def state(pid: int, tid: int) -> str:
    """The letter that ps shows: R, S, D, T, t, Z; empty when the thread is gone."""
    try:
        with open(f"/proc/{pid}/task/{tid}/stat", "rb", buffering=0) as file:
            fields = file.read().rpartition(b")")[2].split()
    except _GONE:
        return ""
    return fields[0].decode() if fields else ""


def status(pid: int, key: str) -> int:
    """A number of /proc/PID/status, 0 when there is none."""
    try:
        with open(f"/proc/{pid}/status", "rb", buffering=0) as file:
            text = file.read().decode(errors="replace")
    except _GONE:
        return 0
    words = text.partition(f"\n{key}:")[2].split(maxsplit=1)
    return int(words[0]) if words else 0
