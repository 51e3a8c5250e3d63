# SPDX-License-Identifier: GPL-2.0-or-later
"""How the addresses of a stack were found, and why the walk along it stopped.

The probe, `stop-at` and recordings use these names (probes/frames.schema.json).
"""

from __future__ import annotations

from enum import StrEnum


class Found(StrEnum):
    """How one address of a stack was found; a letter in the probe's records."""

    REGISTER = "r"
    """The instruction at which the thread stood."""
    RULES = "t"
    """By the unwind rules (.eh_frame) of the function that it called."""
    SIGNAL = "s"
    """Where a signal interrupted the thread: the exact instruction, not a return address."""
    POINTER = "f"
    """By a frame pointer that no rule confirms: a guess, which may skip callers."""


class StackStop(StrEnum):
    """Why a walk along a stack stopped."""

    UNKNOWN = "unknown"
    """The walker does not say: the kernel's walk along frame pointers, strace, old recordings."""
    START = "start"
    """The thread began here: by its rules the code has no return address."""
    DEPTH = "depth"
    """The stack is deeper than the part that was kept."""
    NO_RULES = "no-rules"
    """The code has no unwind rules, and there is no frame pointer to follow."""
    NO_ROOM = "no-room"
    """The unwind table of the code did not fit into the probe's memory."""
    UNSUPPORTED = "unsupported"
    """The rules are a DWARF expression that is not understood."""
    UNREADABLE = "unreadable"
    """The stack's memory could not be read."""
    NOT_CODE = "not-code"
    """The return address lies in no executable mapping."""
    NOT_CALL = "not-call"
    """No call instruction precedes the return address."""
    NO_PROGRESS = "no-progress"
    """The caller's frame does not lie above that of the function it called."""


def stop_named(name: str) -> StackStop:
    """The reason of that name; UNKNOWN for a name that a newer probe may use."""
    try:
        return StackStop(name)
    except ValueError:
        return StackStop.UNKNOWN
