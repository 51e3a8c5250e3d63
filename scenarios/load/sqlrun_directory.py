# SPDX-License-Identifier: GPL-2.0-or-later
"""A directory of sqlrun (github.com/jkstill/sqlrun) as a workload: sqlfile.conf, parameters.conf.

The first character of sqlfile.conf's first line is the delimiter of its other lines and of the bind
files; a line is `frequency, SQL file, bind file`. Bind files have no header, their values are text.

Differences from sqlrun on purpose: the last row of a bind file is used, sequential order begins
with the first statement and keeps the file's order, a file that is listed twice counts twice, and a
comma in a parameter's value stays.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from polltrace.errors import FileError
from polltrace.scenarios.load import sql_text
from polltrace.scenarios.load.binds import by_position, check_names, read_text
from polltrace.scenarios.load.workload import BindValue, ThinkTime, Workload, WorkloadStatement

SQLFILE = "sqlfile.conf"
_PARAMETERS = "parameters.conf"
_MOST_BYTES = 16 << 20
_MOST_FREQUENCY = 1_000_000
EXE_DELAY_S = 0.1
"""sqlrun's default of --exe-delay."""


def is_sqlrun_directory(path: Path) -> bool:
    return (path / SQLFILE).is_file()


def load_directory(path: Path) -> Workload:
    """The directory with sqlrun's defaults: one session, sequential, a closed loop with 0.1 s
    between executions, rollback. Raises FileError with the file and the line."""
    return Workload(
        name=path.absolute().name,
        title=f"sqlrun's directory {path}",
        clients=("python-oracledb",),
        sessions=1,
        seconds=60,
        statements=_statements(path),
        think=ThinkTime(values={"mean": EXE_DELAY_S}),
        order="sequential",
        bind_order="sequential",
        end="rollback",
        parameters=_parameters(path / _PARAMETERS),
    )


def _statements(path: Path) -> Sequence[WorkloadStatement]:
    conf = path / SQLFILE
    lines = read_text(conf, _MOST_BYTES).splitlines()
    delimiter = lines[0].strip()[:1] if lines else ""
    if not delimiter:
        raise FileError(f"{conf}: line 1: its first character must be the delimiter")
    plans = [
        _statement(path, number, line, delimiter) for number, line in _content(lines[1:], first=2)
    ]
    if not plans:
        raise FileError(f"{conf}: names no SQL file")
    return plans


def _statement(path: Path, number: int, line: str, delimiter: str) -> WorkloadStatement:
    where = f"{path / SQLFILE}: line {number}"
    fields = [field.strip() for field in line.split(delimiter)]
    frequency, script, bind_file, *further = [*fields, "", ""]
    if not script or any(further):
        raise FileError(f"{where}: is not frequency{delimiter}SQL file{delimiter}bind file")
    if not (frequency.isdecimal() and 1 <= int(frequency) <= _MOST_FREQUENCY):
        raise FileError(f"{where}: the frequency {frequency!r} is not a whole number from 1")
    sql = sql_text.executable(sql_text.with_names(read_text(path / script, _MOST_BYTES)))
    names = sql_text.placeholders(sql)
    try:
        check_names(sql, names)
    except ValueError as error:
        raise FileError(f"{path / script}: {error}") from None
    if bool(names) != bool(bind_file):
        lacks = "binds but no bind file" if names else "no binds but a bind file"
        raise FileError(f"{where}: {script} has {lacks}")
    rows: Sequence[Sequence[BindValue]] = [[]]
    if bind_file:
        rows = by_position(path / bind_file, delimiter, names)
    return WorkloadStatement(script, sql, float(frequency), sql_text.kind(sql), rows)


def _parameters(path: Path) -> Mapping[str, str]:
    if not path.is_file():
        return {}
    statements = {}
    for number, line in _content(read_text(path, _MOST_BYTES).splitlines(), first=1):
        name, comma, value = line.partition(",")
        if not comma or not name.strip().isidentifier():
            raise FileError(f"{path}: line {number}: is not name,value")
        statements[name.strip()] = value.strip()
    return statements


def _content(lines: Sequence[str], first: int) -> Iterator[tuple[int, str]]:
    """Lines that are neither empty nor comments, with their numbers."""
    for number, line in enumerate(lines, first):
        text = line.strip()
        if text and not text.startswith("#"):
            yield number, text
