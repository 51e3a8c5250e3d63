# SPDX-License-Identifier: GPL-2.0-or-later
"""Where clients run, and where servers do: apart, so that neither waits for the other."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Collection, Iterator


def processors() -> tuple[int, int]:
    """The clients', and the servers'; on a host with one they are the same."""
    ours = sorted(os.sched_getaffinity(0))
    return ours[0], ours[-1]


@contextlib.contextmanager
def moved_to(these: Collection[int]) -> Iterator[None]:
    """This thread runs there meanwhile, and what it starts for good.

    A child has our affinity from its first instruction on: a JVM sizes itself by it.
    """
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, these)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)
