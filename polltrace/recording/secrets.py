# SPDX-License-Identifier: GPL-2.0-or-later
"""The part of a command line that may get into a file that will be sent to others.

Arguments hold passwords (`sqlplus scott/tiger@db`), in more ways than a pattern knows. So those of
other programs never get in, with one exception: a dedicated server's title, which is all one
argument or a known form, and holds none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from polltrace.engines import engines


def own_command(argv: Sequence[str]) -> tuple[str, ...]:
    """Our own command line; of a COMMAND behind `--` its name alone."""
    words = list(argv)
    if "--" not in words:
        return tuple(words)
    at = words.index("--")
    hidden = len(words) - at - 2
    return (*words[: at + 2], *([f"[{hidden} arguments left out]"] if hidden > 0 else []))


def without_arguments(process: Mapping[str, Any]) -> dict[str, Any]:
    """A `process` record of the probe with the part of its command line that may be kept."""
    cmdline = process.get("cmdline") or []
    title = " ".join(cmdline)
    for engine in engines():
        if match := engine.titled(title):
            return {**process, "cmdline": [match[0]]}
    return {**process, "cmdline": cmdline[:1]}
