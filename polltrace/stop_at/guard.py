# SPDX-License-Identifier: GPL-2.0-or-later
"""Starts the holder and sees that it never keeps a process stopped for long.

The holder is a process of its own, so that its end is a release: it dies with us, it dies when it
is over time, and it dies when it does not answer, be it because someone stopped it.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import pickle
import select
import signal
import struct
import time
from dataclasses import dataclass

from polltrace.stop_at.capture import GONE, Outcome, Refused, Wanted
from polltrace.stop_at.holder import STACK_BYTES, Holder
from polltrace.stop_at.threads import state, threads

_PR_SET_PDEATHSIG = 1
_LOOK_EVERY_MS = 5
_BEATS, _LENGTH, _PAYLOAD = 0, 8, 16
LATE, HELD_UP = "late", "held up"

_libc = ctypes.CDLL(None)


@dataclass(frozen=True, slots=True)
class Watch:
    """`wait_s` for the call, `stop_s` at most in any one stop."""

    wait_s: float
    stop_s: float


def stop_at(pid: int, wanted: Wanted, watch: Watch) -> Outcome:
    """Trace `pid` until the wanted call. The process runs on when this returns, however it does."""
    shared = mmap.mmap(-1, STACK_BYTES + (64 << 10))
    us = os.getpid()
    holder = os.fork()
    if holder == 0:
        _hold(us, pid, wanted, shared)
    pidfd = os.pidfd_open(holder)
    try:
        why = _guard(pid, holder, pidfd, shared, watch)
    finally:
        signal.pidfd_send_signal(pidfd, signal.SIGKILL)
        os.waitpid(holder, 0)
        os.close(pidfd)
    length = struct.unpack_from("=Q", shared, _LENGTH)[0]
    if length:
        outcome: Outcome = pickle.loads(shared[_PAYLOAD : _PAYLOAD + length])
        return outcome
    return Refused(0, why or HELD_UP)


def _hold(parent: int, pid: int, wanted: Wanted, shared: mmap.mmap) -> None:
    """The holder's life. It never returns, and leaves by _exit: there is nothing to clean up."""
    try:
        _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        os.setsid()  # Ctrl-Z and Ctrl-C are for our parent
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_DFL)
        if os.getppid() == parent:
            beats = 0

            def beat() -> None:
                nonlocal beats
                beats += 1
                struct.pack_into("=Q", shared, _BEATS, beats)

            payload = pickle.dumps(Holder(pid, wanted, beat).outcome())
            shared[_PAYLOAD : _PAYLOAD + len(payload)] = payload
            struct.pack_into("=Q", shared, _LENGTH, len(payload))
    finally:
        os._exit(0)


def _guard(pid: int, holder: int, pidfd: int, shared: mmap.mmap, watch: Watch) -> str:
    """Until the holder ends (then empty), or should: why."""
    ended = select.poll()
    ended.register(pidfd, select.POLLIN)
    deadline = time.monotonic() + watch.wait_s
    beats, since = -1, time.monotonic()
    while not ended.poll(_LOOK_EVERY_MS):
        now = time.monotonic()
        if now > deadline:
            return LATE
        if state(holder, holder) in ("T", "t"):
            return HELD_UP
        letters = [state(pid, tid) for tid in threads(pid)]
        beaten = struct.unpack_from("=Q", shared, _BEATS)[0]
        if beaten != beats or "t" not in letters:
            beats, since = beaten, now
        elif now - since > watch.stop_s:
            return HELD_UP
        if not letters:
            return GONE
    return ""
