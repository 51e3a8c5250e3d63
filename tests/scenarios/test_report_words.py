# SPDX-License-Identifier: GPL-2.0-or-later
"""The words of reports for what is less than nothing, or nothing."""

from __future__ import annotations

import pytest

from polltrace.intervals import Estimate
from polltrace.scenarios.demo.report import slowed
from polltrace.scenarios.report.run.table import interval


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


def test_nothing_has_no_sign_of_less() -> None:
    assert interval(Estimate(-0.01, -0.04, 0.02), sign=True) == "+0.0 [+0.0, +0.0]"
    assert interval(Estimate(-0.01, -0.04, 0.02)) == "0.0 [0.0, 0.0]"
    assert slowed(Estimate(0.2, -0.04, 0.4)).endswith("(0.2 % [0.0, 0.4])")
