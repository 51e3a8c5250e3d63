# SPDX-License-Identifier: GPL-2.0-or-later
"""A deadline that needs nobody to run: the kernel kills this process when it is over.

A process that was stopped handles no signal and no other process need be there to see it; SIGKILL
from a timer of its own ends it all the same.
"""

from __future__ import annotations

import ctypes
import os
import signal
import struct
import time

_TIMER_CREATE, _TIMER_SETTIME = 222, 223  # x86-64; glibc has them in librt before 2.34
_SIGEV_SIGNAL = 0
_SIGEVENT = struct.Struct("=qii48x")
_ITIMERSPEC = struct.Struct("=4q")
_libc = ctypes.CDLL(None, use_errno=True)


class Deadline:
    """Kills this process `limit_s` after the last time that it was put off."""

    def __init__(self, limit_s: float) -> None:
        self._spec = _ITIMERSPEC.pack(0, 0, int(limit_s), int(limit_s % 1 * 1e9) or 1)
        self._timer = ctypes.c_int()
        event = _SIGEVENT.pack(0, signal.SIGKILL, _SIGEV_SIGNAL)
        _call(_TIMER_CREATE, time.CLOCK_MONOTONIC, event, ctypes.byref(self._timer))
        self._grain_s, self._again_s = limit_s / 16, 0.0
        self.put_off()

    def put_off(self) -> None:
        """Start counting anew. It may be called often: most calls need not reach the kernel."""
        if (time_s := time.monotonic()) >= self._again_s:
            _call(_TIMER_SETTIME, self._timer, 0, self._spec, None)
            self._again_s = time_s + self._grain_s


def _call(number: int, *arguments: object) -> None:
    if _libc.syscall(number, *arguments) == -1:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))
