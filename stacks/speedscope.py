# SPDX-License-Identifier: GPL-2.0-or-later
"""Folded stacks as a file for speedscope.app: its "sampled" profile, as the schema has it."""

from __future__ import annotations

import json

from polltrace.stacks.folded import total
from polltrace.stacks.picture import NANOSECONDS, Picture

SCHEMA = "https://www.speedscope.app/file-format-schema.json"


def speedscope(picture: Picture) -> str:
    """One file with a profile for each side; frames are shared, weights are samples, or times."""
    sides = [side for side in (picture.before, picture.side) if side is not None]
    names = sorted({name for side in sides for stack in side.folded for name in stack})
    number = {name: i for i, name in enumerate(names)}
    profiles = []
    for side in sides:
        stacks = sorted((s, n) for s, n in side.folded.items() if s)
        profiles.append(
            {
                "type": "sampled",
                "name": side.name,
                "unit": NANOSECONDS if picture.unit == NANOSECONDS else "none",
                "startValue": 0,
                "endValue": total(dict(stacks)),
                "samples": [[number[name] for name in stack] for stack, _ in stacks],
                "weights": [n for _, n in stacks],
            }
        )
    file = {
        "$schema": SCHEMA,
        # The format has no place for remarks; readers show the name.
        "name": " ".join([picture.title, *(f"({note})" for note in picture.notes)]),
        "exporter": picture.exporter,
        "activeProfileIndex": 0,
        "shared": {"frames": [{"name": name} for name in names]},
        "profiles": profiles,
    }
    return json.dumps(file, ensure_ascii=False, separators=(",", ":")) + "\n"
