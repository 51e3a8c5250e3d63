# SPDX-License-Identifier: GPL-2.0-or-later
"""How a session learns of a cancel: a verdict, and the evidence it rests on; why.py says why."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class BreakMode(Enum):
    OUT_OF_BAND = "out-of-band"
    IN_BAND = "in-band"
    LOCAL = "local"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Evidence:
    """What can be seen of a session from outside. None: could not be looked at.

    `polls_on_cpu` is whether it made break polls while it used CPU; False means that it used CPU
    and made none.
    """

    local: bool
    catches_sigurg: bool | None
    told_of_urgent_data: bool | None
    polls_on_cpu: bool | None


def break_mode(evidence: Evidence) -> BreakMode:
    """The break mode. What a session does outweighs how it was set up: polls prove in-band."""
    if evidence.local:
        return BreakMode.LOCAL
    if evidence.polls_on_cpu:
        return BreakMode.IN_BAND
    # The kernel raises SIGURG in the socket's owner: no owner or no handler, no out-of-band break.
    if evidence.told_of_urgent_data is False or evidence.catches_sigurg is False:
        return BreakMode.IN_BAND
    if evidence.told_of_urgent_data:
        return BreakMode.OUT_OF_BAND
    return BreakMode.UNKNOWN
