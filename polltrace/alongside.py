# SPDX-License-Identifier: GPL-2.0-or-later
"""Work in a thread of its own while something else is measured."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator


@contextlib.contextmanager
def alongside(work: Callable[[threading.Event], None]) -> Iterator[None]:
    """Runs `work` until the block ends, and waits for it. It is to end soon after the event that it
    is given is set. Its exceptions are lost."""
    over = threading.Event()
    thread = threading.Thread(target=work, args=(over,), daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
