# SPDX-License-Identifier: GPL-2.0-or-later
"""Recognition of dedicated servers by the probe's announcement of a process."""

from __future__ import annotations

import posixpath

from polltrace.engines import Engine, engines
from polltrace.profiles.frames import WatchedProcess


def title_of(process: WatchedProcess) -> str:
    """The process title, as a server sets it. A recording keeps it up to where an
    engine's expression ends, which may be a blank."""
    return " ".join(process.cmdline)


def engine_of_process(process: WatchedProcess) -> Engine | None:
    """The engine by title and executable; by the command name where the executable could not
    be read, and by its title alone where that is another, as of a renamed thread."""
    title = title_of(process)
    matching = [engine for engine in engines() if engine.titled(title)]
    if program := posixpath.basename(process.exe.removesuffix(" (deleted)")):
        return next((engine for engine in matching if program in engine.executables), None)
    named = [e for e in matching if any(process.comm.startswith(x) for x in e.executables)]
    return next(iter(named or matching), None)
