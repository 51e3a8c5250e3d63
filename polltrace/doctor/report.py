# SPDX-License-Identifier: GPL-2.0-or-later
"""`polltrace doctor`: the prerequisites as text or data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from polltrace.doctor.prerequisite import Prerequisite, State

_MARKS = {State.OK: "ok", State.MISSING: "MISSING", State.UNKNOWN: "?"}


def doctor_data(prerequisites: Sequence[Prerequisite], works: bool) -> dict[str, Any]:
    """As JSON-ready data; `fix` null where nothing is amiss."""
    return {
        "default_backend_works": works,
        "prerequisites": [
            {
                "name": each.name,
                "state": each.state.value,
                "found": each.found,
                "enables": each.enables,
                "fix": each.fix or None,
            }
            for each in prerequisites
        ],
    }


def doctor_text(prerequisites: Sequence[Prerequisite], works: bool) -> str:
    """A line each, and below what is not right what it would enable and the fix."""
    lines = []
    for each in prerequisites:
        lines.append(f"{_MARKS[each.state]:<8}{each.name:<20}{each.found}")
        if each.state is not State.OK:
            lines.append(f"{'':<28}for   {each.enables}")
            lines.append(f"{'':<28}fix   {each.fix}")
    answer = "works" if works else "DOES NOT WORK here: see above the fix"
    return "\n".join([*lines, "", f"The default backend (eBPF) {answer}."])
