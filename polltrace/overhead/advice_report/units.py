# SPDX-License-Identifier: GPL-2.0-or-later
"""Times in the notation of advice."""

from __future__ import annotations


def ms(milliseconds: float) -> str:
    """The number alone, with two digits below ten."""
    return f"{milliseconds:,.0f}" if milliseconds >= 10 else f"{milliseconds:.2g}"


def span(seconds: float) -> str:
    """`200 ms`, `90 s`, `5 min`."""
    if seconds < 1:
        return f"{1000 * seconds:g} ms"
    return f"{seconds:g} s" if seconds < 120 else f"{seconds / 60:g} min"
