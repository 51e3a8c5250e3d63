# SPDX-License-Identifier: GPL-2.0-or-later
"""Engine files: TOML, checked key by key; an error is one line, KEY: what is wrong and what would
be right."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from polltrace.engines.dialect import compiled
from polltrace.engines.engine import CALLS, UNITS, VIEWS, Engine, LatchFunctions, Reveals, Trigger
from polltrace.stacks.layers.table import built_in_names as layer_tables

_OPTIONAL = {"clients", "views", "latches", "stacks"}
_TABLES = {
    "": {*("name", "short", "inherits"), *("process", "break_check", "configuration"), *_OPTIONAL},
    "process": {"executables", "title", "not_title", "local"},
    "break_check": {"calls", "chain", "chains", "function", "trigger", "reveals", "cancel_note"},
    "configuration": {
        *("parameter", "default", "file", "directories", "home", "home_table"),
        *("disable_oob", "wait_slice_s", "ask", "set", "unit", "scope"),
    },
    "clients": {"ask", "tell", "test_path"},
    "views": {"of", "waits", "sql_trace"},
    "latches": {"get", "spin", "sleep"},
    "stacks": {"layers", "find"},
}
_EXECUTABLE = re.compile(r"[A-Za-z0-9_.+-]{1,30}", re.ASCII)
# libc may hide the caller of the system call: of two functions none would be left to go by.
FEWEST_LINKS = 3
_NAME = re.compile(r"[ -~]{1,40}")
_SHORT = re.compile(r"[A-Za-z0-9_-]{1,6}", re.ASCII)
_GROUPS = {"instance", "local", "port"}
_LONGEST_TEXT, _LONG_TEXT = 200, 500
Choice = TypeVar("Choice", Trigger, Reveals)


class EngineError(ValueError):
    """`KEY: what is wrong`, in one line."""


def engine_from(data: Mapping[str, Any]) -> Engine:
    """The engine that a file, with what it inherits, describes. Raises EngineError."""
    tables = {name: _table(data, name) for name in _TABLES}
    for name, table in tables.items():
        _check_keys(table, name)
    top, process = tables[""], tables["process"]
    check, configuration = tables["break_check"], tables["configuration"]
    clients, views, stacks = tables["clients"], tables["views"], tables["stacks"]
    trigger = _choice(check, "trigger", Trigger)
    reveals = _choice(check, "reveals", Reveals)
    engine = Engine(
        name=_text(top, "name", "", _NAME, "1 to 40 printable characters"),
        short=_text(top, "short", "", _SHORT, "1 to 6 letters and digits, for a column"),
        executables=frozenset(_executables(process)),
        title=_title(process, "title"),
        not_title=_title(process, "not_title") if "not_title" in process else None,
        local=_optional_text(process, "local", "process"),
        calls=_calls(check),
        chains=_chains(check),
        check_function=_optional_text(check, "function", "break_check"),
        trigger=trigger,
        reveals=reveals,
        parameter=_text(configuration, "parameter", "configuration", _NAME, "the parameter's name"),
        default=_whole(configuration, "default", 1 if trigger is Trigger.COUNT else 0),
        configuration_file=_optional_text(configuration, "file", "configuration"),
        configuration_directories=tuple(_texts(configuration, "directories", "configuration")),
        home=_optional_text(configuration, "home", "configuration"),
        home_table=_optional_text(configuration, "home_table", "configuration"),
        disable_oob_parameter=_optional_text(configuration, "disable_oob", "configuration"),
        wait_slice_s=_seconds(configuration),
        ask=_optional_text(configuration, "ask", "configuration"),
        set=_optional_text(configuration, "set", "configuration"),
        unit=_one_of(configuration, "unit", "configuration", tuple(UNITS)) or "s",
        scope=_optional_text(configuration, "scope", "configuration"),
        cancel_note=_optional_text(check, "cancel_note", "break_check"),
        clients_ask=tuple(_texts(clients, "ask", "clients")),
        clients_tell=_optional_text(clients, "tell", "clients", _LONG_TEXT),
        clients_test_path=tuple(_texts(clients, "test_path", "clients")),
        views=_one_of(views, "of", "views", VIEWS),
        waits_view=_optional_text(views, "waits", "views"),
        sql_trace=_yes_or_no(views, "sql_trace", "views"),
        layers=_one_of(stacks, "layers", "stacks", layer_tables()),
        find=_optional_text(stacks, "find", "stacks"),
        latches=_latches(tables["latches"]),
    )
    _check_together(engine)
    return engine


def _check_together(engine: Engine) -> None:
    if engine.trigger is Trigger.COUNT and not engine.check_function:
        raise EngineError("break_check.function: trigger = 'count' needs the function of a check")
    if engine.reveals is Reveals.CANCEL and engine.trigger is Trigger.INTERVAL:
        raise EngineError("break_check.trigger: reveals = 'cancel' goes with trigger = 'count'")
    if engine.reveals is Reveals.LOST_CLIENT and engine.trigger is Trigger.COUNT:
        raise EngineError(
            "break_check.trigger: reveals = 'lost client' goes with trigger = 'interval'"
        )
    if engine.set and "{value}" not in engine.set:
        raise EngineError(
            "configuration.set: write {value} where the number in configuration.unit is"
        )
    if engine.configuration_file and not engine.configuration_directories:
        raise EngineError("configuration.directories: missing; where is configuration.file?")


def _table(data: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    table = data if not name else data.get(name, {} if name in _OPTIONAL else None)
    if table is None:
        raise EngineError(f"{name}: missing; the file needs a table [{name}]")
    if not isinstance(table, dict):
        raise EngineError(f"{name}: a table [{name}] is expected")
    return table


def _check_keys(table: Mapping[str, Any], name: str) -> None:
    for key in table:
        if key not in _TABLES[name]:
            keys = ", ".join(sorted(_TABLES[name]))
            raise EngineError(f"{_key(name, str(key))}: no such key; known are {keys}")


def _key(table: str, key: str) -> str:
    return f"{table}.{key}" if table else key


def _text(
    table: Mapping[str, Any], key: str, name: str, form: re.Pattern[str], expected: str
) -> str:
    if key not in table:
        raise EngineError(f"{_key(name, key)}: missing; give {expected}")
    value = table[key]
    if not isinstance(value, str) or not form.fullmatch(value):
        raise EngineError(f"{_key(name, key)}: {expected} is expected")
    return value


def _optional_text(
    table: Mapping[str, Any], key: str, name: str, longest: int = _LONGEST_TEXT
) -> str:
    value = table.get(key, "")
    if not isinstance(value, str) or len(value) > longest or not value.isprintable():
        raise EngineError(
            f"{_key(name, key)}: a text of one line, at most {longest} long, is expected"
        )
    return value


def _one_of(table: Mapping[str, Any], key: str, name: str, choices: Sequence[str]) -> str:
    value = _optional_text(table, key, name)
    if value and value not in choices:
        raise EngineError(f"{_key(name, key)}: one of {', '.join(choices)} is expected")
    return value


def _yes_or_no(table: Mapping[str, Any], key: str, name: str) -> bool:
    value = table.get(key, False)
    if not isinstance(value, bool):
        raise EngineError(f"{_key(name, key)}: true or false is expected")
    return value


def _texts(table: Mapping[str, Any], key: str, name: str) -> list[str]:
    value = table.get(key, [])
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise EngineError(f"{_key(name, key)}: a list of texts is expected")
    return value


def _latches(table: Mapping[str, Any]) -> LatchFunctions:
    if not table:
        return LatchFunctions()
    for key in _TABLES["latches"]:
        if not table.get(key):
            raise EngineError(f"latches.{key}: missing; [latches] needs get, spin and sleep")
    return LatchFunctions(
        *(frozenset(_texts(table, key, "latches")) for key in ("get", "spin", "sleep"))
    )


def _executables(process: Mapping[str, Any]) -> list[str]:
    names = _texts(process, "executables", "process")
    if not names or not all(_EXECUTABLE.fullmatch(name) for name in names):
        raise EngineError(
            "process.executables: file names without a path, of at most 30 letters, digits and "
            "_ . + -, are expected"
        )
    return names


def _title(process: Mapping[str, Any], key: str) -> re.Pattern[str]:
    value = process.get(key)
    if not isinstance(value, str) or not value:
        raise EngineError(f"process.{key}: missing; give a regular expression")
    try:
        pattern = compiled(value)
    except ValueError as error:
        raise EngineError(
            f"process.{key}: {error} (see docs/reference/engines.md, Titles)"
        ) from None
    if unknown := set(pattern.groupindex) - _GROUPS:
        raise EngineError(
            f"process.{key}: no group is called {min(unknown)!r}; known are instance, local, port"
        )
    return pattern


def _calls(check: Mapping[str, Any]) -> tuple[str, ...]:
    calls = _texts(check, "calls", "break_check")
    if not calls or not set(calls) <= set(CALLS):
        raise EngineError(f"break_check.calls: some of {', '.join(CALLS)} are expected")
    return tuple(dict.fromkeys(calls))


def _chains(check: Mapping[str, Any]) -> tuple[tuple[frozenset[str], ...], ...]:
    if ("chain" in check) == ("chains" in check):
        raise EngineError(
            "break_check.chain: give the functions of the check, or several as chains"
        )
    chains = [check["chain"]] if "chain" in check else check["chains"]
    wrong = EngineError(
        "break_check.chain: a list of three or more functions, outermost first, is expected, each "
        "a list of the names it has had"
    )
    if not isinstance(chains, list) or not chains:
        raise wrong
    for chain in chains:
        if not isinstance(chain, list) or len(chain) < FEWEST_LINKS:
            raise wrong
        for names in chain:
            if not isinstance(names, list) or not names:
                raise wrong
            if not all(isinstance(name, str) and name for name in names):
                raise wrong
    return tuple(tuple(frozenset(names) for names in chain) for chain in chains)


def _choice(table: Mapping[str, Any], key: str, kind: type[Choice]) -> Choice:
    for choice in kind:
        if table.get(key) == choice.value:
            return choice
    values = ", ".join(repr(choice.value) for choice in kind)
    raise EngineError(f"break_check.{key}: one of {values} is expected")


def _whole(table: Mapping[str, Any], key: str, minimum: int) -> int:
    value = table.get(key)
    if not isinstance(value, int) or isinstance(value, bool) or not minimum <= value <= 1_000_000:
        raise EngineError(
            f"configuration.{key}: a whole number from {minimum} to 1000000 is expected"
        )
    return value


def _seconds(table: Mapping[str, Any]) -> float:
    value = table.get("wait_slice_s", 0)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 3600:
        raise EngineError("configuration.wait_slice_s: seconds from 0 to 3600 are expected")
    return float(value)
