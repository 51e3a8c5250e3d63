# SPDX-License-Identifier: GPL-2.0-or-later
"""Ctrl-C as the usual end of an observation."""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Callable, Iterator
from types import FrameType


def ending() -> list[signal.Signals]:
    """The signals that ask polltrace to end, except those it was started to ignore (nohup)."""
    signals = (getattr(signal, name, None) for name in ("SIGINT", "SIGTERM", "SIGHUP"))
    return [number for number in signals if number and signal.getsignal(number) != signal.SIG_IGN]


@contextlib.contextmanager
def detaching(detach: Callable[[], None]) -> Iterator[None]:
    """Within, Ctrl-C, SIGTERM and a closed terminal call `detach`; the counts until then can still
    be read."""

    def handle(_number: int, _frame: FrameType | None) -> None:
        detach()

    handlers = {number: signal.signal(number, handle) for number in ending()}
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
