# SPDX-License-Identifier: GPL-2.0-or-later
"""Break mode and diagnosis of a session, by whether its engine has out-of-band breaks."""

from __future__ import annotations

from polltrace.breaks.break_mode import BreakMode, Evidence, break_mode
from polltrace.breaks.checking import check_diagnosis, check_mode
from polltrace.breaks.sqlnet import BreakSettings
from polltrace.breaks.why import Diagnosis, why
from polltrace.engines import Engine


def mode_of(engine: Engine, evidence: Evidence) -> BreakMode:
    """The way a session of the engine learns of its client."""
    return break_mode(evidence) if engine.has_out_of_band else check_mode(engine, evidence)


def diagnosis(
    engine: Engine, evidence: Evidence, settings: BreakSettings, *, edited: bool = False
) -> Diagnosis:
    """The diagnosis of that mode. `edited`: the configuration file was changed after the server had
    read it."""
    if not engine.has_out_of_band:
        return check_diagnosis(engine, evidence)
    return why(engine, evidence, settings, edited=edited)
