# SPDX-License-Identifier: GPL-2.0-or-later
"""Processes that keep a schedule: the kernel wakes them when their sleep is over, and lets them run
before others."""

from __future__ import annotations

import contextlib
import ctypes
import os
import struct
from collections.abc import Iterator

from polltrace.errors import HostError

_PR_SET_TIMERSLACK = 29
_SLACK_NS = 1000
"""Instead of 50 us, by which a sleep may end late."""
_SETATTR, _GETATTR = 314, 315  # of x86-64
_SLICE_NS = 100_000
"""The kernel's least. Since Linux 6.12 one that wakes up with a shorter slice goes before a process
that runs; older kernels take no notice."""
_ATTR = struct.Struct("=IIQiIQQQII")  # struct sched_attr (sched(7)); the slice is its runtime
_RUNTIME = 5
_libc = ctypes.CDLL(None)


@contextlib.contextmanager
def punctual_children(*, real_time: bool = False) -> Iterator[None]:
    """Schedule the children that this thread starts in the block, and theirs. With `real_time` they
    have the lowest real-time priority, so all ordinary processes on their processors wait for them.
    Raises HostError where that is not permitted."""
    previous = _attributes()
    _libc.prctl(_PR_SET_TIMERSLACK, _SLACK_NS, 0, 0, 0)
    if previous:
        _set(_SLICE_NS, previous)
    try:
        if real_time:
            _set_real_time()
        yield
    finally:
        _libc.prctl(_PR_SET_TIMERSLACK, 0, 0, 0, 0)  # the default again
        if previous:
            _set(previous[_RUNTIME], previous)


def _set_real_time() -> None:
    try:
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))
    except PermissionError:
        raise HostError("a real-time priority takes root (CAP_SYS_NICE)") from None


def _attributes() -> tuple[int, ...] | None:
    """The scheduling attributes of this thread; None under an unusual policy."""
    data = ctypes.create_string_buffer(_ATTR.size)
    if _libc.syscall(_GETATTR, 0, data, _ATTR.size, 0):
        return None
    attributes = _ATTR.unpack(data)
    return attributes if attributes[1] == 0 else None


def _set(runtime_ns: int, attributes: tuple[int, ...]) -> None:
    values = (*attributes[:_RUNTIME], runtime_ns, *attributes[_RUNTIME + 1 :])
    _libc.syscall(_SETATTR, 0, _ATTR.pack(*values), 0)
