# SPDX-License-Identifier: GPL-2.0-or-later
"""The judgements as text, and as the file to send back."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from polltrace.errors import FileError
from polltrace.verify_oracle.assumptions import AssumptionVerdict, Judgement
from polltrace.verify_oracle.observations import Observations


def verification_text(judgements: Sequence[Judgement]) -> str:
    """A line for each assumption, with the reason below it; the number of each verdict."""
    lines = []
    for item in judgements:
        lines.append(f"{item.verdict.value:<17}{item.name}: {item.assumption}")
        lines.append(f"{'':<17}{item.reason}")
    counts = dict.fromkeys(AssumptionVerdict, 0)
    for item in judgements:
        counts[item.verdict] += 1
    total = ", ".join(f"{count} {verdict.value}" for verdict, count in counts.items())
    return "\n".join([*lines, "", total])


def verification_data(
    version: str, kernel: str, seen: Observations, judgements: Sequence[Judgement]
) -> dict[str, Any]:
    """The content of the file: versions, verdicts, and reasons with numbers of this report only."""
    return {
        "polltrace": version,
        "kernel": kernel,
        "database": seen.release,
        "assumptions": [
            {
                "name": item.name,
                "assumption": item.assumption,
                "verdict": item.verdict.value,
                "reason": item.reason,
            }
            for item in judgements
        ],
    }


def write_verification(path: Path, data: dict[str, Any]) -> None:
    """Write a new file. Raises FileError for one that exists, or cannot be written."""
    try:
        with path.open("x", encoding="utf-8") as file:
            json.dump(data, file, indent=2)
            file.write("\n")
    except OSError as error:
        raise FileError(f"cannot write {path}: {os.strerror(error.errno or 0)}") from None
