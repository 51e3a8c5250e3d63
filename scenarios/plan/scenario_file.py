# SPDX-License-Identifier: GPL-2.0-or-later
"""Scenario files: TOML, read and checked; an error is one line, FILE: KEY: PROBLEM."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any, NoReturn

from polltrace.errors import FileError, UsageError
from polltrace.scenarios.clients import LOAD_PROGRAMS, PROGRAMS
from polltrace.scenarios.plan.cell import (
    BREAK_MODES,
    BUSY,
    CLIENT,
    FETCHED_BY,
    GONE,
    MATRIX,
    OF_LINKS,
    RESULT_CACHES,
    TRANSPORTS,
)
from polltrace.scenarios.plan.network_path import URGENT, NetworkPath
from polltrace.scenarios.plan.scenario import (
    CHECKS,
    LAB_PROCESSORS,
    OF_LOADS,
    ONE_PROCESSOR,
    ONLY_OF_LOADS,
    RECORDS,
    Expected,
    Scenario,
)
from polltrace.scenarios.plan.statement import is_query, placeholders

_TOP = frozenset(
    {"title", "statement", "workload", "processors", "binds", "seconds", "record", "expected"}
)
_TABLES = frozenset({"matrix", "base", "paths", "repeats"})
_MOST = 10_000
MOST_SESSIONS = 200
"""Of a cell: each has a client process of its own."""
_CHOICES: Mapping[str, tuple[Any, ...]] = {
    "client": tuple(PROGRAMS),
    "break_mode": BREAK_MODES,
    "busy": BUSY,
    "gone": GONE,
    "fetched_by": FETCHED_BY,
    "path_check": (True, False),
    "transport": TRANSPORTS,
    "cache": (True, False),
    "result_cache": RESULT_CACHES,
}


def built_in() -> dict[str, Path]:
    """The scenarios that come with polltrace, by name."""
    return {
        Path(str(file)).stem: Path(str(file))
        for file in sorted(files("polltrace.scenarios").iterdir(), key=str)
        if file.name.endswith(".toml")
    }


def find(name: str) -> Scenario:
    """A scenario by name, or by the path of a file. Raises UsageError, FileError."""
    if "/" in name or name.endswith(".toml"):
        return load(Path(name))
    scenarios = built_in()
    if name not in scenarios:
        raise UsageError(
            f"no scenario is called {name!r}; there are {', '.join(scenarios)}, "
            "or give a .toml file"
        )
    return load(scenarios[name])


def workload_file(name: str) -> Path:
    """The file of a scenario's workload: a path, or relative to those that come with polltrace."""
    return Path(str(files("polltrace.scenarios").joinpath(name)))


