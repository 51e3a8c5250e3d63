# SPDX-License-Identifier: GPL-2.0-or-later
"""What one break poll costs on this host, measured by polltrace-price with nothing attached."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence

from polltrace.errors import HostError
from polltrace.executables import find_executable
from polltrace.intervals import Estimate, median

ROUNDS = 200
_SLOWEST_PACE_US = 1000


def price_s(pace_s: float) -> Estimate:
    """Seconds that a poll takes which comes `pace_s` of CPU time after the one before.

    The pace matters: in between, the work drives the kernel's code and branches out of the
    processor's memory. Beyond a millisecond it no longer does. Takes half a second.
    """
    return priced_by([str(find_executable("polltrace-price"))], pace_s)


def priced_by(command: Sequence[str], pace_s: float) -> Estimate:
    """As price_s, by a command that runs polltrace-price somewhere."""
    pace_us = round(min(1e6 * pace_s, _SLOWEST_PACE_US))
    ended = subprocess.run(
        [*command, str(pace_us), str(ROUNDS)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if ended.returncode != 0:
        raise HostError(ended.stderr.strip().removeprefix("polltrace-price: "))
    rounds = median(json.loads(ended.stdout)["price_ns"])
    return Estimate(1e-9 * rounds.value, 1e-9 * rounds.low, 1e-9 * rounds.high)
