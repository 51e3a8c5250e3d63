# SPDX-License-Identifier: GPL-2.0-or-later
"""Recognition of a database engine's server processes and break check, by a TOML file each."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from functools import lru_cache
from pathlib import Path

from polltrace.engines.catalogue import built_in, check_apart, of_file, of_recording, of_site
from polltrace.engines.engine import (
    BREAK_POLL,
    CALLS,
    TIMER_CHECK,
    CheckKind,
    Engine,
    Reveals,
    Trigger,
)
from polltrace.stacks import CallChain

__all__ = [
    "BREAK_POLL",
    "CALLS",
    "TIMER_CHECK",
    "CheckKind",
    "Engine",
    "Reveals",
    "Trigger",
    "add_engines",
    "break_chains",
    "check_options",
    "engine_named",
    "engine_of",
    "engines",
    "engines_checking",
    "has_server_title",
    "is_built_in",
]

# A recording carries its engines, and may be of any origin.
_MOST_ENGINES = 100
_catalogue: tuple[Engine, ...] = ()


def engines() -> tuple[Engine, ...]:
    """Every engine: those given first, then the site's, then this release's."""
    if not _catalogue:
        add_engines(())
    return _catalogue


def add_engines(paths: Sequence[Path]) -> None:
    """Know the engines of these files as well. Raises FileError for a file that is none, and for
    two engines of one name; a site's file of a name that is known already is left out."""
    global _catalogue  # noqa: PLW0603 - decided once, by the command line
    chosen, ours = [of_file(path) for path in paths], built_in()
    names = {engine.name for engine in (*chosen, *ours)}
    site = [engine for engine in of_site() if engine.name not in names]
    check_apart([*chosen, *ours])
    _catalogue = (*chosen, *site, *ours)


def engine_named(name: str, declaration: str = "") -> Engine | None:
    """The engine of this name; where no file has it, the one that `declaration`, a recording's,
    describes, which is known from then on. None where there is neither. Raises EngineError."""
    global _catalogue  # noqa: PLW0603 - stacks of the recording are judged by its chains as well
    known_engines = engines()
    for engine in known_engines:
        if engine.name == name:
            return engine
    if not declaration or len(known_engines) >= _MOST_ENGINES:
        return None
    recorded = of_recording(declaration)
    if recorded.name != name:
        return None
    _catalogue = (*known_engines, recorded)
    return recorded


def is_built_in(engine: Engine) -> bool:
    """True if the engine comes with this release."""
    return engine.name in _built_in_names()


# No decorator: mutmut skips decorated functions.
_built_in_names = lru_cache(1)(lambda: frozenset(engine.name for engine in built_in()))


def engine_of(executable: str, title: str) -> tuple[Engine, re.Match[str]] | None:
    """The engine whose dedicated server has this executable name and process title."""
    for engine in engines():
        if executable in engine.executables and (match := engine.titled(title)):
            return engine, match
    return None


def has_server_title(title: str) -> bool:
    """True if a dedicated server of some engine might have this process title; so may others."""
    return any(engine.titled(title) for engine in engines())


def engines_checking(names: Set[str]) -> frozenset[Engine]:
    """The engines that `find` names a function of among these; the first of those that share it."""
    by_function: dict[str, Engine] = {}
    for engine in engines():
        if engine.find in names:
            by_function.setdefault(engine.find, engine)
    return frozenset(by_function.values())


def break_chains(engine: Engine | None = None) -> tuple[CallChain, ...]:
    """The break check of one engine, or without one the checks of all engines, each once."""
    chosen = engines() if engine is None else (engine,)
    return tuple(dict.fromkeys(CallChain(links) for each in chosen for links in each.chains))


def check_options() -> list[str]:
    """polltrace-probe's options for the calls that are checks: poll alone needs none."""
    calls: dict[str, set[str]] = {}
    for engine in engines():
        for executable in engine.executables:
            calls.setdefault(executable, set()).update(engine.calls)
    return [
        word
        for executable, names in sorted(calls.items())
        if names and names != {"poll"}
        for word in ("--check", f"{executable}={','.join(sorted(names))}")
    ]