def load(path: Path) -> Scenario:
    """Raises FileError with one line that names the file and the key."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "not text"
        raise FileError(f"cannot read {path}: {reason}") from None
    try:
        data = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise FileError(f"{path}: {error}") from None
    return _Checked(path, data).scenario()


def scenario_of_statement(
    sql: str, binds: Mapping[str, Any], skips: Sequence[int], clients: Sequence[str]
) -> Scenario:
    """A scenario that compares break modes and skips on one query. Raises FileError for binds that
    do not fit, UsageError for another statement than a query."""
    if not is_query(sql):
        raise UsageError("--sql takes a query: it is executed many times, and must change nothing")
    data = {
        "title": f"break modes and skips on: {' '.join(sql.split())[:60]}",
        "statement": sql,
        "binds": dict(binds),
        "record": ["elapsed", "polls", "statistics"],
        "matrix": {
            "client": list(clients),
            "break_mode": ["out-of-band", "in-band"],
            "skip": list(skips),
        },
        "base": {"break_mode": "out-of-band"},
        "repeats": {"blocks": 8, "timed": 6, "counted": 2},
        "expected": [
            {"check": "same plan", "text": "The query has the same plan in all cells."},
            {"check": "views equal", "text": "All cells do the same work: gets, reads, waits."},
        ],
    }
    return replace(_Checked(Path("--sql"), data).scenario(), name="statement")


class _Checked:
    """The content of a file; every method raises FileError for a value that does not fit."""

    def __init__(self, path: Path, data: Mapping[str, Any]) -> None:
        self.path = path
        self.data = data

    def wrong(self, key: str, problem: str) -> NoReturn:
        raise FileError(f"{self.path}: {key}: {problem}")

    def known(self, where: str, table: Mapping[str, Any], names: frozenset[str]) -> None:
        for key in table:
            if key not in names:
                self.wrong(f"{where}{key}", f"no such key; there are {', '.join(sorted(names))}")

    def a(self, kind: type, key: str, default: Any = None) -> Any:
        value = self.data.get(key, default)
        if value is None:
            self.wrong(key, "is missing")
        if not isinstance(value, kind) or isinstance(value, bool):
            self.wrong(key, f"is not a {_KINDS[kind]}")
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        values = self.a(list, key, [])
        if not all(isinstance(value, str) for value in values):
            self.wrong(key, "is not an array of strings")
        return tuple(values)

    def scenario(self) -> Scenario:
        self.known("", self.data, _TOP | _TABLES)
        record = self.texts("record")
        for kind in record:
            if kind not in RECORDS:
                self.wrong("record", f"{kind!r} is none of {', '.join(RECORDS)}")
        paths = self.paths()
        matrix = self.matrix(frozenset(paths))
        if OF_LINKS & matrix.keys() and "link_path" not in matrix:
            self.wrong("matrix", "has no link_path: the network path of the database link")
        if "lost client" in record and "check_interval" not in matrix:
            self.wrong("record", "'lost client' needs matrix.check_interval: PostgreSQL's check")
        base = self.a(dict, "base", {})
        self.known("base.", base, frozenset(MATRIX))
        repeats = self.a(dict, "repeats", {})
        self.known("repeats.", repeats, frozenset({"blocks", "timed", "counted"}))
        workload = self.workload(record, matrix)
        statement, binds = ("", self.a(dict, "binds", {})) if workload else self.statement()
        if any(by != CLIENT for by in matrix.get("fetched_by", ())):
            self.fetchable(statement)
        seconds = self.data.get("seconds")
        if seconds is not None and (
            isinstance(seconds, bool)
            or not isinstance(seconds, int | float)
            or not 0.001 <= seconds <= 3600
        ):
            self.wrong("seconds", "is not a number of seconds from 0.001 to 3600")
        if seconds is not None and "n" in binds:
            self.wrong("binds.n", "is chosen to fit 'seconds'; give one of the two")
        return Scenario(
            name=self.path.stem,
            title=self.a(str, "title"),
            statement=statement,
            binds=binds,
            seconds=seconds,
            matrix=matrix,
            base=base,
            paths=paths,
            record=record or ("elapsed",),
            blocks=self.count(repeats, "blocks", 12),
            timed=self.count(repeats, "timed", 4),
            counted=self.count(repeats, "counted", 2),
            expected=tuple(map(self.expected, self.a(list, "expected", []))),
            workload=workload,
            processors=self.processors(),
        )

    def processors(self) -> str:
        if "processors" in self.data and "workload" not in self.data:
            self.wrong("processors", "is of a scenario with a workload")
        value: str = self.a(str, "processors", ONE_PROCESSOR)
        if value not in LAB_PROCESSORS:
            self.wrong("processors", f"{value!r} is none of {', '.join(LAB_PROCESSORS)}")
        return value

    def expected(self, value: Any) -> Expected:
        if isinstance(value, str):
            return Expected(value)
        if not isinstance(value, dict) or not isinstance(value.get("text"), str):
            self.wrong("expected", "is neither a string nor a table with a text")
        self.known("expected.", value, frozenset({"text", "check", "required"}))
        if value.get("check") not in CHECKS:
            self.wrong("expected.check", f"is none of {', '.join(CHECKS)}")
        if not isinstance(value.get("required", False), bool):
            self.wrong("expected.required", "is neither true nor false")
        return Expected(**value)

    def workload(self, record: Sequence[str], matrix: Mapping[str, Sequence[Any]]) -> str:
        """The path of the workload's file; empty if the scenario has a statement."""
        if "workload" not in self.data:
            if "load" in record:
                self.wrong("record", "'load' is of a scenario with a workload")
            for key in ONLY_OF_LOADS & matrix.keys():
                self.wrong(f"matrix.{key}", "is of a scenario with a workload")
            return ""
        name: str = self.a(str, "workload")
        for key in ("statement", "binds"):
            if key in self.data:
                self.wrong(key, "is not of a scenario with a workload, which has its own")
        if tuple(record) != ("load",):
            self.wrong("record", "of a scenario with a workload is ['load']")
        for key in matrix:
            if key not in OF_LOADS:
                self.wrong(f"matrix.{key}", f"is not of a load, which has {', '.join(OF_LOADS)}")
        for client in matrix.get("client", ()):
            if client not in LOAD_PROGRAMS:
                self.wrong("matrix.client", f"{client!r} is none of {', '.join(LOAD_PROGRAMS)}")
        beside, packaged = self.path.parent / name, workload_file(name)
        if beside.is_file() and not (packaged.is_file() and beside.samefile(packaged)):
            return str(beside.resolve())
        if not packaged.is_file():
            self.wrong("workload", f"there is no {name}")
        return name

    def statement(self) -> tuple[str, Mapping[str, Any]]:
        text = self.a(str, "statement")
        if text.endswith(".sql") and not is_query(text):
            text = self.sql(text)
        binds = self.a(dict, "binds", {})
        for name, value in binds.items():
            if isinstance(value, bool) or not isinstance(value, int | float | str):
                self.wrong(f"binds.{name}", "is neither a number nor a string")
        names = set(placeholders(text))
        bind_names = set(binds) | ({"n"} if "seconds" in self.data else set())
        if names != bind_names:
            odd = ", ".join(sorted(names ^ bind_names))
            self.wrong("binds", f"the statement and the binds do not agree about {odd}")
        return text, binds

    def fetchable(self, statement: str) -> None:
        """Check that a block can fetch the statement's rows."""
        if not is_query(statement):
            self.wrong("matrix.fetched_by", "only the rows of a query are fetched in PL/SQL")
        names = placeholders(statement)
        if len(names) != len(set(names)):
            # By position, a block has each name once and a query each occurrence.
            self.wrong("matrix.fetched_by", "PL/SQL needs a statement with each bind once")

    def sql(self, name: str) -> str:
        places = (self.path.parent / name, files("polltrace.scenarios").joinpath(name))
        file = next((place for place in places if place.is_file()), None)
        if file is None:
            self.wrong("statement", f"there is no {name}")
        return file.read_text("utf-8")

    def matrix(self, paths: frozenset[str]) -> dict[str, list[Any]]:
        table = self.a(dict, "matrix")
        self.known("matrix.", table, frozenset(MATRIX))
        for key, values in table.items():
            where = f"matrix.{key}"
            if not isinstance(values, list) or not values:
                self.wrong(where, "is not an array with something in it")
            of_paths = key in {"path", "link_path"}
            choices = tuple(paths) if of_paths else _CHOICES.get(key)
            for value in values:
                if choices is not None:
                    if not any(value is choice or value == choice for choice in choices):
                        self.wrong(where, f"{value!r} is none of {', '.join(map(str, choices))}")
                elif key == "statement":
                    if not isinstance(value, str):
                        self.wrong(where, f"{value!r} is not a statement's name")
                elif isinstance(value, bool) or not isinstance(value, int) or value < 0:
                    self.wrong(where, f"{value!r} is not a whole number")
                elif key == "skip" and value < 1:
                    self.wrong(where, "a skip is 1 or more")
                elif key == "sessions" and not 1 <= value <= MOST_SESSIONS:
                    self.wrong(where, f"is not from 1 to {MOST_SESSIONS}")
        return dict(table)

    def paths(self) -> dict[str, NetworkPath]:
        paths = {"direct": NetworkPath()}
        for name, table in self.a(dict, "paths", {}).items():
            where = f"paths.{name}"
            if not isinstance(table, dict):
                self.wrong(where, "is not a table")
            numbers = {"round_trip_ms": "milliseconds", "jitter_ms": "milliseconds"}
            numbers["mbit_s"] = "megabits a second"
            self.known(f"{where}.", table, frozenset({*numbers, "urgent"}))
            for key, unit in numbers.items():
                value = table.get(key, 0)
                if isinstance(value, bool) or not isinstance(value, int | float) or value < 0:
                    self.wrong(f"{where}.{key}", f"is not a number of {unit}")
            urgent = table.get("urgent", "keep")
            if urgent not in URGENT:
                self.wrong(f"{where}.urgent", f"{urgent!r} is none of {', '.join(URGENT)}")
            paths[name] = NetworkPath(
                table.get("round_trip_ms", 0) / 1e3,
                table.get("jitter_ms", 0) / 1e3,
                urgent,
                table.get("mbit_s", 0),
            )
        return paths

    def count(self, table: Mapping[str, Any], key: str, default: int) -> int:
        value = table.get(key, default)
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= _MOST:
            self.wrong(f"repeats.{key}", f"is not a whole number up to {_MOST}")
        if key == "blocks" and value == 0:
            self.wrong("repeats.blocks", "is none: nothing would run")
        return value


_KINDS: Mapping[type, str] = {str: "string", dict: "table", list: "array"}
