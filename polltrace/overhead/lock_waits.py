# SPDX-License-Identifier: GPL-2.0-or-later
"""The evidence of lock waits in a session, which limits the delay of a cancel."""

from __future__ import annotations

from dataclasses import dataclass

# The longest time that a cancel may take while the session waits, unless the user sets it. A
# session that was never seen waiting for a lock may wait for one later: its limit is finite.
WITH_LOCKS_S = 120.0
WITHOUT_LOCKS_S = 900.0


@dataclass(frozen=True, slots=True)
class LockWaits:
    """The evidence of lock waits in a session.

    `observed`: the session waits for locks; None: not known. `by` is the evidence, as the end of a
    sentence after "because".
    """

    observed: bool | None
    by: str

    @property
    def limit_s(self) -> float:
        """The longest time that a cancel may take while the session waits, in seconds."""
        return WITHOUT_LOCKS_S if self.observed is False else WITH_LOCKS_S
