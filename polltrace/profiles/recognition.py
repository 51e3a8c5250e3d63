# SPDX-License-Identifier: GPL-2.0-or-later
"""Which engine a process is a dedicated server of, by what the probe announced of it."""

from __future__ import annotations

import posixpath

from polltrace.engines import Engine, engines
from polltrace.profiles.frames import WatchedProcess


def title_of(process: WatchedProcess) -> str:
    """Its process title: a server writes it over its arguments. A recording keeps it up to where an
    engine's expression ends, which may be a blank."""
    return " ".join(process.cmdline)


def engine_of_process(process: WatchedProcess) -> Engine | None:
    """By its title and its executable's name; by its command name where the executable could not
    be read, and by its title alone where that is another, as of a renamed thread."""
    title = title_of(process)
    matching = [engine for engine in engines() if engine.titled(title)]
    if program := posixpath.basename(process.exe.removesuffix(" (deleted)")):
        return next((each for each in matching if program in each.executables), None)
    named = [e for e in matching if any(process.comm.startswith(x) for x in e.executables)]
    return next(iter(named or matching), None)
