# SPDX-License-Identifier: GPL-2.0-or-later
"""Why a session is in-band: every cause from its evidence, and what each says and cures."""

from dataclasses import replace
from pathlib import Path

import pytest

from polltrace.break_mode import Evidence
from polltrace.sqlnet import BreakSettings
from polltrace.why import Cause, why

FILE = Path("/u01/network/admin/sqlnet.ora")
SETTINGS = BreakSettings(path=FILE, break_poll_skip=3, disable_oob=False, skip_is_default=True)
OFF = replace(SETTINGS, disable_oob=True)
GRANTED = Evidence(local=False, catches_sigurg=True, told_of_urgent_data=True, polls_on_cpu=True)
REFUSED = replace(GRANTED, catches_sigurg=False, told_of_urgent_data=False)
UNSEEN = replace(GRANTED, told_of_urgent_data=None)


@pytest.mark.parametrize(
    ("evidence", "settings", "edited", "cause"),
    [
        (REFUSED, OFF, False, Cause.SERVER),
        (REFUSED, SETTINGS, False, Cause.CLIENT),
        (GRANTED, SETTINGS, False, Cause.PATH),
        # It was granted, so DISABLE_OOB was off when the server started, whatever the file says.
        (GRANTED, OFF, True, Cause.PATH),
        (REFUSED, OFF, True, Cause.UNKNOWN),
        (REFUSED, SETTINGS, True, Cause.UNKNOWN),
        (UNSEEN, SETTINGS, False, Cause.UNKNOWN),
        (UNSEEN, OFF, False, Cause.SERVER),
        (replace(GRANTED, polls_on_cpu=False), OFF, False, Cause.NOT_IN_BAND),
        (replace(REFUSED, local=True), OFF, False, Cause.NOT_IN_BAND),
    ],
)
def test_cause(evidence: Evidence, settings: BreakSettings, edited: bool, cause: Cause) -> None:
    found = why(evidence, settings, edited=edited)
    assert found.cause is cause
    assert found.evidence
    # What is not certain says what would tell; what can be cured says how.
    if cause is Cause.UNKNOWN:
        assert found.settles
    if cause in (Cause.SERVER, Cause.CLIENT, Cause.PATH):
        assert found.cure


def test_the_servers_own_file_is_named_with_its_cure() -> None:
    found = why(REFUSED, OFF)
    assert found.reason == f"the server's {FILE} says DISABLE_OOB=ON"
    assert "take DISABLE_OOB=ON out" in found.cure


def test_the_path_is_to_be_tested_from_both_ends() -> None:
    found = why(GRANTED, SETTINGS)
    assert "eats urgent data" in found.reason
    assert "oob-check --listen" in found.settles[0]


def test_an_edited_file_is_said_to_be_one() -> None:
    assert "changed since the server read it" in why(REFUSED, OFF, edited=True).evidence[-1]
