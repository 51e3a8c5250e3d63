# SPDX-License-Identifier: GPL-2.0-or-later
"""polltrace's own client result cache, for one session of the load client.

python-oracledb (thin) has none. This one follows the documented rules of Oracle's: results are
kept by statement and binds, until the session's settings change; a result is used without a round
trip as long as the last look for changes is no older than the lag; a session with changes that it
has not committed uses none.
Oracle's server tells about changes with any answer; here a query of the user's, whose rows change
whenever the cached rows may have, is executed by a round trip of its own.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable
from typing import Any

now_ns = time.monotonic_ns

BLOCK_BYTES = 256
STATISTICS = (
    "Block Size",
    "Block Count Max",
    "Block Count Current",
    "Create Count Success",
    "Create Count Failure",
    "Find Count",
    "Invalidation Count",
    "Delete Count Invalid",
)
"""Those of CLIENT_RESULT_CACHE_STATS$ that this cache has, by its names."""

Rows = list[Any]


class ResultCache:
    """Results of one session.

    - `changes`: returns rows that differ from its last whenever a cached result may be outdated
    - `lag_ns`: how old a look for changes may be
    - `most_bytes`: of all results together; one that has no room is not kept
    """

    def __init__(self, changes: Callable[[], Rows], lag_ns: int, most_bytes: int) -> None:
        self._changes, self._lag_ns = changes, lag_ns
        self._most_blocks = most_bytes // BLOCK_BYTES
        self._blocks = 0
        self._results: dict[Hashable, Rows] = {}
        self._seen: Rows | None = None
        self._looked: int | None = None
        self.finds = self.creates = self.failures = self.invalidations = self.deletes = 0
        self.looks = 0

    def rows(self, key: Hashable, execute: Callable[[], Rows]) -> Rows:
        """The rows of a statement with binds: kept ones, or those that `execute` fetches."""
        if self._looked is None or now_ns() - self._looked > self._lag_ns:
            self.look_for_changes()
        result = self._results.get(key)
        if result is not None:
            self.finds += 1
            return result
        rows = execute()
        self._keep(key, rows)
        return rows

    def look_for_changes(self) -> None:
        """Query for changes; forget all results if there are any."""
        # The answer is as of a moment after this one.
        requested_ns = now_ns()
        self.looks += 1
        changes = self._changes()
        if changes != self._seen and self._seen is not None:
            self.invalidations += 1
            self.forget()
        self._seen, self._looked = changes, requested_ns

    def forget(self) -> None:
        """Keep nothing: the results may have changed, or belong to other session settings."""
        self.deletes += len(self._results)
        self._results.clear()
        self._blocks = 0

    def own_change(self) -> None:
        """This session has committed something: it must see that at once."""
        self._looked = None

    def _keep(self, key: Hashable, rows: Rows) -> None:
        blocks = 1 + sum(len(str(value)) for row in rows for value in row) // BLOCK_BYTES
        if self._blocks + blocks > self._most_blocks:
            self.failures += 1
            return
        self.creates += 1
        self._blocks += blocks
        self._results[key] = rows

    def statistics(self) -> list[tuple[str, int]]:
        """The counters by name, in the order of STATISTICS."""
        values = (
            BLOCK_BYTES,
            self._most_blocks,
            self._blocks,
            self.creates,
            self.failures,
            self.finds,
            self.invalidations,
            self.deletes,
        )
        return list(zip(STATISTICS, values, strict=True))
