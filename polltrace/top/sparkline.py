# SPDX-License-Identifier: GPL-2.0-or-later
from __future__ import annotations

from collections.abc import Sequence

_BARS = "▁▂▃▄▅▆▇█"


def sparkline(values: Sequence[float], width: int) -> str:
    """The last `width` values as bars from zero to the highest of them, right-aligned.

    Empty where all are zero: a line of lowest bars would suggest activity.
    """
    last = values[-width:]
    highest = max(last, default=0.0)
    if highest <= 0:
        return ""
    top = len(_BARS) - 1
    return "".join(_BARS[round(top * max(0.0, value) / highest)] for value in last).rjust(width)
