# SPDX-License-Identifier: GPL-2.0-or-later
"""Break mode from evidence: every combination that was met, and what outweighs what."""

from dataclasses import replace

import pytest

from polltrace.breaks.break_mode import BreakMode, Evidence, break_mode

OUT_OF_BAND = Evidence(
    local=False, catches_sigurg=True, told_of_urgent_data=True, polls_on_cpu=False
)


@pytest.mark.parametrize(
    ("changes", "mode"),
    [
        ({}, BreakMode.OUT_OF_BAND),
        ({"polls_on_cpu": None}, BreakMode.OUT_OF_BAND),
        ({"polls_on_cpu": True}, BreakMode.IN_BAND),
        ({"catches_sigurg": False}, BreakMode.IN_BAND),
        ({"told_of_urgent_data": False}, BreakMode.IN_BAND),
        ({"told_of_urgent_data": None}, BreakMode.UNKNOWN),
        ({"told_of_urgent_data": None, "catches_sigurg": False}, BreakMode.UNKNOWN),
        ({"told_of_urgent_data": False, "catches_sigurg": False}, BreakMode.UNKNOWN),
        (
            {"told_of_urgent_data": False, "catches_sigurg": False, "polls_on_cpu": None},
            BreakMode.IN_BAND,
        ),
        ({"told_of_urgent_data": None, "polls_on_cpu": True}, BreakMode.IN_BAND),
        ({"local": True, "polls_on_cpu": True}, BreakMode.LOCAL),
    ],
)
def test_break_mode(changes: dict[str, bool | None], mode: BreakMode) -> None:
    assert break_mode(replace(OUT_OF_BAND, **changes)) is mode  # type: ignore[arg-type]
