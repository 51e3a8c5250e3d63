# SPDX-License-Identifier: GPL-2.0-or-later
"""Messages to systemd, sd_notify(3): that we are ready, and that we are alive."""

from __future__ import annotations

import contextlib
import os
import socket
import time
from collections.abc import Callable

# Of a busy host's probe.
_GRACE_S = 15.0


def notify(message: str) -> None:
    """Send it to NOTIFY_SOCKET; nothing without a service manager."""
    address = os.environ.get("NOTIFY_SOCKET", "")
    if not address:
        return
    name = f"\0{address[1:]}" if address.startswith("@") else address
    with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sending:
        sending.connect(name)
        sending.send(message.encode())


class Watchdog:
    """Reports at each `turn` that we are alive, while frames come every `interval_s` seconds."""

    def __init__(self, interval_s: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock, self._patience_s = clock, 3 * interval_s + _GRACE_S
        self._frame_at = clock()

    def frame(self) -> None:
        self._frame_at = self._clock()

    def turn(self) -> None:
        if self._clock() - self._frame_at <= self._patience_s:
            notify("WATCHDOG=1")
