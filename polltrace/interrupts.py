# SPDX-License-Identifier: GPL-2.0-or-later
"""Ctrl-C as the usual end of watching, not as an accident."""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Callable, Iterator
from types import FrameType


@contextlib.contextmanager
def detaching(detach: Callable[[], None]) -> Iterator[None]:
    """Within, Ctrl-C and SIGTERM call `detach`; what was seen until then is still to be read."""

    def handle(_number: int, _frame: FrameType | None) -> None:
        detach()

    numbers = (signal.SIGINT, signal.SIGTERM)
    before = {number: signal.signal(number, handle) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
