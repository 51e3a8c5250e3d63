# SPDX-License-Identifier: GPL-2.0-or-later
"""Parts of a folded profile: stacks with or without a function, stacks seen from a function."""

from __future__ import annotations

import re
from collections.abc import Callable

from polltrace.stacks.errors import FormatError
from polltrace.stacks.folded import Folded


def matching(pattern: str) -> Callable[[str], bool]:
    """Whether a whole function name matches a regular expression. FormatError if it is none."""
    try:
        compiled = re.compile(pattern)
    except re.error as error:
        raise FormatError(f"not a regular expression: {pattern!r} ({error})") from error
    return lambda name: compiled.fullmatch(name) is not None


def holding(folded: Folded, predicate: Callable[[str], bool]) -> dict[tuple[str, ...], int]:
    """Only the stacks in which some function is wanted."""
    return {names: n for names, n in folded.items() if any(map(predicate, names))}


def lacking(folded: Folded, unwanted: Callable[[str], bool]) -> dict[tuple[str, ...], int]:
    """Only the stacks in which no function is unwanted."""
    return {names: n for names, n in folded.items() if not any(map(unwanted, names))}


def beneath(folded: Folded, predicate: Callable[[str], bool]) -> dict[tuple[str, ...], int]:
    """The stacks from the outermost wanted function inwards; those without one are left out."""
    counts: dict[tuple[str, ...], int] = {}
    for names, n in folded.items():
        index = next((i for i, name in enumerate(names) if predicate(name)), None)
        if index is not None:
            counts[names[index:]] = counts.get(names[index:], 0) + n
    return counts


def grouped(folded: Folded, group: Callable[[str], str]) -> dict[tuple[str, ...], int]:
    """Each function replaced by its group, neighbours of one group merged into one step."""
    counts: dict[tuple[str, ...], int] = {}
    for names, n in folded.items():
        groups = [group(name) for name in names]
        key = tuple(g for i, g in enumerate(groups) if i == 0 or g != groups[i - 1])
        counts[key] = counts.get(key, 0) + n
    return counts
