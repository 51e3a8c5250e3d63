# SPDX-License-Identifier: GPL-2.0-or-later
"""Runner of a script and of the scripts that it starts."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from polltrace.bounded_file import UnreadableError, read_bounded
from polltrace.errors import FileError
from polltrace.scenarios.script.commands import (
    COMMANDS,
    KEEP_SEMICOLON,
    UNAVAILABLE,
    FileCommandError,
)
from polltrace.scenarios.script.ending import Ending, ScriptEnd
from polltrace.scenarios.script.error_text import error_lines
from polltrace.scenarios.script.pasted_text import curly_quote, with_plain_spaces
from polltrace.scenarios.script.reader import Item, Script
from polltrace.scenarios.script.script_database import StatementError
from polltrace.scenarios.script.state import ScriptState
from polltrace.scenarios.script.words import CommandError, abbreviates, words_of

LONGEST_SCRIPT = 4 << 20
DEEPEST = 20
SHIPPED = Path(__file__).parent.parent / "scripts"
"""Scripts that come with polltrace, searched after all other folders."""


def script_text(path: Path) -> str | None:
    """Text of a script; None where there is no such file.

    Raises UnreadableError for a file that is not regular, is not UTF-8, or is longer than
    LONGEST_SCRIPT bytes.
    """
    file = read_bounded("/", path.absolute(), LONGEST_SCRIPT)
    if file is None:
        return None
    try:
        return file.content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise UnreadableError("it is not UTF-8") from None


def script_paths(name: str, directory: Path) -> list[Path]:
    """Possible paths of a script in their order; `.sql` is added to a name without a suffix."""
    path = Path(name) if Path(name).suffix else Path(f"{name}.sql")
    folders = [directory, *map(Path, filter(None, os.environ.get("SQLPATH", "").split(":")))]
    return [folder / path for folder in [*folders, SHIPPED]]


class Runner:
    """Run of a script; its commands change `state`."""

    def __init__(self, state: ScriptState) -> None:
        self._state = state
        self._depth = 0
        self._buffer: Item | None = None

    def run(self, script: Script, arguments: Sequence[str]) -> int:
        """Run the script and return its exit code: that of EXIT, or 0 at the end of the file.

        The end commits as EXIT does. Raises FileError where the spool file cannot be written.
        """
        try:
            self._run(script, arguments, self._state.directory)
            self._state.end(Ending())
        except ScriptEnd as end:
            try:
                self._state.output.spool_off()
            except CommandError as error:
                raise FileError(str(error)) from None
            return end.code
        raise AssertionError("a script's end is a ScriptEnd")

    def _run(self, script: Script, arguments: Sequence[str], directory: Path) -> None:
        state = self._state
        previous, state.directory = state.directory, directory
        self._depth += 1
        try:
            self._guarded(partial(self._define, arguments))
            for item in script.items(state.settings):
                self._echo(item)
                self._guarded(partial(self._item, item))
                state.output.flush()
        finally:
            self._depth -= 1
            state.directory = previous

    def _define(self, arguments: Sequence[str]) -> None:
        for number, argument in enumerate(arguments, 1):
            self._state.variables.define(str(number), argument)

    def _guarded(self, step: Callable[[], None]) -> None:
        """Carry out a step. An error is printed, and ends the script where WHENEVER demands it."""
        state = self._state
        try:
            step()
        except FileCommandError as error:
            state.output.line(str(error))
            if state.on_os_error:
                state.end(state.on_os_error)
        except CommandError as error:
            state.output.line(str(error))
        except StatementError as error:
            state.last_error = error.code
            for line in error.text.split("\n"):
                state.output.line(line)
            self._after_error(error)

    def _after_error(self, error: StatementError) -> None:
        state = self._state
        if not error.connected:
            state.database.lost()
        if state.on_sql_error:
            state.end(state.on_sql_error)

    def _echo(self, item: Item) -> None:
        state = self._state
        if state.settings.echo:
            for number, line in enumerate(item.lines, 1):
                prompt = state.settings.sqlprompt if number == 1 else f"{number:3}  "
                state.output.line(prompt + line)

    def _item(self, item: Item) -> None:
        if item.kind == "command":
            self._command(item.text)
        elif item.kind != "run":
            self._buffer = item
            if item.runs:
                self._statement(item)
        elif self._buffer is None:
            raise CommandError("SP2-0103: Nothing in SQL buffer to run.")
        else:
            self._statement(self._buffer)

    def _statement(self, item: Item) -> None:
        state = self._state
        sql = state.variables.substitute(item.text)
        if state.settings.verify and sql != item.text:
            pairs = zip(item.text.split("\n"), sql.split("\n"), strict=True)
            for number, (old, new) in enumerate(pairs, 1):
                if old != new:
                    state.output.line(f"old {number:3}: {old}")
                    state.output.line(f"new {number:3}: {new}")
        self._execute(sql, block=item.kind == "plsql")

    def _execute(self, sql: str, *, block: bool) -> None:
        state = self._state
        sql = with_plain_spaces(sql)
        try:
            state.statements.run(sql, block=block)
        except StatementError as error:
            state.last_error = error.code
            if error.connected:
                state.statements.show_output()
            for line in error_lines(sql, error.text, error.offset):
                state.output.line(line)
            if quote := curly_quote(sql):
                state.output.line(quote)
            self._after_error(error)

    def _command(self, text: str) -> None:
        state = self._state
        text = state.variables.substitute(text)
        if text.startswith("@"):
            local = text.startswith("@@")
            self._start(text.lstrip("@"), state.directory if local else Path.cwd())
            return
        word, _, operands = text.partition(" ")
        match = re.match(r"([A-Za-z]+)\s*(.*)", text, re.DOTALL)
        if match:
            word, operands = match[1], match[2]
        if abbreviates(word, "STArt"):
            self._start(operands, Path.cwd())
            return
        if abbreviates(word, "Run"):
            self._item(Item("run", "", True, ()))
            return
        if abbreviates(word, "EXECute"):
            self._execute(f"BEGIN {_unended(operands)}; END;\n", block=True)
            return
        name = next((name for name in COMMANDS if abbreviates(word, name)), None)
        if name is None:
            raise CommandError(_unknown(text, word))
        COMMANDS[name](state, operands if name in KEEP_SEMICOLON else _unended(operands))

    def _start(self, text: str, directory: Path) -> None:
        words = words_of(_unended(text))
        if not words:
            raise CommandError("SP2-1506: START, @ or @@ command has no arguments")
        if self._depth >= DEEPEST:
            raise CommandError(
                f"SP2-0309: SQL*Plus command procedures may only be nested to a depth of {DEEPEST}."
            )
        name, *arguments = words
        for path in script_paths(name, directory):
            try:
                script = script_text(path)
            except UnreadableError as error:
                raise FileCommandError(f'SP2-0310: unable to open file "{path}": {error}') from None
            if script is not None:
                self._run(Script(script), arguments, path.parent)
                return
        raise FileCommandError(f'SP2-0310: unable to open file "{name}"')


def _unended(text: str) -> str:
    """The text without the semicolon that may end a command."""
    return text.rstrip().removesuffix(";").rstrip()


def _unknown(text: str, word: str) -> str:
    if text.startswith(("!", "$")):
        word = "host"
    if any(abbreviates(word, name) for name in UNAVAILABLE):
        return f'SP2-0738: Restricted command "{word}" not available'
    if " " in text.strip():
        return f'SP2-0734: unknown command beginning "{text[:10]}..." - rest of line ignored.'
    return f'SP2-0042: unknown command "{text[:40]}" - rest of line ignored.'
