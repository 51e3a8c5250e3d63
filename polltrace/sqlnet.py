# SPDX-License-Identifier: GPL-2.0-or-later
"""The sqlnet.ora that a server process read as it started, and what it says about breaks."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePath

from polltrace.engines import Engine

# `NAME = value` at the start of a line; a line that starts with a blank goes on with the last.
_ASSIGNMENT = re.compile(r"([\w.]+)\s*=\s*(.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class BreakSettings:
    """`path` is as the process sees it; None where it has no such file: all are defaults."""

    path: PurePath | None
    break_poll_skip: int
    disable_oob: bool
    skip_is_default: bool


def break_settings(engine: Engine, environ: Mapping[str, str], root: Path) -> BreakSettings:
    """What a process of `engine` with this environment would read; `root` is its root directory.

    A server reads the file once: an edit since then shows here and not in the process.
    """
    path = _find(engine, environ, root)
    parameters = parse((root / path).read_text(errors="replace")) if path else {}
    skip = parameters.get(engine.skip_parameter, "")
    return BreakSettings(
        path=Path("/") / path if path else None,
        break_poll_skip=int(skip) if skip.isdecimal() else engine.default_skip,
        disable_oob=parameters.get(engine.disable_oob_parameter, "").upper()
        in {"ON", "YES", "TRUE", "1"},
        skip_is_default=not skip.isdecimal(),
    )


def parse(text: str) -> dict[str, str]:
    """Parameters by upper-case name. Of a repeated one the last counts; comments start with #."""
    logical: list[str] = []
    for raw in text.splitlines():
        line = raw.partition("#")[0].rstrip()
        if not line:
            continue
        if line[0].isspace() and logical:
            logical[-1] += line
        else:
            logical.append(line.strip())
    matches = filter(None, map(_ASSIGNMENT.fullmatch, logical))
    return {match[1].upper(): match[2].strip().strip('"') for match in matches}


def _find(engine: Engine, environ: Mapping[str, str], root: Path) -> Path | None:
    """The first file there is, in the order in which the server looks, from its root on."""
    for directory in engine.configuration_directories:
        variable, _, rest = directory.removeprefix("$").partition("/")
        if base := environ.get(variable):
            path = Path(base.lstrip("/")) / rest / engine.configuration_file
            if (root / path).is_file():
                return path
    return None
