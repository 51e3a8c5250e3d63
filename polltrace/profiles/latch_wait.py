# SPDX-License-Identifier: GPL-2.0-or-later
"""Recognition of stacks that wait for a latch, with the path to the latch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from polltrace.engines.engine import LatchFunctions
from polltrace.stacks import Frame


@dataclass(frozen=True, slots=True)
class LatchWait:
    """A stack in the get of a latch that was not free. `path`: the functions from the outermost one
    to that which gets the latch; `sleeps`: it is in the function that sleeps, not in one that
    spins."""

    path: tuple[str, ...]
    sleeps: bool


def latch_wait(frames: Sequence[Frame], functions: LatchFunctions) -> LatchWait | None:
    """The latch wait in user frames, innermost first; None where no latch is waited for."""
    names = [frame.name.partition(".")[0] for frame in frames]
    waits = functions.spins | functions.sleeps
    inner = next((depth for depth, name in enumerate(names) if name in waits), None)
    if inner is None:
        return None
    sleeps = names[inner] in functions.sleeps
    # A stack may lack the function that gets: then the one that spins ends its path.
    ends = [depth for depth in range(inner, len(names)) if names[depth] in functions.gets]
    if not ends:
        ends = [depth for depth in range(inner, len(names)) if names[depth] in functions.spins]
    if not ends:
        return None  # asleep for something else
    return LatchWait(tuple(reversed(names[ends[0] :])), sleeps)
