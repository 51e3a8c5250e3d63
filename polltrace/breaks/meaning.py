# SPDX-License-Identifier: GPL-2.0-or-later
"""Break mode and diagnosis of a session, by what the check of its engine reveals."""

from __future__ import annotations

from polltrace.breaks.break_mode import BreakMode, Evidence, break_mode
from polltrace.breaks.lost_client import check_mode, lost_client_diagnosis
from polltrace.breaks.sqlnet import BreakSettings
from polltrace.breaks.why import Diagnosis, why
from polltrace.engines import Engine, Reveals


def mode_of(engine: Engine, evidence: Evidence) -> BreakMode:
    """The way a session of the engine learns of its client."""
    if engine.reveals is Reveals.LOST_CLIENT:
        return check_mode(evidence)
    return break_mode(evidence)


def diagnosis(
    engine: Engine, evidence: Evidence, settings: BreakSettings, *, edited: bool = False
) -> Diagnosis:
    """The diagnosis of that mode. `edited`: the configuration file was changed after the server had
    read it."""
    if engine.reveals is Reveals.LOST_CLIENT:
        return lost_client_diagnosis(engine, evidence)
    return why(engine, evidence, settings, edited=edited)
