# SPDX-License-Identifier: GPL-2.0-or-later
"""The calls besides poll by which an engine may check its client's socket, read at their entry."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path

from polltrace.engines import Engine

# An engine's word for a call, and the system calls of x86-64 that it stands for.
CALL_NAMES = {
    "poll": ("poll", "ppoll"),
    "select": ("select", "pselect6"),
    "epoll_wait": ("epoll_wait", "epoll_pwait", "epoll_pwait2"),
    "recv": ("recvfrom", "recvmsg"),
}
_PEEK_AND_DONTWAIT = 0x42
# FD_SETSIZE; a set of more members is an event loop's.
_MOST_SELECTED, _MOST_MEMBERS = 1024, 32
_TIME_BYTES = 16
_MEMBER = re.compile(r"^tfd:\s+(\d+)", re.MULTILINE)

Read = Callable[[int, int], bytes]


def call_names(engine: Engine | None) -> list[str]:
    """The system calls that are checks in a process of the engine; poll alone without one."""
    calls = engine.calls if engine else ("poll",)
    return [name for call in calls for name in CALL_NAMES[call]]


def checked_fds(pid: int, name: str, arguments: Sequence[int], read: Read) -> list[int]:
    """The descriptors that the call asks about without waiting, lowest first; none where it waits
    or asks about several that cannot be one client's. `read(address, length)` reads its memory."""
    if name in CALL_NAMES["recv"]:
        flags = arguments[2 if name == "recvmsg" else 3]
        return [arguments[0]] if flags & _PEEK_AND_DONTWAIT == _PEEK_AND_DONTWAIT else []
    if name in CALL_NAMES["select"]:
        fds = _selected(arguments, read) if _is_zero(arguments[4], read) else []
        return fds if len(fds) == 1 else []
    if name in CALL_NAMES["epoll_wait"]:
        timeout = arguments[3]
        is_immediate = (
            _is_zero(timeout, read) if name == "epoll_pwait2" else not timeout & 0xFFFFFFFF
        )
        fds = _members(pid, arguments[0]) if is_immediate else []
        return fds if len(fds) <= _MOST_MEMBERS else []
    return []


def _is_zero(address: int, read: Read) -> bool:
    """A timeval or timespec of a 64-bit program; NULL waits for ever."""
    return bool(address) and read(address, _TIME_BYTES) == bytes(_TIME_BYTES)


def _selected(arguments: Sequence[int], read: Read) -> list[int]:
    below = arguments[0]
    if not 0 < below <= _MOST_SELECTED:
        return []
    size = (below + 63) // 64 * 8
    sets = [int.from_bytes(read(pointer, size), "little") for pointer in arguments[1:4] if pointer]
    members = [fd for mask in sets for fd in range(below) if mask >> fd & 1]
    return sorted(members)


def _members(pid: int, fd: int) -> list[int]:
    """The members of an epoll set. The process is stopped at the wait, so the set is the one it
    waits for."""
    try:
        text = Path(f"/proc/{pid}/fdinfo/{fd}").read_text(encoding="ascii", errors="replace")
    except OSError:
        return []
    return sorted(map(int, _MEMBER.findall(text)))
