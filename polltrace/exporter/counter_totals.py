# SPDX-License-Identifier: GPL-2.0-or-later
"""Totals that never fall, though the processes they were summed over come and go."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

from polltrace.breaks.break_mode import BreakMode
from polltrace.profiles.frames import Identity
from polltrace.watch.snapshot import ServerRow, Snapshot

# A process chooses its own title, so the number of names in titles has no natural limit.
_MOST_SIDS = 64
_OTHERS = "other"


class Group(NamedTuple):
    """The key of the sums; `sid` is the database instance, from the process's title."""

    engine: str
    sid: str
    break_mode: BreakMode


@dataclass(slots=True)
class Sums:
    """`cpu_s` CPU seconds used and `polls` break polls, which took `lost_s` CPU seconds, between
    `lost_low_s` and `lost_high_s` by the figure that each process had when it made them.
    `costed` polls are in these sums; `without_cost` counts the polls of processes that ended before
    their cost was known."""

    cpu_s: float = 0.0
    polls: float = 0.0
    lost_s: float = 0.0
    lost_low_s: float = 0.0
    lost_high_s: float = 0.0
    costed: float = 0.0
    without_cost: float = 0.0

    @property
    def is_cost_known(self) -> bool:
        """False where polls were counted and the cost of none of them is known yet."""
        return self.costed > 0 or not self.polls


@dataclass(slots=True)
class _Account:
    """Share of one process in the sums: the `group` it was last counted in, its `cpu_s` and `polls`
    already added, and its polls `without_cost`, which are added once their cost is known."""

    group: Group
    cpu_s: float = 0.0
    polls: float = 0.0
    without_cost: float = 0.0


class CounterTotals:
    """Takes in snapshots, one a frame of the probe, and keeps sums by Group."""

    def __init__(self) -> None:
        self._sums: defaultdict[Group, Sums] = defaultdict(Sums)
        self._accounts: dict[Identity, _Account] = {}
        self._sids: set[str] = set()

    def copy(self) -> Mapping[Group, Sums]:
        """The sums as they are now; for another thread to read."""
        return {group: replace(sums) for group, sums in self._sums.items()}

    def group(self, row: ServerRow) -> Group:
        """The group that the process counts in now. Its break mode may change; sums stay."""
        if row.instance not in self._sids and len(self._sids) >= _MOST_SIDS:
            return Group(row.engine, _OTHERS, row.mode)
        self._sids.add(row.instance)
        return Group(row.engine, row.instance, row.mode)

    def take(self, snapshot: Snapshot) -> None:
        """Add the counts of its processes since the previous snapshot."""
        for row in snapshot.rows:
            self._add(row)
        present = {row.identity for row in snapshot.rows}
        for identity in self._accounts.keys() - present:
            ended = self._accounts.pop(identity)
            self._sums[ended.group].without_cost += ended.without_cost

    def _add(self, row: ServerRow) -> None:
        group = self.group(row)
        account = self._accounts.setdefault(row.identity, _Account(group))
        account.group = group
        sums = self._sums[group]
        polls = row.polls - account.polls
        sums.cpu_s += row.cpu_s - account.cpu_s
        sums.polls += polls
        account.cpu_s, account.polls = row.cpu_s, row.polls
        account.without_cost += polls
        if cost_per_poll := row.lost_per_poll_s:
            sums.lost_s += account.without_cost * cost_per_poll.value
            sums.lost_low_s += account.without_cost * cost_per_poll.low
            sums.lost_high_s += account.without_cost * cost_per_poll.high
            sums.costed += account.without_cost
            account.without_cost = 0.0
