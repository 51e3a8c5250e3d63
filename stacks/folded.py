# SPDX-License-Identifier: GPL-2.0-or-later
"""Stacks counted by their names, and the text form every stack tool reads: `main;f;g 42`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from polltrace.stacks.errors import FormatError
from polltrace.stacks.frame import Frame

Folded = Mapping[tuple[str, ...], int]
"""How often each stack was seen; a stack is function names, outermost first."""

MOST_DIGITS = 18
KERNEL_SUFFIX = "_[k]"
"""Marks a kernel function, as the usual tools that fold perf's output do."""


def fold(stacks: Iterable[tuple[Sequence[Frame], int]]) -> dict[tuple[str, ...], int]:
    """Count (frames innermost first, how often) by function names; see KERNEL_SUFFIX."""
    counts: dict[tuple[str, ...], int] = {}
    for frames, count in stacks:
        names = tuple(f.name + KERNEL_SUFFIX * f.kernel for f in reversed(frames))
        counts[names] = counts.get(names, 0) + count
    return counts


def write_folded(folded: Folded) -> str:
    """One line per stack, sorted, so that two files of the same profile are the same text."""
    lines = (f"{';'.join(map(_safe, names))} {n}" for names, n in folded.items() if names)
    return "".join(f"{line}\n" for line in sorted(lines))


def write_folded_pair(before: Folded, after: Folded) -> str:
    """One line per stack of either profile with both counts, as tools that compare read it."""
    stacks = before.keys() | after.keys()
    lines = (
        f"{';'.join(map(_safe, names))} {before.get(names, 0)} {after.get(names, 0)}"
        for names in stacks
        if names
    )
    return "".join(f"{line}\n" for line in sorted(lines))


def parse_folded(text: str) -> dict[tuple[str, ...], int]:
    """The stacks of folded text, equal ones added up; empty lines are left out.

    FormatError names the line that does not end in a count.
    """
    counts: dict[tuple[str, ...], int] = {}
    for number, line in enumerate(text.split("\n"), 1):
        stripped = line.strip()
        if not stripped:
            continue
        names, _, count = stripped.rpartition(" ")
        if not (count.isascii() and count.isdigit() and len(count) <= MOST_DIGITS and names):
            raise FormatError(f"line {number} is not `function;function count`: {line[:60]!r}")
        key = tuple(names.strip().split(";"))
        counts[key] = counts.get(key, 0) + int(count)
    return counts


def total(folded: Folded) -> int:
    """All samples."""
    return sum(folded.values())


def _safe(name: str) -> str:
    """A name that cannot end its frame or its line."""
    return " ".join(name.replace(";", ":").split()) or "[empty]"
