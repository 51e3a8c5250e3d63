# SPDX-License-Identifier: GPL-2.0-or-later
"""A session's use of CPU and rate of polls, the inputs of the cost model."""

from __future__ import annotations

import math
from dataclasses import dataclass

from polltrace.overhead.cost_model import cost_model
from polltrace.profiles.frames import PollRate, ProcessTotals


@dataclass(frozen=True, slots=True)
class SessionLoad:
    """The load of a session over a window of time.

    `busy` is the share of the window that it spent on CPU, 0 to 1; `rate` its break polls per
    second of elapsed time.
    """

    busy: float
    rate: PollRate

    @property
    def polls_per_cpu_s(self) -> float:
        return self.rate.per_s / self.busy if self.busy else 0.0

    @property
    def interval_s(self) -> float:
        """CPU seconds from one break poll to the next; infinite without polls."""
        return 1 / self.polls_per_cpu_s if self.polls_per_cpu_s else math.inf


def counted_load(totals: ProcessTotals, seconds: float, probe_s_per_poll: float) -> SessionLoad:
    """The load of a session whose every poll was counted for `seconds`, without the CPU time that
    the probe added (`probe_s_per_poll`).

    The interval of the rate is that of the probe's cost.
    """
    if not totals.cpu_s:
        return SessionLoad(0.0, PollRate(0.0, 0.0, 0.0))
    busy = totals.cpu_s / seconds

    def per_s(cost_s: float) -> float:
        # At most half of the time is subtracted: a higher cost was measured wrongly.
        own_cpu_s = max(totals.cpu_s - totals.break_polls * cost_s, totals.cpu_s / 2)
        return busy * totals.break_polls / own_cpu_s

    error = cost_model().probe_error * probe_s_per_poll
    return SessionLoad(
        busy,
        PollRate(
            per_s(probe_s_per_poll),
            per_s(probe_s_per_poll - error),
            per_s(probe_s_per_poll + error),
        ),
    )
