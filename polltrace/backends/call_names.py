# SPDX-License-Identifier: GPL-2.0-or-later
"""Names of system calls as tracers of several systems print them."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

# Solaris waits on an event port by `portfs`, BSD on a queue by `kevent`.
_SETS = frozenset({"portfs", "port_getn", "kevent"})
_POLL = re.compile(r"poll|select")
_SET_UP = re.compile(r"create|ctl|destroy")
# AIX puts an n, k or e in front of the usual name.
_TRANSFER = re.compile(
    r"[nke]?(readv?|recv|recvfrom|recvmsg|accept|accept4|writev?|send|sendto|sendmsg|connect)"
    r"|getmsg|putmsg"
)


def plain_name(name: str) -> str:
    """The name without the underscores that AIX (`_poll`) and i386 (`_newselect`) put first."""
    return name.lstrip("_")


def is_poll(name: str) -> bool:
    """Whether the call waits for descriptors, or looks whether they are ready."""
    plain = plain_name(name)
    if plain in _SETS:
        return True
    return bool(_POLL.search(plain)) and not _SET_UP.search(plain)


@cache
def _no_polls() -> frozenset[str]:
    text = files("polltrace").joinpath("data/system_calls.txt").read_text("utf-8")
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    return frozenset(" ".join(lines).split())


def may_be_poll(name: str) -> bool:
    """Whether a call that `is_poll` rejects may be one all the same: its name is not known here, as
    where it was damaged, or where a number stands in its place."""
    plain = plain_name(name)
    is_set_up = _POLL.search(plain) and _SET_UP.search(plain)
    return not (is_poll(name) or is_set_up or plain in _no_polls())


def is_transfer(name: str) -> bool:
    """Whether the call reads from a descriptor, writes to it, or opens a connection."""
    return _TRANSFER.fullmatch(plain_name(name)) is not None
