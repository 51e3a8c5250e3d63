# SPDX-License-Identifier: GPL-2.0-or-later
"""What /proc says of a process's threads, and which of them may be interrupted unharmed."""

from __future__ import annotations

import os

from polltrace.stop_at.syscalls import NUMBERS

# Interrupted in one of these the kernel starts it again by itself, unseen by the program
# (signal(7)). In others, semtimedop and epoll_wait among them, the program would see EINTR.
_RESTARTED = frozenset(
    NUMBERS[name]
    for name in ("poll", "ppoll", "select", "pselect6", "nanosleep", "futex", "wait4", "waitid")
)


def threads(pid: int) -> list[int]:
    """The thread IDs of a process; none when it is gone."""
    try:
        return [int(name) for name in os.listdir(f"/proc/{pid}/task")]
    except OSError:
        return []


def state(pid: int, tid: int) -> str:
    """The letter that ps shows: R, S, D, T, t, Z; empty when the thread is gone."""
    try:
        with open(f"/proc/{pid}/task/{tid}/stat", "rb", buffering=0) as file:
            fields = file.read().rpartition(b")")[2].split()
    except OSError:
        return ""
    return fields[0].decode() if fields else ""


def status(pid: int, key: str) -> int:
    """A number of /proc/PID/status, 0 when there is none."""
    try:
        with open(f"/proc/{pid}/status", "rb", buffering=0) as file:
            text = file.read().decode(errors="replace")
    except OSError:
        return 0
    words = text.partition(f"\n{key}:")[2].split(maxsplit=1)
    return int(words[0]) if words else 0


def may_interrupt(pid: int, tid: int) -> bool:
    """Whether an interruption would go unnoticed: it runs, or sleeps in what is restarted."""
    letter = state(pid, tid)
    if letter != "S":
        return letter == "R"
    try:
        with open(f"/proc/{pid}/task/{tid}/syscall", "rb", buffering=0) as file:
            words = file.read().split()
        number = int(words[0])
        if number == NUMBERS["read"]:
            # A read of a socket with a timeout of its own is not restarted; of a pipe it is.
            return os.readlink(f"/proc/{pid}/fd/{int(words[1], 16)}").startswith("pipe:")
    except (OSError, ValueError, IndexError):
        return False
    return number in _RESTARTED
