# SPDX-License-Identifier: GPL-2.0-or-later
"""Different processors for clients and servers, so that neither waits for the other."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Collection, Iterator

from polltrace.scenarios.plan.scenario import ALL_PROCESSORS, ONE_PROCESSOR


def processors() -> tuple[int, int]:
    """The clients' processor and the servers'; the same one on a host that has only one."""
    ours = sorted(os.sched_getaffinity(0))
    return ours[0], ours[-1]


def lab_processors(share: str = ONE_PROCESSOR) -> set[int]:
    """The processors of the lab, by one of LAB_PROCESSORS."""
    return os.sched_getaffinity(0) if share == ALL_PROCESSORS else {processors()[1]}


def load_processors(server: str, share: str = ONE_PROCESSOR) -> set[int]:
    """The processors of a load's clients; `share`: one of LAB_PROCESSORS."""
    ours = os.sched_getaffinity(0)
    return (ours - lab_processors(share) or ours) if server == "lab" else ours


@contextlib.contextmanager
def moved_to(chosen: Collection[int]) -> Iterator[None]:
    """Run this thread on the `chosen` processors in the block, and its children for good.

    A child has our affinity from its first instruction on: a JVM sizes itself by it.
    """
    previous = os.sched_getaffinity(0)
    os.sched_setaffinity(0, chosen)
    try:
        yield
    finally:
        os.sched_setaffinity(0, previous)
