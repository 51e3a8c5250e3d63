# SPDX-License-Identifier: GPL-2.0-or-later
"""The periods in which gaps between polls are timed, in seconds, for every command that times them.

Timing costs as much as the polls, so each period is only long enough for the tail of the gaps.
"""

from __future__ import annotations

# A measurement of one session by advise or top, and each period of a recording.
TIMED_S = 1.0
# A timer's checks are a tenth of a second apart: some 30 gaps, at next to no cost.
TIMER_CHECKS_TIMED_S = 3.0
# A recording begins with a period soon, and repeats it.
RECORDED_FIRST_S, RECORDED_EVERY_S = 2.0, 300.0
# The views of a host time all polling processes briefly: one and a half per cent of the time.
SURVEYED_S, SURVEYED_EVERY_S = 0.2, 15.0
# The largest number of processes that are timed together.
MOST_TIMED = 32
