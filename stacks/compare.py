# SPDX-License-Identifier: GPL-2.0-or-later
"""The changes between two profiles, function by function."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from polltrace.stacks.folded import Folded, total


@dataclass(frozen=True, slots=True)
class FunctionChange:
    """The share of the samples (0 to 1) that the function `name` has in two profiles.

    `self_before`, `self_after`: it stood innermost; `total_before`, `total_after`: it was anywhere
    on the stack, counted once per stack.
    """

    name: str
    self_before: float
    self_after: float
    total_before: float
    total_after: float

    @property
    def self_change(self) -> float:
        return self.self_after - self.self_before

    @property
    def total_change(self) -> float:
        return self.total_after - self.total_before


def compare(before: Folded, after: Folded) -> tuple[FunctionChange, ...]:
    """All functions of both, largest change of their own share first.

    Shares, because two recordings rarely hold the same number of samples; an empty profile has
    shares of 0.
    """
    self_before, total_before = _shares(before)
    self_after, total_after = _shares(after)
    changes = (
        FunctionChange(
            name,
            self_before.get(name, 0.0),
            self_after.get(name, 0.0),
            total_before.get(name, 0.0),
            total_after.get(name, 0.0),
        )
        for name in total_before.keys() | total_after.keys()
    )
    return tuple(sorted(changes, key=lambda c: (-abs(c.self_change), -abs(c.total_change), c.name)))


def _shares(folded: Folded) -> tuple[dict[str, float], dict[str, float]]:
    own: Counter[str] = Counter()
    anywhere: Counter[str] = Counter()
    for names, n in folded.items():
        if names:
            own[names[-1]] += n
            anywhere.update(dict.fromkeys(set(names), n))
    whole = total(folded) or 1
    return {k: n / whole for k, n in own.items()}, {k: n / whole for k, n in anywhere.items()}
