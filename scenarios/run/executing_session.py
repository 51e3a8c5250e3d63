# SPDX-License-Identifier: GPL-2.0-or-later
"""A session that executes without a pause while something else measures it."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator

from polltrace.errors import PolltraceError


@contextlib.contextmanager
def kept_busy(execute: Callable[[], object]) -> Iterator[None]:
    """Context in which `execute` is called again and again in a thread of its own.

    Raises the error of `execute`, if it had one, when the context ends without an error.
    """
    over = threading.Event()
    errors: list[PolltraceError] = []

    def loop() -> None:
        try:
            while not over.is_set():
                execute()
        except PolltraceError as error:
            errors.append(error)

    thread = threading.Thread(target=loop)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
    if errors:
        raise errors[0]
