# SPDX-License-Identifier: GPL-2.0-or-later
"""Whether a session waits for locks, which decides how long its waits may delay a cancel."""

from __future__ import annotations

from dataclasses import dataclass

# The longest that a cancel may take while the session waits, where nobody has set it. A session
# that was never seen waiting for a lock may do so once: it is bounded as well, less closely.
WITH_LOCKS_S = 120.0
WITHOUT_LOCKS_S = 900.0


@dataclass(frozen=True, slots=True)
class LockWaits:
    """`seen`: whether the session waits for locks; None: not known. `by` is what that rests on,
    as a sentence goes on after "because"."""

    seen: bool | None
    by: str

    @property
    def limit_s(self) -> float:
        """The longest that a cancel may take while it waits, in seconds."""
        return WITHOUT_LOCKS_S if self.seen is False else WITH_LOCKS_S
