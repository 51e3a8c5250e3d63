# SPDX-License-Identifier: GPL-2.0-or-later
"""Workload files: TOML, read and checked; an error is one line, FILE: KEY: PROBLEM."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from polltrace.errors import FileError
from polltrace.scenarios.clients import LOAD_PROGRAMS
from polltrace.scenarios.load import sql_text
from polltrace.scenarios.load.binds import check_names, inline_row, read_text, rows_of
from polltrace.scenarios.load.checked_table import CheckedTable
from polltrace.scenarios.load.workload import (
    ARRIVALS,
    BIND_ORDERS,
    CONNECT_MODES,
    DISTRIBUTIONS,
    ENDS,
    ORDERS,
    BindValue,
    CacheSettings,
    ThinkTime,
    Workload,
    WorkloadStatement,
)
from polltrace.scenarios.plan.cell import BREAK_MODES, CACHING_CLIENT, NEVER_OUT_OF_BAND, NO_SDU
from polltrace.scenarios.plan.network_path import NetworkPath

MOST_SESSIONS = 10_000
MOST_SECONDS = 30 * 86_400.0
LEAST_RATE, MOST_RATE = 1e-3, 1e6
_MOST_TOML = 16 << 20

KEYS = frozenset(
    {
        "title", "client", "sessions", "seconds", "rate", "arrivals", "max_lag_s", "think_s",
        "order", "bind_order", "connect", "connect_delay_s", "transactions_per_commit", "end",
        "ignored_errors", "setup", "teardown", "break_mode", "skip", "fetch_size", "sdu",
        "parameters", "trace", "path", "cache", "statements",
    }
)  # fmt: skip
_OPEN_ONLY = ("arrivals", "max_lag_s")


def load_workload(path: Path) -> Workload:
    """Raises FileError with one line that names the file and the key."""
    try:
        data = tomllib.loads(read_text(path, _MOST_TOML))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise FileError(f"{path}: {error}") from None
    return _workload(CheckedTable(path, "", data, KEYS))


def _workload(file: CheckedTable) -> Workload:
    trace = CheckedTable(
        file.path, "trace", file.data.get("trace", {}), ("level", "identifier", "sessions")
    )
    sessions = file.whole("sessions", 1, MOST_SESSIONS, 1)
    rate = _rate(file)
    workload = Workload(
        name=file.path.stem,
        title=file.text("title", ""),
        clients=_clients(file),
        sessions=sessions,
        seconds=file.number("seconds", 0.001, MOST_SECONDS, 10),
        statements=_statements(file),
        rate=rate,
        arrivals=file.one_of("arrivals", ARRIVALS),
        max_lag_s=file.number("max_lag_s", 0, MOST_SECONDS) if file.has("max_lag_s") else None,
        think=_think(file),
        order=file.one_of("order", ORDERS),
        bind_order=file.one_of("bind_order", BIND_ORDERS),
        connect=file.one_of("connect", CONNECT_MODES),
        connect_delay_s=file.number("connect_delay_s", 0, 3600, 1),
        transactions_per_commit=file.whole("transactions_per_commit", 1, 10**9, 1),
        end=file.one_of("end", ENDS),
        ignored_errors=_codes(file),
        setup=_scripts(file, "setup"),
        teardown=_scripts(file, "teardown"),
        parameters=_parameters(file),
        trace_level=trace.whole("level", 0, 12, 12 if file.has("trace") else 0),
        trace_identifier=_identifier(trace),
        trace_sessions=trace.whole("sessions", 1, sessions, sessions),
        cache=_cache(file),
        break_mode=file.one_of("break_mode", BREAK_MODES),
        skip=file.whole("skip", 1, 1_000_000, 3) if file.has("skip") else None,
        fetch_size=file.whole("fetch_size", 0, 1_000_000, 0),
        sdu=file.whole("sdu", 0, 2 << 20, 0),
        path=_path(file),
    )
    _check_order(file, workload)
    _check_clients(file, workload)
    return workload


def _rate(file: CheckedTable) -> float | None:
    if not file.has("rate"):
        for key in _OPEN_ONLY:
            if file.has(key):
                file.wrong(key, "goes with 'rate'")
        return None
    if file.has("think_s"):
        file.wrong("think_s", "is of a closed loop and 'rate' of an open one: give one of the two")
    return file.number("rate", LEAST_RATE, MOST_RATE)


def _clients(file: CheckedTable) -> Sequence[str]:
    names = file.texts("client") or ("python-oracledb",)
    for name in names:
        if name not in LOAD_PROGRAMS:
            file.wrong("client", f"{name!r} is none of {', '.join(LOAD_PROGRAMS)}")
    return names


def _think(file: CheckedTable) -> ThinkTime:
    value = file.data.get("think_s", 0)
    if not isinstance(value, dict):
        return ThinkTime(values={"mean": file.number("think_s", 0, 86_400, 0)})
    keys = {key for names in DISTRIBUTIONS.values() for key in names}
    table = CheckedTable(file.path, "think_s", value, keys | {"distribution"})
    name = table.one_of("distribution", ("exponential", *sorted(set(DISTRIBUTIONS))))
    needed = DISTRIBUTIONS[name]
    for key in value:
        if key not in (*needed, "distribution"):
            table.wrong(key, f"is not of a {name} distribution, which has {', '.join(needed)}")
    values = {key: table.number(key, 0, 86_400) for key in needed}
    if values.get("low", 0) > values.get("high", 86_400):
        table.wrong("low", "is more than 'high'")
    if name == "lognormal" and not values["mean"]:
        table.wrong("mean", "of a lognormal distribution is more than 0")
    return ThinkTime(name, values)


def _codes(file: CheckedTable) -> Sequence[str]:
    codes = file.texts("ignored_errors")
    for code in codes:
        if not re.fullmatch(r"[A-Z]{2,4}-\d{1,5}", code):
            file.wrong("ignored_errors", f"{code!r} is no code like ORA-00001")
    return codes


def _scripts(file: CheckedTable, key: str) -> Sequence[str]:
    """Statements, each a string; the name of a .sql file stands for the statement in it."""
    return tuple(sql_text.executable(_sql(file, text)) for text in file.texts(key))


def _sql(file: CheckedTable, text: str) -> str:
    if re.fullmatch(r"\S+\.sql", text):
        return read_text(file.path.parent / text, _MOST_TOML)
    return text


def _parameters(file: CheckedTable) -> Mapping[str, str]:
    table = file.data.get("parameters", {})
    if not isinstance(table, dict):
        file.wrong("parameters", "is not a table")
    for name, value in table.items():
        if not re.fullmatch(r"[A-Za-z_]\w{0,127}", name):
            file.wrong(f"parameters.{name}", "is no name of a session parameter")
        if not isinstance(value, str | int | float):
            file.wrong(f"parameters.{name}", "is neither a string, a number nor a boolean")
    return {
        name: str(value).lower() if isinstance(value, bool) else str(value)
        for name, value in table.items()
    }


def _identifier(trace: CheckedTable) -> str:
    text = trace.text("identifier", "polltrace")
    if not re.fullmatch(r"\w{1,64}", text):
        trace.wrong("identifier", "is not made of letters, digits and underscores, 64 at most")
    return text


def _cache(file: CheckedTable) -> CacheSettings | None:
    if not file.has("cache"):
        return None
    table = CheckedTable(
        file.path, "cache", file.data["cache"], ("changes", "lag_s", "most_bytes", "statistics")
    )
    changes = sql_text.executable(_sql(table, table.text("changes")))
    if sql_text.kind(changes) != "query" or sql_text.placeholders(changes):
        table.wrong("changes", "is no query without binds")
    statistics = table.text("statistics", "")
    if not re.fullmatch(r"([A-Za-z][\w$#]*(\.[A-Za-z][\w$#]*)?)?", statistics):
        table.wrong("statistics", "is no name of a table")
    return CacheSettings(
        changes=changes,
        lag_s=table.number("lag_s", 0, 3600, 3),
        most_bytes=table.whole("most_bytes", 0, 1 << 30, 1 << 20),
        statistics=statistics,
    )


def _path(file: CheckedTable) -> NetworkPath:
    table = CheckedTable(
        file.path, "path", file.data.get("path", {}), ("round_trip_ms", "jitter_ms")
    )
    return NetworkPath(
        table.number("round_trip_ms", 0, 60_000, 0) / 1e3,
        table.number("jitter_ms", 0, 60_000, 0) / 1e3,
    )


def _statements(file: CheckedTable) -> Sequence[WorkloadStatement]:
    tables = file.data.get("statements", [])
    if not isinstance(tables, list) or not tables:
        file.wrong("statements", "is missing: a workload has one [[statements]] or more")
    return tuple(_statement(file, number, table) for number, table in enumerate(tables, 1))


def _statement(file: CheckedTable, number: int, data: Any) -> WorkloadStatement:
    table = CheckedTable(
        file.path,
        f"statements[{number}]",
        data,
        ("name", "sql", "weight", "binds", "queries", "fill"),
    )
    sql = sql_text.executable(_sql(table, table.text("sql")))
    if not sql:
        table.wrong("sql", "is empty")
    names = sql_text.placeholders(sql)
    return WorkloadStatement(
        name=table.text("name", f"statement {number}"),
        sql=sql,
        weight=table.number("weight", 1e-6, 1e6, 1),
        kind=sql_text.kind(sql),
        rows=_rows(table, sql, names),
        queries=table.whole("queries", 1, 10**9, 1),
        fill=sql_text.executable(_sql(table, table.text("fill", ""))),
    )


def _rows(table: CheckedTable, sql: str, names: Sequence[str]) -> Sequence[Sequence[BindValue]]:
    binds = table.data.get("binds", {})
    try:
        check_names(sql, names)
        if isinstance(binds, str):
            if not names:
                raise ValueError("the statement has no binds")
            return rows_of(table.path.parent / binds, names)
        several = isinstance(binds, list) and any(isinstance(item, list | dict) for item in binds)
        rows = [inline_row(_checked_row(row), names) for row in (binds if several else [binds])]
    except ValueError as error:
        table.wrong("binds", str(error))
    return rows


def _checked_row(row: Any) -> Mapping[str, BindValue] | Sequence[BindValue]:
    """A table or an array of values. Raises ValueError."""
    if not isinstance(row, list | dict):
        raise ValueError("is neither a table, an array nor the name of a file")
    for value in row.values() if isinstance(row, dict) else row:
        if isinstance(value, bool) or not isinstance(value, int | float | str):
            raise ValueError(f"{value!r} is neither a number nor a string")
    return row


def _check_order(file: CheckedTable, workload: Workload) -> None:
    if workload.order == "random":
        return
    for number, statement in enumerate(workload.statements, 1):
        if statement.weight != int(statement.weight) or statement.weight < 1:
            file.wrong(
                f"statements[{number}].weight",
                f"is not a whole number, as order = {workload.order!r} needs",
            )


def _check_clients(file: CheckedTable, workload: Workload) -> None:
    for name in workload.clients:
        out_of_band = workload.break_mode == "out-of-band" and file.has("break_mode")
        if out_of_band and name in NEVER_OUT_OF_BAND:
            file.wrong("break_mode", f"{name} never sends urgent data")
        if workload.cache and name != CACHING_CLIENT:
            file.wrong("cache", f"is that of polltrace's own {CACHING_CLIENT} client; not {name}")
        if workload.sdu and name in NO_SDU:
            file.wrong("sdu", f"{name} has no option for it")
    if workload.break_mode == "local" and workload.path.delays:
        file.wrong("path", "a local session has no network path")
