# SPDX-License-Identifier: GPL-2.0-or-later
"""State of a script, changed by its commands."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from polltrace.scenarios.script.column_format import ColumnFormats
from polltrace.scenarios.script.ending import Ending, ScriptEnd, exit_code
from polltrace.scenarios.script.output import Output
from polltrace.scenarios.script.script_database import ConnectTarget, Database, StatementError
from polltrace.scenarios.script.settings import Settings
from polltrace.scenarios.script.statement_run import StatementRun
from polltrace.scenarios.script.substitution import Ask, Variables
from polltrace.scenarios.script.words import CommandError

_CODES = {"SUCCESS": 0, "FAILURE": 1, "WARNING": 2}


@dataclass(slots=True)
class ScriptState:
    """State of one run.

    `ask` returns the answer to a prompt; `target_of` converts the operand of CONNECT, and raises
    CommandError; `timers` are the names and start times of TIMING; `bound` has the types of the
    variables of VARIABLE.
    """

    settings: Settings
    output: Output
    database: Database
    ask: Ask
    target_of: Callable[[str], ConnectTarget]
    columns: ColumnFormats = field(default_factory=ColumnFormats)
    variables: Variables = field(init=False)
    statements: StatementRun = field(init=False)
    timers: list[tuple[str, float]] = field(default_factory=list)
    bound: dict[str, str] = field(default_factory=dict)
    on_sql_error: Ending | None = None
    on_os_error: Ending | None = None
    last_error: int = 0
    directory: Path = field(default_factory=Path.cwd)

    def __post_init__(self) -> None:
        self.variables = Variables(self.settings, self.ask)
        self.statements = StatementRun(
            self.settings, self.columns, self.variables, self.output, self.database
        )

    def connected(self) -> None:
        """Prepare a new session: its predefined variables and SERVEROUTPUT."""
        assert self.database.target
        self.variables.define("_USER", self.database.target.user.upper())
        self.variables.define("_CONNECT_IDENTIFIER", self.database.target.dsn)
        if self.settings.serveroutput:
            self.database.client.ask("enable", on=True)

    def end(self, ending: Ending) -> None:
        """Commit or roll back, and raise ScriptEnd."""
        code = self._code(ending.code)
        commit = self.settings.exitcommit if ending.commit is None else ending.commit
        if self.database.target:
            try:
                self.database.client.ask("commit" if commit else "rollback")
            except StatementError as error:
                self.output.line(error.text)
                code = code or 1
        raise ScriptEnd(code)

    def _code(self, word: str) -> int:
        if word.upper() in _CODES:
            return _CODES[word.upper()]
        if word.upper() == "SQL.SQLCODE":
            return exit_code(self.last_error)
        if word.startswith(":"):
            name = word[1:].upper()
            if name not in self.bound:
                raise CommandError(f'SP2-0552: Bind variable "{name}" not declared.')
            text = self.database.client.ask("value", name=name)["value"] or ""
        else:
            text = self.variables.values.get(word.upper(), word)
        if not text.strip().lstrip("-").isdecimal() or len(text) > 20:
            raise CommandError(f'SP2-0584: EXIT variable "{word}" was non-numeric')
        return exit_code(int(text))
