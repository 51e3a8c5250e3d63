# SPDX-License-Identifier: GPL-2.0-or-later
"""The demo's words for what counting cost."""

from __future__ import annotations

import pytest

from polltrace.intervals import Estimate
from polltrace.scenarios.demo.report import slowed


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (Estimate(3.2, 1.1, 5.0), "took 3.2 % [1.1, 5.0] more time"),
        (Estimate(-4.8, -7.2, -0.5), "took 4.8 % [0.5, 7.2] less time"),
        (Estimate(0.4, -8.9, 20.9), "took as long, as far as can be told (0.4 % [-8.9, 20.9])"),
    ],
)
def test_nothing_takes_less_than_no_more_time(more: Estimate, words: str) -> None:
    assert slowed(more) == words
