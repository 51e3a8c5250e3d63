# SPDX-License-Identifier: GPL-2.0-or-later
"""`polltrace doctor`: the findings as text or data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from polltrace.doctor.finding import Finding, State

_MARKS = {State.OK: "ok", State.MISSING: "MISSING", State.UNKNOWN: "?"}


def doctor_data(findings: Sequence[Finding], works: bool) -> dict[str, Any]:
    """As JSON-ready data; `mend` null where nothing is amiss."""
    return {
        "default_backend_works": works,
        "findings": [
            {
                "name": each.name,
                "state": each.state.value,
                "found": each.found,
                "enables": each.enables,
                "mend": each.mend or None,
            }
            for each in findings
        ],
    }


def doctor_text(findings: Sequence[Finding], works: bool) -> str:
    """A line each, and below what is not right what it would enable and what mends it."""
    lines = []
    for each in findings:
        lines.append(f"{_MARKS[each.state]:<8}{each.name:<18}{each.found}")
        if each.state is not State.OK:
            lines.append(f"{'':<26}for   {each.enables}")
            lines.append(f"{'':<26}mend  {each.mend}")
    answer = "works" if works else "DOES NOT WORK here: see above what mends it"
    return "\n".join([*lines, "", f"The default backend (eBPF) {answer}."])
