# SPDX-License-Identifier: GPL-2.0-or-later
"""The statement that the sessions of a run execute."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, field, replace

from polltrace.scenarios.run.client import Binds

POLLS_AT_LEAST = 300
"""Counting begins and ends between two polls: with this many, one more or less does not matter."""


@dataclass(frozen=True, slots=True)
class Work:
    """The statement of a run, sized for this host.

    - `statement`: SQL, and its `binds`
    - `cancelled`: binds that make it last long enough to be cancelled
    - `executions`: how many are counted, unless more are needed for `polls` break polls
    - `gets`: consistent gets of one execution
    """

    statement: str
    binds: Binds
    cancelled: Binds = field(default_factory=dict)
    executions: int = 1
    gets: float = 0.0
    polls: int = POLLS_AT_LEAST

    def warm_up(self, order: random.Random) -> Work:
        """An execution of random length: counting must not always begin at the same point between
        two polls."""
        n = self.binds.get("n")
        if not isinstance(n, int):
            return self
        return replace(self, binds={**self.binds, "n": order.randint(n // 2, n)})

    @property
    def cancelled_gets(self) -> float:
        """Consistent gets of a call whose cancel is lost; 0: not known."""
        n, longer = self.binds.get("n"), self.cancelled.get("n")
        return self.gets * longer / n if isinstance(n, int) and isinstance(longer, int) else 0.0

    def executions_at(self, skip: int | None) -> int:
        """The number of executions that count polls at this skip to a fraction of a per cent."""
        wanted_gets = self.polls * (skip or 0)
        return max(self.executions, math.ceil(wanted_gets / self.gets)) if self.gets > 1 else 1
