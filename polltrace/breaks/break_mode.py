# SPDX-License-Identifier: GPL-2.0-or-later
"""Break mode of a session, by the evidence for it; why.py explains the mode."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class BreakMode(Enum):
    """The way a server learns of its client. In-band, out-of-band and local sessions belong to
    engines with out-of-band breaks; of others it is whether a session checks while it works."""

    OUT_OF_BAND = "out-of-band"
    IN_BAND = "in-band"
    LOCAL = "local"
    UNKNOWN = "unknown"
    CHECKING = "checking"
    NOT_CHECKING = "not checking"
    NO_CHECK = "no check"


@dataclass(frozen=True, slots=True)
class Evidence:
    """The facts about a session that can be seen from outside. None: could not be read.

    `local`: it came without a listener; `catches_sigurg`: the server has a handler for SIGURG;
    `told_of_urgent_data`: the client's socket has an owner, whom the kernel signals.

    `polls_on_cpu` is whether it made break polls while it used CPU; False means that it used CPU
    and made none.
    """

    local: bool
    catches_sigurg: bool | None
    told_of_urgent_data: bool | None
    polls_on_cpu: bool | None


def break_mode(evidence: Evidence) -> BreakMode:
    """The break mode. Behaviour outweighs how a session was set up: polls prove in-band.

    A process that is set up for neither and ran without a poll shows no mode at all, nor does one
    whose client's socket was not seen.
    """
    if evidence.local:
        return BreakMode.LOCAL
    if evidence.polls_on_cpu:
        return BreakMode.IN_BAND
    # The kernel raises SIGURG in the socket's owner: no owner or no handler, no out-of-band break.
    signs = (evidence.told_of_urgent_data, evidence.catches_sigurg, evidence.polls_on_cpu)
    if evidence.told_of_urgent_data is None or all(sign is False for sign in signs):
        return BreakMode.UNKNOWN
    if False in signs[:2]:
        return BreakMode.IN_BAND
    return BreakMode.OUT_OF_BAND
