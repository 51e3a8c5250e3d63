# SPDX-License-Identifier: GPL-2.0-or-later
"""The engine files there are: those of this release, the site's, and those given with --engine."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any

from polltrace.bounded_file import UnreadableError, read_bounded
from polltrace.engines.engine import Engine
from polltrace.engines.schema import EngineError, engine_from
from polltrace.errors import FileError
from polltrace.printable import note, one_line

SITE = Path("/etc/polltrace/engines")
# A hundred times the size of an engine's file.
_LONGEST = 1 << 16
_MOST_FILES = 50


def built_in() -> list[Engine]:
    """The engines of this release, by file name."""
    return [packaged(name) for name in built_in_names()]


def packaged(name: str) -> Engine:
    """The engine of this release with this file name."""
    return engine_from(_with_parents(_packaged(name)))


def built_in_names() -> list[str]:
    entries = files("polltrace.engines").iterdir()
    return sorted(
        entry.name.removesuffix(".toml") for entry in entries if entry.name.endswith(".toml")
    )


def of_recording(declaration: str) -> Engine:
    """The engine that a recording carries. Raises EngineError.

    Its title matches nothing, because the expression and the titles that it would be matched with
    come from one file, whose author could make the match last for ever.
    """
    if len(declaration) > _LONGEST:
        raise EngineError(f"the engine of a recording is longer than {_LONGEST} characters")
    data = _with_parents(_json_object(declaration))
    return replace(engine_from(data), title=_NO_TITLE, not_title=None)


_NO_TITLE = re.compile(r"(?!)")


def _json_object(text: str) -> dict[str, Any]:
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise EngineError(f"it is not JSON: {error}") from None
    if not isinstance(data, dict):
        raise EngineError("it is no JSON object")
    return data


def of_site(folder: Path = SITE) -> Iterator[Engine]:
    """The engines of a folder. A file that is none is left out, with a line on stderr."""
    try:
        paths = sorted(path for path in folder.iterdir() if path.suffix == ".toml")
    except OSError:
        return
    if len(paths) > _MOST_FILES:
        note(f"{folder} has {len(paths)} engine files; only the first {_MOST_FILES} are read")
    for path in paths[:_MOST_FILES]:
        try:
            yield of_file(path)
        except FileError as error:
            note(f"{error}; the file is left out")


def of_file(path: Path) -> Engine:
    """The engine of one file. Raises FileError: FILE: KEY: problem."""
    try:
        file = read_bounded("/", path.absolute(), _LONGEST)
        if file is None:
            raise FileError(f"cannot read {path}: no such file")
        return engine_from(_with_parents(_parsed(file.content.decode("utf-8"))))
    except UnreadableError as error:
        raise FileError(f"cannot read {path}: {error}") from None
    except UnicodeDecodeError:
        raise FileError(f"{path}: it is not UTF-8 text") from None
    except EngineError as error:
        raise FileError(f"{path}: {one_line(str(error))}") from None


def _parsed(text: str) -> dict[str, Any]:
    """Raises EngineError for a text that is not TOML."""
    try:
        return tomllib.loads(text)
    # Also a number of thousands of digits is a ValueError, and arrays within arrays recurse.
    except (ValueError, RecursionError) as error:
        raise EngineError(f"it is not TOML: {error}") from None


def check_apart(engines: Sequence[Engine]) -> None:
    """Raises FileError where two engines have one name, by which recordings know them."""
    names = [engine.name for engine in engines]
    if twice := {name for name in names if names.count(name) > 1}:
        raise FileError(f"two engine files say name = {min(twice)!r}: give one another name")


def _with_parents(data: dict[str, Any]) -> dict[str, Any]:
    parent = data.pop("inherits", None)
    if parent is None:
        return data
    if parent not in built_in_names():
        raise EngineError(f"inherits: one of {', '.join(built_in_names())} is expected")
    return _merged(_with_parents(_packaged(parent)), data)


def _packaged(name: str) -> dict[str, Any]:
    text = files("polltrace.engines").joinpath(f"{name}.toml").read_text("utf-8")
    return tomllib.loads(text)


def _merged(base: dict[str, Any], over: dict[str, Any]) -> dict[str, Any]:
    return {
        key: _merged(base[key], over[key])
        if isinstance(base.get(key), dict) and isinstance(over.get(key), dict)
        else over.get(key, base.get(key))
        for key in base | over
    }
