# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads /proc of one process without touching it. A process that is gone reads empty.

Written for thousands of processes: os and plain strings, which cost a quarter of pathlib.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

from polltrace.each_within import each_within

PROC = Path("/proc")
# The longest wait for one process before it counts as not answering.
PATIENCE_S = 1.0
# A process may declare all of its memory to be its arguments or environment (prctl(2)).
_LONGEST = 1 << 21


def pids() -> Iterator[int]:
    return (int(name) for name in os.listdir(PROC) if name.isdecimal())


def title(pid: int) -> str:
    """The process title as ps prints it: the arguments, joined by blanks. Empty for a process that
    does not answer in PATIENCE_S: its arguments may lie in a file that it maps, and reading them
    then waits for that file's server."""
    ((_, text),) = titles([pid])
    return text


def titles(some: Iterable[int]) -> Iterator[tuple[int, str]]:
    """Each of these processes with its title."""
    titles_read = each_within(list(some), title_unbounded, PATIENCE_S)
    return ((pid, title or "") for pid, title in titles_read)


def title_unbounded(pid: int) -> str:
    """The title, waited for without end: for callers that have a deadline of their own."""
    return _bytes(pid, "cmdline").replace(b"\0", b" ").decode(errors="replace").strip()


def executable(pid: int) -> str:
    """The file name of the executable; empty for kernel threads and without permission."""
    return _link(pid, "exe").rpartition("/")[2].removesuffix(" (deleted)")


def environ(pid: int, names: Iterable[str]) -> dict[str, str]:
    """Variables of the environment at the process's start; empty without permission."""
    text = b"\0" + _bytes(pid, "environ")
    values = {}
    for name in names:
        _, is_set, tail = text.partition(f"\0{name}=".encode())
        if is_set:
            values[name] = tail.partition(b"\0")[0].decode(errors="replace")
    return values


def root(pid: int) -> Path:
    """The process's root directory: a container's, seen from outside."""
    return PROC / str(pid) / "root"


def ancestors() -> set[int]:
    """This process, its parent, the parent's parent, and so on to the first."""
    ancestors: set[int] = set()
    pid = os.getpid()
    while pid and pid not in ancestors:
        ancestors.add(pid)
        fields = _bytes(pid, "stat").rpartition(b")")[2].split()
        pid = int(fields[1]) if len(fields) > 1 else 0
    return ancestors


def network(pid: int) -> str:
    """The process's network namespace, by a name that is unique on this host."""
    return _link(pid, "ns/net")


def start_ticks(pid: int) -> int | None:
    """Start of the process in clock ticks since boot, its identity together with the PID."""
    # The second field is the name in brackets and may hold blanks and brackets itself.
    fields = _bytes(pid, "stat").rpartition(b")")[2].split()
    return int(fields[19]) if len(fields) > 19 else None


def started_at(start_ticks: int) -> float:
    """Start of the process in seconds since the epoch; setting the clock moves it."""
    since_boot = time.clock_gettime(time.CLOCK_BOOTTIME)
    return time.time() - since_boot + start_ticks / os.sysconf("SC_CLK_TCK")


def cpu_s(pid: int) -> float | None:
    """CPU seconds of the process so far, user and kernel; None where it is gone."""
    fields = _bytes(pid, "stat").rpartition(b")")[2].split()
    if len(fields) < 13:
        return None
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def threads(pid: int) -> int:
    """Number of threads of the process; 0 where it has ended."""
    fields = _bytes(pid, "stat").rpartition(b")")[2].split()
    return int(fields[17]) if len(fields) > 17 else 0


def on_cpu_or_waiting_for_one_s(pid: int) -> float | None:
    """Seconds of the process running or ready to run; None where the kernel has no schedstat."""
    fields = _bytes(pid, "schedstat").split()
    return 1e-9 * (int(fields[0]) + int(fields[1])) if len(fields) > 1 else None


def running_s(pid: int) -> float | None:
    """CPU seconds of the process's first thread so far, to the nanosecond; None where the kernel
    has no schedstat."""
    fields = _bytes(pid, "schedstat").split()
    return 1e-9 * int(fields[0]) if fields else None


def program(pid: int) -> str:
    """The path of the executable, as the process sees it."""
    return _link(pid, "exe").removesuffix(" (deleted)")


def effective_uid(pid: int) -> int | None:
    """The user whose rights the process has; None where it is gone."""
    ids = _bytes(pid, "status").partition(b"\nUid:\t")[2].partition(b"\n")[0].split()
    return int(ids[1]) if len(ids) > 1 else None


def catches(pid: int, number: signal.Signals) -> bool:
    """Return True if the process has a handler for this signal."""
    caught = _bytes(pid, "status").partition(b"\nSigCgt:\t")[2].partition(b"\n")[0]
    return bool(int(caught or b"0", 16) >> (number - 1) & 1)


def socket_fds(pid: int) -> dict[int, int]:
    """Socket inode by file descriptor."""
    try:
        fds = os.listdir(f"/proc/{pid}/fd")
    except OSError:
        return {}
    targets = {int(fd): _link(pid, f"fd/{fd}") for fd in fds}
    return {
        fd: int(target[len("socket:[") : -1])
        for fd, target in targets.items()
        if target.startswith("socket:[")
    }


def _link(pid: int, name: str) -> str:
    try:
        return os.readlink(f"/proc/{pid}/{name}")
    except OSError:
        return ""


def _bytes(pid: int, name: str) -> bytes:
    try:
        with open(f"/proc/{pid}/{name}", "rb", buffering=0) as file:
            return file.read(_LONGEST)
    except OSError:
        return b""
