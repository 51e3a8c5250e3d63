# SPDX-License-Identifier: GPL-2.0-or-later
"""One capability of a host, as found."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class State(Enum):
    OK = "ok"
    MISSING = "missing"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Finding:
    """`found` says what was seen, `enables` what it is for; `mend` is the command that puts it
    right, or why none does, and empty where nothing is amiss."""

    name: str
    state: State
    found: str
    enables: str
    mend: str = ""


def finding(name: str, ok: bool | None, found: str, enables: str, mend: str) -> Finding:
    """`ok` None: it could not be told. The mend is kept only where it is wanted."""
    state = State.UNKNOWN if ok is None else State.OK if ok else State.MISSING
    return Finding(name, state, found, enables, "" if ok else mend)
