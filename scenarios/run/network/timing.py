# SPDX-License-Identifier: GPL-2.0-or-later
"""Waits that end when they should."""

from __future__ import annotations

import ctypes
import time

_PR_SET_TIMERSLACK = 29  # linux/prctl.h; for threads that are made later
SPIN_S = 150e-6
"""A sleeping processor wakes up this much too late: for the last of a delay it is kept awake."""


def without_timer_slack() -> None:
    """The kernel ends this process's waits up to 50 us late otherwise."""
    ctypes.CDLL(None).prctl(_PR_SET_TIMERSLACK, 1, 0, 0, 0)


def wait_until(moment_s: float) -> None:
    """Wait until time.monotonic() is `moment_s`."""
    while (remaining_s := moment_s - time.monotonic()) > 0:
        if remaining_s > SPIN_S:
            time.sleep(remaining_s - SPIN_S)
