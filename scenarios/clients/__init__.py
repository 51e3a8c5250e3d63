# SPDX-License-Identifier: GPL-2.0-or-later
"""Real drivers as clients, one folder each, written in the style of the driver's documentation."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from polltrace.errors import DriverError, UsageError

_HERE = Path(__file__).parent
_BUILD = _HERE / "build"


@dataclass(frozen=True, slots=True)
class Program:
    """A client program.

    - `name`: the driver's
    - `built_file`: the file that `make clients` builds; None where nothing is built
    - `words`: a function to the command that starts it
    - `sessions`: how many a process of it carries well; one where a session in it delays another
    - `postgresql`: whether it connects to PostgreSQL, and to nothing else
    - `out_of_band`: whether it ever sends urgent data
    - `sdu_option`: whether its SDU can be set; without the option it requests the largest
    - `checks_path`: whether it tests at connect if the path carries urgent data
    - `cancels_between_calls`: whether its cancel has an effect while no call is under way, between
      two fetches of a result
    """

    name: str
    built_file: Path | None
    words: Callable[[], list[str]]
    sessions: int = 1
    postgresql: bool = field(default=False, kw_only=True)
    out_of_band: bool = field(default=True, kw_only=True)
    sdu_option: bool = field(default=True, kw_only=True)
    checks_path: bool = field(default=True, kw_only=True)
    cancels_between_calls: bool = field(default=True, kw_only=True)

    def command(self) -> list[str]:
        """The command that starts it. Raises DriverError where it has not been built."""
        if reason := self.missing():
            raise DriverError(reason)
        return self.words()

    def missing(self) -> str | None:
        """Why it cannot be started; None where it can."""
        if self.built_file is None or self.built_file.exists():
            return None
        return f"{self.name} is not built: run 'make clients', which prints what is missing"


_NODE = _BUILD / "node_oracledb" / "client.js"
_GO = _BUILD / "go_ora" / "client"
_JAVA = _BUILD / "ojdbc"
_NODE_LOAD = _BUILD / "node_oracledb" / "load.js"
_GO_LOAD = _BUILD / "go_ora" / "load"
_MANY = 10_000

PROGRAMS = {
    program.name: program
    for program in (
        Program(
            "python-oracledb",
            None,
            lambda: [sys.executable, str(_HERE / "python_oracledb" / "client.py")],
        ),
        Program(
            "psycopg",
            None,
            lambda: [sys.executable, str(_HERE / "psycopg" / "client.py")],
            postgresql=True,
        ),
        Program(
            "pg8000",
            None,
            lambda: [sys.executable, str(_HERE / "pg8000" / "client.py")],
            postgresql=True,
        ),
        Program("node-oracledb", _NODE, lambda: ["node", str(_NODE)], out_of_band=False),
        Program("go-ora", _GO, lambda: [str(_GO)], sdu_option=False, checks_path=False),
        Program(
            "ojdbc11",
            _JAVA / "Client.class",
            lambda: ["java", "-Xshare:auto", "-cp", f"{_JAVA}:{_JAVA}/lib/*", "Client"],
            cancels_between_calls=False,
        ),
    )
}


LOAD_PROGRAMS = {
    program.name: program
    for program in (
        Program(
            "python-oracledb",
            None,
            lambda: [sys.executable, str(_HERE / "python_oracledb" / "load.py")],
        ),
        Program("node-oracledb", _NODE_LOAD, lambda: ["node", str(_NODE_LOAD)]),
        Program("go-ora", _GO_LOAD, lambda: [str(_GO_LOAD)], sessions=_MANY),
        Program(
            "ojdbc11",
            _JAVA / "Load.class",
            lambda: ["java", "-Xshare:auto", "-cp", f"{_JAVA}:{_JAVA}/lib/*", "Load"],
            sessions=_MANY,
        ),
    )
}
"""The programs that carry out the plans of `polltrace load`: of Oracle's drivers."""

SCRIPT_PROGRAM = Program(
    "python-oracledb",
    None,
    lambda: [sys.executable, str(_HERE / "python_oracledb" / "script.py")],
)
"""The program that executes the statements of `polltrace lab sql`."""


def program(name: str) -> Program:
    """The client of that name. Raises UsageError where there is none."""
    if name not in PROGRAMS:
        raise UsageError(f"no client is called {name!r}; there are {', '.join(PROGRAMS)}")
    return PROGRAMS[name]


def load_program(name: str) -> Program:
    """The load client of that name, one of LOAD_PROGRAMS."""
    return LOAD_PROGRAMS[name]
