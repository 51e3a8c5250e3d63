# SPDX-License-Identifier: GPL-2.0-or-later
"""Break mode from evidence: every combination that was met, and what outweighs what."""

from dataclasses import replace
from pathlib import Path

import pytest

from polltrace.break_mode import BreakMode, Evidence, break_mode, why_in_band
from polltrace.sqlnet import BreakSettings

OUT_OF_BAND = Evidence(
    local=False, catches_sigurg=True, told_of_urgent_data=True, polls_on_cpu=False
)
SETTINGS = BreakSettings(
    path=Path("/u01/network/admin/sqlnet.ora"),
    break_poll_skip=3,
    disable_oob=False,
    skip_is_default=True,
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
        ({"told_of_urgent_data": None, "polls_on_cpu": True}, BreakMode.IN_BAND),
        ({"local": True, "polls_on_cpu": True}, BreakMode.LOCAL),
    ],
)
def test_break_mode(changes: dict[str, bool | None], mode: BreakMode) -> None:
    assert break_mode(replace(OUT_OF_BAND, **changes)) is mode  # type: ignore[arg-type]


def test_the_servers_own_setting_is_named_first() -> None:
    reason = why_in_band(OUT_OF_BAND, replace(SETTINGS, disable_oob=True))
    assert reason == "the server's /u01/network/admin/sqlnet.ora says DISABLE_OOB=ON"


def test_set_up_for_urgent_data_but_polling_means_a_path_that_eats_it() -> None:
    polling = replace(OUT_OF_BAND, polls_on_cpu=True)
    assert "eats urgent data" in why_in_band(polling, SETTINGS)


def test_else_the_client_did_not_ask() -> None:
    silent = replace(OUT_OF_BAND, told_of_urgent_data=False, catches_sigurg=False)
    assert "client did not ask" in why_in_band(silent, SETTINGS)
