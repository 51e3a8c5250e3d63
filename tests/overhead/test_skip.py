# SPDX-License-Identifier: GPL-2.0-or-later
"""The skip in force: what a burst says, what the file says, and what when they differ."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import pytest

from polltrace.breaks.sqlnet import BreakSettings
from polltrace.overhead.skip import MeasuredSkip, measured_skip, skip_in_force
from polltrace.profiles.frames import Burst

SETTINGS = BreakSettings(
    path=Path("/u01/sqlnet.ora"),
    break_poll_skip=3,
    disable_oob=False,
    skip_is_default=False,
    changed_at=1000.0,
)


@pytest.mark.parametrize(
    ("calls", "polls", "skip"),
    [(20_001, 6667, 3), (997, 997, 1), (20_000, 20, 1000), (20_000, 0, None), (5, 6, None)],
)
def test_checks_per_poll(calls: int, polls: int, skip: int | None) -> None:
    burst = Burst(calls, polls, 0.02)
    assert measured_skip(burst) == (MeasuredSkip(skip, calls / polls, burst) if skip else None)
    assert measured_skip(None) is None


def test_what_is_measured_counts_and_a_difference_is_a_finding() -> None:
    same = skip_in_force(SETTINGS, Burst(3000, 1000, 0.1), started_at=2000.0)
    assert (same.value, same.finding) == (3, "")
    assert same.how == "measured: 3,000 checks made 1,000 break polls"
    assert same.measured == MeasuredSkip(3, 3.0, Burst(3000, 1000, 0.1))
    other = skip_in_force(SETTINGS, Burst(10_000, 1000, 0.1), started_at=2000.0)
    assert (other.value, other.configured) == (10, 3)
    assert other.finding == (
        "in force is 10, but configured 3 (/u01/sqlnet.ora): the process read another file, or its "
        "engine goes by other rules"
    )


def test_a_file_changed_after_the_process_started_explains_the_difference() -> None:
    late = skip_in_force(SETTINGS, Burst(10_000, 1000, 0.1), started_at=900.0)
    changed, started = (
        time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(at)) for at in (1000.0, 900.0)
    )
    edited = (
        f"/u01/sqlnet.ora was changed {changed}, after the process started ({started}): "
        "it goes by what the file said then"
    )
    assert late.finding == f"in force is 10, but configured 3 (/u01/sqlnet.ora): {edited}"
    same = skip_in_force(SETTINGS, Burst(3000, 1000, 0.1), started_at=900.0)
    assert same.finding == f"{edited}, which gave the same skip"
    assert skip_in_force(SETTINGS, None, started_at=900.0).finding == edited
    # Within a second of the start nobody can say which came first.
    assert skip_in_force(SETTINGS, None, started_at=999.5).finding == ""


def test_what_is_not_measured_is_marked_so() -> None:
    inferred = skip_in_force(SETTINGS, None, why_not="its program has no symbol nsmore2recv")
    assert (inferred.value, inferred.measured, inferred.configured) == (3, None, 3)
    assert inferred.how == (
        "not measured (its program has no symbol nsmore2recv) but inferred: /u01/sqlnet.ora"
    )
    default = skip_in_force(replace(SETTINGS, path=None, skip_is_default=True), Burst(9, 0, 0.2))
    assert default.how == (
        "not measured (no break poll while checks were counted) but inferred: "
        "there is no sqlnet.ora, so the default"
    )
    nobody = skip_in_force(SETTINGS, None)
    assert "(no break poll while checks were counted)" in nobody.how
    failed = skip_in_force(SETTINGS, Burst(0, 0, 0.0, "no uprobe here"))
    assert "not measured (no uprobe here) but" in failed.how
