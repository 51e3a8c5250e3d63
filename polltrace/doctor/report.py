# SPDX-License-Identifier: GPL-2.0-or-later
"""`polltrace doctor`: the prerequisites as text or data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from polltrace.doctor.prerequisite import Prerequisite, State

_MARKS = {State.OK: "ok", State.MISSING: "MISSING", State.UNKNOWN: "?"}


def doctor_data(prerequisites: Sequence[Prerequisite], works: bool) -> dict[str, Any]:
    """The report as JSON-ready data; `fix` is null for a prerequisite that is met."""
    return {
        "default_backend_works": works,
        "prerequisites": [
            {
                "name": prerequisite.name,
                "state": prerequisite.state.value,
                "found": prerequisite.detail,
                "enables": prerequisite.enables,
                "fix": prerequisite.fix or None,
            }
            for prerequisite in prerequisites
        ],
    }


def doctor_text(prerequisites: Sequence[Prerequisite], works: bool) -> str:
    """A line for each; below one that is not met, the features that need it and the fix."""
    lines = []
    for prerequisite in prerequisites:
        lines.append(f"{_MARKS[prerequisite.state]:<8}{prerequisite.name:<20}{prerequisite.detail}")
        if prerequisite.state is not State.OK:
            lines.append(f"{'':<28}for   {prerequisite.enables}")
            lines.append(f"{'':<28}fix   {prerequisite.fix}")
    answer = "works" if works else "DOES NOT WORK here: see above the fix"
    return "\n".join([*lines, "", f"The default backend (eBPF) {answer}."])
