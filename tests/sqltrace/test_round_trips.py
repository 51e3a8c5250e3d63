# SPDX-License-Identifier: GPL-2.0-or-later
"""Where think time is said to begin."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from polltrace.sqltrace.round_trips import suggested_threshold

# Tenths of a power of ten, of microseconds: 3 ms, 100 ms, 30 s.
SHORT, BETWEEN, LONG = 35, 50, 75


@pytest.mark.parametrize(
    ("counts", "seconds"),
    [
        ({SHORT: 990, BETWEEN: 5, LONG: 5}, 10**0.3),  # from 130 ms to 30 s nothing
        ({SHORT: 9990, BETWEEN: 5, LONG: 5}, 10**-0.25),  # five of ten thousand are nothing
        ({SHORT: 15, LONG: 4}, None),  # too few
        ({SHORT: 1000}, None),  # nothing is longer
    ],
)
def test_a_valley_holds_fewer_than_a_thousandth(
    counts: Mapping[int, int], seconds: float | None
) -> None:
    found = suggested_threshold(counts)
    assert found == (seconds if seconds is None else pytest.approx(seconds))
