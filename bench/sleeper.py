# SPDX-License-Identifier: GPL-2.0-or-later
"""A session of a load without a database: it sleeps until each time of a Poisson schedule, and does
nothing. `sleeper.py RATE SECONDS SEED` prints the delay of each wake-up, in microseconds.
"""

from __future__ import annotations

import random
import sys
import time

# Seconds without measurement at both ends, because starting and ending processes takes processors.
APART_S = 3.0
rate, seconds, seed = map(float, sys.argv[1:])
order = random.Random(seed)
lags = []
begin = time.monotonic() + APART_S
due = begin + order.expovariate(rate)
while due < begin + seconds:
    time.sleep(max(due - time.monotonic(), 0))
    lags.append(1e6 * (time.monotonic() - due))
    due += order.expovariate(rate)
time.sleep(APART_S)
print(*lags)
