# SPDX-License-Identifier: GPL-2.0-or-later
"""What is called a regression, and what is not."""

from __future__ import annotations

import pytest

from scenarios.comparison import Verdict, compare
from scenarios.scenario import Cell

from .made_runs import made_run

CELL = Cell(break_mode="in-band", skip=3)
BASE = {"cpu_ms": 30.0, "gets": 9000.0, "polls": 3000.0}


def verdicts(new: dict[str, float], margin: float = 0.05) -> dict[str, Verdict]:
    base, other = made_run({CELL: BASE}), made_run({CELL: {**BASE, **new}}, seed=2)
    return {row.figure: row.verdict for row in compare(base, other, margin).rows}


def test_the_same_again_is_no_regression() -> None:
    assert set(verdicts({}).values()) == {Verdict.SAME}


@pytest.mark.parametrize(
    ("cpu_ms", "verdict"),
    [(33.0, Verdict.REGRESSION), (27.0, Verdict.IMPROVEMENT), (31.5, Verdict.UNSURE)],
)
def test_slower_beyond_the_margin(cpu_ms: float, verdict: Verdict) -> None:
    found = verdicts({"cpu_ms": cpu_ms})
    assert found["elapsed"] == found["server CPU"] == verdict
    assert found["polls per get"] == found["consistent gets"] == Verdict.SAME


def test_polls_are_exact() -> None:
    found = verdicts({"polls": 9000.0})
    assert found["polls per get"] == Verdict.REGRESSION
    assert found["elapsed"] == Verdict.SAME


def test_a_busy_host_is_no_slower_server() -> None:
    """The second run took three times as long, because others had the processor."""
    found = verdicts({"waited_ms": 60.0})
    assert found["elapsed"] == Verdict.UNSURE
    assert found["server CPU"] == Verdict.SAME
    # A server that is slower indeed is found by what no other process can take from it.
    found = verdicts({"waited_ms": 60.0, "cpu_ms": 36.0})
    assert found["server CPU"] == Verdict.REGRESSION
