# SPDX-License-Identifier: GPL-2.0-or-later
"""How to recognise a database engine's server processes and break check: a TOML file per engine."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from polltrace.stacks import CallChain


@dataclass(frozen=True, slots=True)
class Engine:
    """One engine, by what its file states; oracle.toml has the sources.

    `short` is its name in the width of a column. A dedicated server runs one of `executables` under
    a process title that `title` matches (groups `instance` and `local`). `chain` is the break
    check's functions, outermost first, each with the names it has had; `check_function` the one
    called at every check, polled or not. `configuration_file` lies in the first of
    `configuration_directories` that has it; `skip_parameter` sets checks per poll in it, else
    `default_skip`, and `disable_oob_parameter` turns out-of-band breaks off. A session that waits
    checks every `wait_slice_s` seconds.
    """

    name: str
    short: str
    executables: frozenset[str]
    title: re.Pattern[str]
    chain: tuple[frozenset[str], ...]
    check_function: str
    configuration_file: str
    configuration_directories: tuple[str, ...]
    skip_parameter: str
    default_skip: int
    disable_oob_parameter: str
    wait_slice_s: float


@cache
def engines() -> tuple[Engine, ...]:
    """Every engine this release knows."""
    folder = files("polltrace.engines")
    names = sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(".toml"))
    return tuple(_engine(_read(name.removesuffix(".toml"))) for name in names)


def engine_of(executable: str, title: str) -> tuple[Engine, re.Match[str]] | None:
    """The engine whose dedicated server has this executable name and process title."""
    for engine in engines():
        if executable in engine.executables and (match := engine.title.match(title)):
            return engine, match
    return None


def has_server_title(title: str) -> bool:
    """Whether a dedicated server of some engine might have this process title; so may others."""
    return any(engine.title.match(title) for engine in engines())


def break_chains() -> tuple[CallChain, ...]:
    """The break check of every engine, each once."""
    return tuple(dict.fromkeys(CallChain(engine.chain) for engine in engines()))


def _read(name: str) -> dict[str, Any]:
    data = tomllib.loads(files("polltrace.engines").joinpath(f"{name}.toml").read_text("utf-8"))
    if parent := data.pop("inherits", None):
        return _merged(_read(parent), data)
    return data


def _merged(base: dict[str, Any], over: dict[str, Any]) -> dict[str, Any]:
    return {
        key: _merged(base[key], over[key])
        if isinstance(base.get(key), dict) and isinstance(over.get(key), dict)
        else over.get(key, base.get(key))
        for key in base | over
    }


def _engine(data: dict[str, Any]) -> Engine:
    process, check, configuration = data["process"], data["break_check"], data["configuration"]
    return Engine(
        name=data["name"],
        short=data["short"],
        executables=frozenset(process["executables"]),
        title=re.compile(process["title"]),
        chain=tuple(frozenset(names) for names in check["chain"]),
        check_function=check["function"],
        configuration_file=configuration["file"],
        configuration_directories=tuple(configuration["directories"]),
        skip_parameter=configuration["skip"],
        default_skip=configuration["default_skip"],
        disable_oob_parameter=configuration["disable_oob"],
        wait_slice_s=configuration["wait_slice_s"],
    )
