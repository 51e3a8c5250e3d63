# SPDX-License-Identifier: GPL-2.0-or-later
"""One prerequisite, as found on a host."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class State(Enum):
    """Whether a prerequisite is met; UNKNOWN where that could not be checked."""

    OK = "ok"
    MISSING = "missing"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Prerequisite:
    """A need of one feature of polltrace.

    name: what is checked, as the first column prints it;
    state: whether it is met;
    found: what the check saw;
    enables: the commands and options that need it;
    fix: the command that provides it, or why none does; empty where it is met.
    """

    name: str
    state: State
    found: str
    enables: str
    fix: str = ""


def prerequisite(name: str, ok: bool | None, found: str, enables: str, fix: str) -> Prerequisite:
    """With `ok` None where it could not be checked. The fix is dropped where it is met."""
    state = State.UNKNOWN if ok is None else State.OK if ok else State.MISSING
    return Prerequisite(name, state, found, enables, "" if ok else fix)
