# SPDX-License-Identifier: GPL-2.0-or-later
"""Stacks merged into a tree of calls, of one profile or of two side by side."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import takewhile

from polltrace.stacks.folded import Folded


@dataclass(frozen=True, slots=True)
class CalledFunction:
    """The function `name` called along one path; depth 0 is the root "all", its callees have depth
    1.

    before, after: samples of it and of all it calls, in the two profiles.
    """

    depth: int
    name: str
    before: int
    after: int


ROOT = "all"


def call_tree(after: Folded, before: Folded | None = None) -> tuple[CalledFunction, ...]:
    """Every call of both profiles, a caller before its callees, callees by name.

    Flat and without recursion: folded text from elsewhere may hold stacks of any depth.
    """
    rows: list[list[int]] = [[0, 0, 0]]
    names = [ROOT]
    path: list[int] = [0]
    shown: tuple[str, ...] = ()
    for stack, counts in _merged(after, before or {}):
        common = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(shown, stack)))  # noqa: B905
        del path[common + 1 :]
        for name in stack[common:]:
            path.append(len(rows))
            rows.append([len(path) - 1, 0, 0])
            names.append(name)
        for at in path:
            rows[at][1] += counts[0]
            rows[at][2] += counts[1]
        shown = stack
    return tuple(
        CalledFunction(depth, name, b, a) for (depth, b, a), name in zip(rows, names, strict=True)
    )


def _merged(after: Folded, before: Folded) -> Iterator[tuple[tuple[str, ...], tuple[int, int]]]:
    for stack in sorted(after.keys() | before.keys()):
        counts = before.get(stack, 0), after.get(stack, 0)
        if any(counts):
            yield stack, counts
