# SPDX-License-Identifier: GPL-2.0-or-later
"""From a trace's clock, tim, to the host's CLOCK_MONOTONIC, which polltrace's figures have.

Two facts bound the difference. No record can be seen in the file before its tim, so the least lag
between the two is the most that CLOCK_MONOTONIC can be ahead. And the first record that the trace
has ended after we asked for the trace, so it is ahead at least by the time of asking less its tim.
Oracle on Linux has counted tim from boot since 12c, as the lab does: where a difference of nothing
is within the bounds, the two clocks are taken for the same one.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ClockAlignment:
    """CLOCK_MONOTONIC is `offset_us` ahead of tim, between `low_us` and `high_us`. `is_same`: the
    two are one clock, as far as the bounds tell."""

    offset_us: int
    low_us: int
    high_us: int
    is_same: bool

    @property
    def error_us(self) -> int:
        """How far off the offset may be. Of the same clock: by how much it could be another one."""
        return max(self.high_us - self.offset_us, 0)


def align(asked_us: int, first_tim_us: int, lag_us: int) -> ClockAlignment:
    """From the time when the trace was asked for (CLOCK_MONOTONIC), tim of its first record, and
    the least lag of a record, all in microseconds.

    Raises ValueError where the bounds contradict each other: the clock was set, or the file is of
    another host.
    """
    low_us, high_us = asked_us - first_tim_us, lag_us
    if low_us > high_us:
        raise ValueError(
            f"the trace's clock went back, or is of another host: it is {low_us:,} us behind at "
            f"least, and {high_us:,} us at most"
        )
    is_same = low_us <= 0 <= high_us
    return ClockAlignment(0 if is_same else high_us, low_us, high_us, is_same)
