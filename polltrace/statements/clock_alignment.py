# SPDX-License-Identifier: GPL-2.0-or-later
"""Conversion of a trace's clock, tim, to the host's CLOCK_MONOTONIC, the clock of the figures.

Two facts bound the difference. No record can be seen in the file before its tim, so the least lag
between the two is an upper bound. And the first record of the trace ended after the trace was
requested, so the time of the request less its tim is a lower bound.
Oracle on Linux has counted tim from boot since 12c, as the lab does: where a difference of nothing
is within the bounds, the two clocks are taken for the same one.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ClockAlignment:
    """CLOCK_MONOTONIC is `offset_us` ahead of tim, between `low_us` and `high_us`. `is_same`: the
    bounds allow the two to be one clock."""

    offset_us: int
    low_us: int
    high_us: int
    is_same: bool

    @property
    def error_us(self) -> int:
        """Largest error of the offset; for the same clock, the room that the bounds leave."""
        return max(self.high_us - self.offset_us, 0)


def align(requested_us: int, first_tim_us: int, lag_us: int) -> ClockAlignment:
    """Alignment by three times in microseconds.

    `requested_us` is the time of the request for the trace (CLOCK_MONOTONIC), `first_tim_us` the
    tim of its first record, `lag_us` the smallest lag of a record.

    Raises ValueError where the bounds contradict each other: the clock was set, or the file is of
    another host.
    """
    low_us, high_us = requested_us - first_tim_us, lag_us
    if low_us > high_us:
        raise ValueError(
            f"the trace's clock went back, or is of another host: it is {low_us:,} us behind at "
            f"least, and {high_us:,} us at most"
        )
    is_same = low_us <= 0 <= high_us
    return ClockAlignment(0 if is_same else high_us, low_us, high_us, is_same)
