# SPDX-License-Identifier: GPL-2.0-or-later
"""Histograms of durations: by powers of ten, or by tenths of these."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from polltrace.sqltrace.database import TraceDatabase
from polltrace.sqltrace.profile import profile
from polltrace.sqltrace.profile_question import ProfileQuestion
from polltrace.sqltrace.spread import Spread, TraceProfile

KINDS = ("p10", "log-linear")
# Bounds of the eleven ranges, in seconds: 1 us to 1,000 s.
_EXPONENTS = range(-6, 4)


class Range(NamedTuple):
    """low, high: in seconds, high None where there is no limit; spread: of the calls in it."""

    low: float
    high: float | None
    spread: Spread


def histogram(
    database: TraceDatabase, question: ProfileQuestion, kind: str
) -> tuple[Sequence[Range], TraceProfile]:
    """The ranges, empty ones of p10 too, and the profile by range."""
    by = _POWERS if kind == "p10" else _TENTHS
    result = profile(database, question._replace(group=by, sort="1na", top=0))
    spreads = {spread.group: spread for spread in result.listed if spread.group is not None}
    if kind == "p10":
        return [_power(i, spreads.get(i)) for i in range(1, 12)], result
    return [Range(low / 1e6, _above(low) / 1e6, spreads[low]) for low in sorted(spreads)], result


# A duration in seconds is compared as a double, as mrskew does: 10 us is 9.999…e-06 there, and
# belongs to the range below.
_POWERS = (
    "case when dur is null then null "
    + " ".join(f"when dur < 1e{exponent} then {i}" for i, exponent in enumerate(_EXPONENTS, 1))
    + " else 11 end"
)
_TENTHS = (
    "case when dur_us < 10 then dur_us else "
    "(dur_us // pow(10, floor(log10(dur_us)))::bigint * pow(10, floor(log10(dur_us)))::bigint) end"
)


def _above(low: int) -> int:
    """The end of the range that begins at `low`, in microseconds."""
    step: int = 10 ** (len(str(low)) - 1)
    return low + step


def _power(number: int, spread: Spread | None) -> Range:
    low = 0.0 if number == 1 else 10.0 ** (number - 8)
    high = None if number == 11 else 10.0 ** (number - 7)
    return Range(low, high, spread or Spread(number, 0, None, None, None, (None, None, None)))
