# SPDX-License-Identifier: GPL-2.0-or-later
"""The parts of a command line that a file for others may contain.

Arguments contain passwords (`sqlplus scott/tiger@db`), in more forms than a pattern can match. So
those of other programs are never stored, with one exception: a dedicated server's title, which is
one argument or has a known form, and contains none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from polltrace.engines import engines


def own_command(argv: Sequence[str]) -> tuple[str, ...]:
    """Our own command line; for a COMMAND after `--` its name alone."""
    words = list(argv)
    if "--" not in words:
        return tuple(words)
    separator = words.index("--")
    hidden = len(words) - separator - 2
    return (*words[: separator + 2], *([f"[{hidden} arguments left out]"] if hidden > 0 else []))


def without_arguments(process: Mapping[str, Any]) -> dict[str, Any]:
    """A `process` record of the probe with the storable part of its command line."""
    cmdline = process.get("cmdline") or []
    title = " ".join(cmdline)
    for engine in engines():
        if match := engine.titled(title):
            return {**process, "cmdline": [match[0]]}
    return {**process, "cmdline": cmdline[:1]}
