# SPDX-License-Identifier: GPL-2.0-or-later
"""Engine files: TOML, checked key by key; an error is one line, KEY: what is wrong and what would
be right."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence, Set
from typing import Any

from polltrace.engines.dialect import compiled
from polltrace.engines.engine import (
    CALLS,
    COST_MODELS,
    TIMED_CALLS,
    UNITS,
    VIEWS,
    CheckKind,
    Engine,
    LatchFunctions,
    Reveals,
    Trigger,
)
from polltrace.stacks.function_names import function_name
from polltrace.stacks.layers.table import built_in_names as layer_tables

# [configuration] is mandatory for an engine that checks.
_OPTIONAL = {"others", "configuration", "clients", "views", "latches", "stacks"}
_TABLES = {
    "": {*("name", "short", "inherits"), *("process", "break_check"), *_OPTIONAL},
    "others": set(),
    "process": {"executables", "title", "not_title", "local", "sessions"},
    "break_check": {
        *("calls", "chain", "chains", "function", "trigger", "started_by", "reveals"),
        *("system_calls", "cost_model", "cancel_note", "no_check"),
    },
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
_NAME = re.compile(r"[ -~]{1,40}")
_CLAUSE = re.compile(r"[ -~]{1,200}")
_SHORT = re.compile(r"[A-Za-z0-9_-]{1,6}", re.ASCII)
_GROUPS = {"instance", "local", "port"}
_LONGEST_TEXT, _LONG_TEXT = 200, 500
# A chain or a list of calls that is longer is no description of one check.
_MOST_LINKS, _MOST_NAMES, _MOST_CALLS = 30, 30, 8
_MOST_KINDS = 20
_STARTED_BY = ("loop", "signal")
_SESSIONS = ("process", "thread")


class EngineError(ValueError):
    """`KEY: problem`, in one line."""


def engine_from(data: Mapping[str, Any]) -> Engine:
    """The engine that a file describes, with the keys it inherits. Raises EngineError."""
    tables = {name: _table(data, name) for name in _TABLES}
    for name, table in tables.items():
        _check_keys(table, name)
    top, process = tables[""], tables["process"]
    check, configuration = tables["break_check"], tables["configuration"]
    clients, views, stacks = tables["clients"], tables["views"], tables["stacks"]
    trigger = _trigger(check)
    checks = trigger is not Trigger.NONE
    if checks and "configuration" not in data:
        raise EngineError("configuration: missing; the file needs a table [configuration]")
    engine = Engine(
        name=_text(top, "name", "", _NAME, "1 to 40 printable characters"),
        short=_text(top, "short", "", _SHORT, "1 to 6 letters and digits, for a column"),
        executables=frozenset(_executables(process)),
        title=_title(process, "title"),
        not_title=_title(process, "not_title") if "not_title" in process else None,
        local=_optional_text(process, "local", "process"),
        calls=_calls(check) if checks else (),
        chains=_chains(check) if checks else (),
        check_function=_optional_text(check, "function", "break_check"),
        check_kind=_check_kind(check, trigger),
        reveals=_reveals(check) if checks else frozenset(),
        parameter=_text(configuration, "parameter", "configuration", _NAME, "the parameter's name")
        if checks
        else "",
        default=_whole(configuration, "default", 1 if trigger is Trigger.COUNT else 0)
        if checks
        else 0,
        no_check="" if checks else _text(check, "no_check", "break_check", _CLAUSE, "a clause"),
        sessions_are_threads=_one_of(process, "sessions", "process", _SESSIONS) == "thread",
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
        others=_others(tables["others"]),
        declaration=json.dumps(data),
    )
    _check_together(engine)
    return engine


def _check_together(engine: Engine) -> None:
    if engine.trigger is Trigger.COUNT and not engine.check_function:
        raise EngineError("break_check.function: trigger = 'count' needs the function of a check")
    if engine.trigger is not Trigger.INTERVAL and engine.check_kind.by_signal:
        raise EngineError("break_check.started_by: 'signal' goes with trigger = 'interval'")
    if engine.check_kind.model == "oracle" and not (
        engine.polls_by_count and engine.has_out_of_band and engine.reveals == {Reveals.CANCEL}
    ):
        raise EngineError(
            "break_check.cost_model: 'oracle' goes with trigger = 'count', reveals = ['cancel'] "
            "and configuration.disable_oob"
        )
    if engine.check_kind.model == "postgresql" and not engine.check_kind.by_signal:
        raise EngineError("break_check.cost_model: 'postgresql' goes with started_by = 'signal'")
    if engine.has_out_of_band and engine.check_kind.model != "oracle":
        raise EngineError(
            "configuration.disable_oob: goes with break_check.cost_model = 'oracle', for out-of-"
            "band breaks are known of Oracle alone"
        )
    if engine.never_checks and engine.check_function:
        raise EngineError("break_check.function: trigger = 'none' has no check function")
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
        # The keys of [others] are kinds of processes, in the file's words.
        if name != "others" and key not in _TABLES[name]:
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


def _title(
    table: Mapping[str, Any], key: str, name: str = "process", groups: Set[str] = _GROUPS
) -> re.Pattern[str]:
    value = table.get(key)
    if not isinstance(value, str) or not value:
        raise EngineError(f"{name}.{key}: missing; give a regular expression")
    try:
        pattern = compiled(value)
    except ValueError as error:
        raise EngineError(
            f"{name}.{key}: {error} (see docs/reference/engines.md, Titles)"
        ) from None
    if unknown := set(pattern.groupindex) - groups:
        raise EngineError(
            f"{name}.{key}: no group is called {min(unknown)!r}; known are "
            f"{', '.join(sorted(groups))}"
        )
    return pattern


def _others(table: Mapping[str, Any]) -> tuple[tuple[str, re.Pattern[str]], ...]:
    if len(table) > _MOST_KINDS:
        raise EngineError(f"others: at most {_MOST_KINDS} kinds of processes are expected")
    for kind in table:
        if not _NAME.fullmatch(kind):
            raise EngineError(f"others.{kind!r}: 1 to 40 printable characters are expected")
    return tuple((kind, _title(table, kind, "others", _GROUPS | {"name"})) for kind in table)


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
        "break_check.chain: a list of functions, outermost first, is expected, each a list of the "
        f"names it has had; at most {_MOST_LINKS} functions and {_MOST_NAMES} names"
    )
    if not isinstance(chains, list) or not 0 < len(chains) <= _MOST_LINKS:
        raise wrong
    for chain in chains:
        if not isinstance(chain, list) or not 0 < len(chain) <= _MOST_LINKS:
            raise wrong
        for names in chain:
            if not isinstance(names, list) or not 0 < len(names) <= _MOST_NAMES:
                raise wrong
            if not all(isinstance(name, str) and name.isprintable() and name for name in names):
                raise wrong
    return tuple(tuple(frozenset(map(function_name, names)) for names in chain) for chain in chains)


def _trigger(check: Mapping[str, Any]) -> Trigger:
    for trigger in Trigger:
        if check.get("trigger") == trigger.value:
            return trigger
    values = ", ".join(repr(trigger.value) for trigger in Trigger)
    raise EngineError(f"break_check.trigger: one of {values} is expected")


def _reveals(check: Mapping[str, Any]) -> frozenset[Reveals]:
    """The events, given as a list or as the only one."""
    value = check.get("reveals")
    names = [value] if isinstance(value, str) else value
    by_name = {event.value: event for event in Reveals}
    if (
        not isinstance(names, list)
        or not names
        or not all(isinstance(name, str) and name in by_name for name in names)
    ):
        raise EngineError(
            f"break_check.reveals: a list of {' or '.join(map(repr, by_name))}, or both, is "
            "expected"
        )
    return frozenset(by_name[name] for name in names)


def _check_kind(check: Mapping[str, Any], trigger: Trigger) -> CheckKind:
    model = _one_of(check, "cost_model", "break_check", COST_MODELS)
    by_signal = _one_of(check, "started_by", "break_check", _STARTED_BY) == "signal"
    calls = _texts(check, "system_calls", "break_check")
    if not set(calls) <= set(TIMED_CALLS) or len(calls) > _MOST_CALLS:
        raise EngineError(
            f"break_check.system_calls: at most {_MOST_CALLS} of {', '.join(TIMED_CALLS)} are "
            "expected"
        )
    return CheckKind(trigger, by_signal, tuple(calls or check.get("calls", ())[:1]), model)


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
