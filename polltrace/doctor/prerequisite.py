# SPDX-License-Identifier: GPL-2.0-or-later
"""A prerequisite, and its state on a host."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class State(Enum):
    """State of a prerequisite; UNKNOWN where it could not be checked, UNNEEDED where it is not met
    and another serves instead.
    """

    OK = "ok"
    MISSING = "missing"
    UNNEEDED = "not needed"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Prerequisite:
    """A need of one feature of polltrace.

    name: of the thing checked, as the first column prints it;
    state: whether it is met;
    detail: observation of the check;
    enables: the commands and options that need it;
    fix: the command that provides it, or why none does; empty where it is met or not needed.
    """

    name: str
    state: State
    detail: str
    enables: str
    fix: str = ""


def prerequisite(name: str, ok: bool | None, detail: str, enables: str, fix: str) -> Prerequisite:
    """Make a Prerequisite; `ok` is None where it could not be checked. A met one has no fix."""
    state = State.UNKNOWN if ok is None else State.OK if ok else State.MISSING
    return Prerequisite(name, state, detail, enables, "" if ok else fix)
