# SPDX-License-Identifier: GPL-2.0-or-later
"""`polltrace doctor`: the prerequisites as text or data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from polltrace.doctor.prerequisite import Prerequisite, State

_MARKS = {State.OK: "ok", State.MISSING: "MISSING", State.UNKNOWN: "?", State.UNNEEDED: "-"}
_UNMET = (State.MISSING, State.UNKNOWN)


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


def doctor_text(
    prerequisites: Sequence[Prerequisite], works: bool, *, verbose: bool = False
) -> str:
    """The verdict; then each prerequisite that is not met, with the features that need it and the
    fix, or, if `verbose`, all of them.
    """
    unmet = [prerequisite for prerequisite in prerequisites if prerequisite.state in _UNMET]
    verdict = "works" if works else "DOES NOT WORK here"
    lines = [f"The default backend (eBPF) {verdict}{':' if unmet and not works else '.'}", ""]
    for prerequisite in prerequisites if verbose else unmet:
        lines.append(f"{_MARKS[prerequisite.state]:<8}{prerequisite.name:<20}{prerequisite.detail}")
        if prerequisite.state in _UNMET:
            lines.append(f"{'':<28}for   {prerequisite.enables}")
            lines.append(f"{'':<28}fix   {prerequisite.fix}")
    if not verbose:
        met = len(prerequisites) - len(unmet)
        checks = "1 other check is" if met == 1 else f"{met} other checks are"
        lines += ["", f"{checks} met or not needed here (--verbose lists them)."]
    return "\n".join(lines)
