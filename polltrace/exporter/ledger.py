# SPDX-License-Identifier: GPL-2.0-or-later
"""Totals that never fall, though the processes they were summed over come and go."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

from polltrace.breaks.break_mode import BreakMode
from polltrace.profiles.frames import Identity
from polltrace.watch.snapshot import Row, Snapshot

# A process chooses its own title, so what is in it cannot be trusted to be few.
_MOST_SIDS = 64
_OTHERS = "other"


class Group(NamedTuple):
    """What the sums are kept by; `sid` is the database instance, from the process's title."""

    engine: str
    sid: str
    break_mode: BreakMode


@dataclass(slots=True)
class Sums:
    """`unpriced` polls are those of processes that ended before a price was known."""

    cpu_s: float = 0.0
    polls: float = 0.0
    lost_s: float = 0.0
    unpriced: float = 0.0


@dataclass(slots=True)
class _Account:
    """What of one process is in the sums already, and what still waits for a price."""

    group: Group
    cpu_s: float = 0.0
    polls: float = 0.0
    to_price: float = 0.0


class Ledger:
    """Takes in snapshots, one a frame of the probe, and keeps sums by Group."""

    def __init__(self) -> None:
        self._sums: defaultdict[Group, Sums] = defaultdict(Sums)
        self._accounts: dict[Identity, _Account] = {}
        self._sids: set[str] = set()

    def copy(self) -> Mapping[Group, Sums]:
        """The sums as they are now; for another thread to read."""
        return {group: replace(sums) for group, sums in self._sums.items()}

    def group(self, row: Row) -> Group:
        """Where this process counts: its break mode may change, what was counted stays."""
        if row.instance not in self._sids and len(self._sids) >= _MOST_SIDS:
            return Group(row.engine, _OTHERS, row.mode)
        self._sids.add(row.instance)
        return Group(row.engine, row.instance, row.mode)

    def take(self, snapshot: Snapshot) -> None:
        """Add what its processes did since the snapshot before."""
        for row in snapshot.rows:
            self._add(row)
        there = {row.identity for row in snapshot.rows}
        for identity in self._accounts.keys() - there:
            ended = self._accounts.pop(identity)
            self._sums[ended.group].unpriced += ended.to_price

    def _add(self, row: Row) -> None:
        group = self.group(row)
        account = self._accounts.setdefault(row.identity, _Account(group))
        account.group = group
        sums = self._sums[group]
        polls = row.polls - account.polls
        sums.cpu_s += row.cpu_s - account.cpu_s
        sums.polls += polls
        account.cpu_s, account.polls = row.cpu_s, row.polls
        account.to_price += polls
        if row.price_s is not None:
            sums.lost_s += account.to_price * row.price_s
            account.to_price = 0.0
