# SPDX-License-Identifier: GPL-2.0-or-later
"""Phrases for the events that a probe could not count or keep."""

from __future__ import annotations

from collections.abc import Mapping

# Calls that were under way when the probe attached: no loss to anything shown.
_UNTIMED = "times"
# The probe's names for its losses (probes/output/frames.c): one of them, and several.
_WORDS = {
    "processes": (
        "process not counted (--max-processes)",
        "processes not counted (--max-processes)",
    ),
    "endpoints": ("poll without its socket", "polls without their socket"),
    "user_reads": (
        "poll with arguments that could not be read",
        "polls with arguments that could not be read",
    ),
    "stacks": ("stack not kept", "stacks not kept"),
    "syscalls": ("system call not counted", "system calls not counted"),
    "kernel_stacks": (
        "stack without its part in the kernel",
        "stacks without their part in the kernel",
    ),
    "threads": ("thread not followed", "threads not followed"),
    "wakeups": ("wake-up not seen", "wake-ups not seen"),
    "switches": ("switch to a thread not seen", "switches to threads not seen"),
    "runs": ("call that the probe missed", "calls that the probe missed"),
    "unwind_tables": (
        "file without its unwind table (--unwind-mb)",
        "files without their unwind tables (--unwind-mb)",
    ),
    "windows": ("window that was late", "windows that were late"),
    "processes_32bit": (
        "32-bit program, whose polls are not seen",
        "32-bit programs, whose polls are not seen",
    ),
}


def losses(lost: Mapping[str, int]) -> list[str]:
    """A phrase for each kind of loss in a frame's or a recording's `lost`, with its count. A kind
    that this release does not know keeps the probe's name."""
    return [_phrase(kind, count) for kind, count in lost.items() if count and kind != _UNTIMED]


def _phrase(kind: str, count: int) -> str:
    singular, plural = _WORDS.get(kind, (kind, kind))
    return f"{count:,} {singular if count == 1 else plural}"
