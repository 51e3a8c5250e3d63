# SPDX-License-Identifier: GPL-2.0-or-later
"""What /proc says of one process, read without touching it. A process that is gone reads empty."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

PROC = Path("/proc")


def pids() -> Iterator[int]:
    with os.scandir(PROC) as entries:
        for entry in entries:
            if entry.name.isdecimal():
                yield int(entry.name)


def title(pid: int) -> str:
    """The process title as ps prints it: the arguments, joined by blanks."""
    return _bytes(pid, "cmdline").replace(b"\0", b" ").decode(errors="replace").strip()


def executable(pid: int) -> str:
    """The file name of the executable; empty for kernel threads and where we may not look."""
    try:
        return (PROC / str(pid) / "exe").readlink().name.removesuffix(" (deleted)")
    except OSError:
        return ""


def environ(pid: int) -> dict[str, str]:
    """The environment the process started with; empty where we may not look."""
    pairs = _bytes(pid, "environ").decode(errors="replace").split("\0")
    return dict(pair.split("=", 1) for pair in pairs if "=" in pair)


def root(pid: int) -> Path:
    """The process's root directory: a container's, seen from outside."""
    return PROC / str(pid) / "root"


def ancestors() -> set[int]:
    """This process, its parent, the parent's parent, and so on to the first."""
    found: set[int] = set()
    pid = os.getpid()
    while pid and pid not in found:
        found.add(pid)
        fields = _bytes(pid, "stat").rpartition(b")")[2].split()
        pid = int(fields[1]) if len(fields) > 1 else 0
    return found


def network(pid: int) -> str:
    """The process's network namespace, by a name that is unique on this host."""
    try:
        return os.readlink(PROC / str(pid) / "ns" / "net")
    except OSError:
        return ""


def start_ticks(pid: int) -> int | None:
    """When the process started, in clock ticks since boot: with the PID, its identity."""
    # The second field is the name in brackets and may hold blanks and brackets itself.
    fields = _bytes(pid, "stat").rpartition(b")")[2].split()
    return int(fields[19]) if len(fields) > 19 else None


def catches(pid: int, number: signal.Signals) -> bool:
    """Whether the process has a handler for this signal."""
    for line in _bytes(pid, "status").splitlines():
        if line.startswith(b"SigCgt:"):
            return bool(int(line.split()[1], 16) >> (number - 1) & 1)
    return False


def socket_fds(pid: int) -> dict[int, int]:
    """Socket inode by file descriptor."""
    found: dict[int, int] = {}
    directory = PROC / str(pid) / "fd"
    try:
        names = os.listdir(directory)
    except OSError:
        return found
    for name in names:
        try:
            target = os.readlink(f"{directory}/{name}")
        except OSError:
            continue
        if target.startswith("socket:["):
            found[int(name)] = int(target[8:-1])
    return found


def _bytes(pid: int, name: str) -> bytes:
    try:
        return (PROC / str(pid) / name).read_bytes()
    except OSError:
        return b""
