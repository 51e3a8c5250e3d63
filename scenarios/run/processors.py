# SPDX-License-Identifier: GPL-2.0-or-later
"""Different processors for clients and servers, so that neither waits for the other."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Collection, Iterator


def processors() -> tuple[int, int]:
    """The clients' processor and the servers'; the same one on a host that has only one."""
    ours = sorted(os.sched_getaffinity(0))
    return ours[0], ours[-1]


def load_processors(server: str) -> set[int]:
    """The processors of a load's clients: with the lab all but the lab's, else all."""
    ours = os.sched_getaffinity(0)
    return ours - {processors()[1]} if server == "lab" and len(ours) > 1 else ours


@contextlib.contextmanager
def moved_to(these: Collection[int]) -> Iterator[None]:
    """Run this thread on these processors meanwhile, and its children for good.

    A child has our affinity from its first instruction on: a JVM sizes itself by it.
    """
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, these)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)
