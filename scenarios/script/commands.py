# SPDX-License-Identifier: GPL-2.0-or-later
"""Commands of SQL*Plus, except those that run a statement or a script (runner.py)."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from polltrace.scenarios.script.ending import ending_of
from polltrace.scenarios.script.set_command import run_set
from polltrace.scenarios.script.state import ScriptState
from polltrace.scenarios.script.statement_run import elapsed
from polltrace.scenarios.script.variable_commands import (
    run_accept,
    run_define,
    run_print,
    run_undefine,
    run_variable,
)
from polltrace.scenarios.script.words import CommandError, abbreviates, words_of

Command = Callable[[ScriptState, str], None]


class FileCommandError(CommandError):
    """A file that cannot be opened, for WHENEVER OSERROR."""


def _set(state: ScriptState, text: str) -> None:
    previous = state.settings.serveroutput
    try:
        run_set(state.settings, text)
    finally:
        if state.database.target and state.settings.serveroutput != previous:
            state.database.client.ask("enable", on=state.settings.serveroutput)


def _column(state: ScriptState, text: str) -> None:
    for line in state.columns.run(text):
        state.output.line(line)


def _clear(state: ScriptState, text: str) -> None:
    word = (words_of(text) or [""])[0]
    if abbreviates(word, "COLumns"):
        state.columns.clear()
        if state.settings.feedback:
            state.output.line("columns cleared")
    elif abbreviates(word, "TIMIng"):
        state.timers.clear()
    elif not any(abbreviates(word, form) for form in ("SCReen", "BREaks", "COMPutes", "BUFFer")):
        raise CommandError(f'SP2-0158: unknown CLEAR option "{word}"')


def _prompt(state: ScriptState, text: str) -> None:
    state.output.line(text)


def _spool(state: ScriptState, text: str) -> None:
    words = words_of(text)
    if not words:
        name = state.output.spooling()
        state.output.line(f"currently spooling to {name}" if name else "not spooling currently")
        return
    if words[0].upper() in ("OFF", "OUT"):
        state.output.spool_off()
        return
    modes = {"CREATE": "x", "REPLACE": "w", "APPEND": "a"}
    option = words[1].upper() if len(words) > 1 else "REPLACE"
    mode = next((mode for form, mode in modes.items() if form.startswith(option)), None)
    if mode is None or len(words) > 2:
        raise CommandError("SP2-0768: Illegal SPOOL command")
    path = Path(words[0])
    try:
        state.output.spool(path if path.suffix else path.with_suffix(".lst"), mode)
    except (CommandError, ValueError) as error:
        raise FileCommandError(str(error)) from None


def _timing(state: ScriptState, text: str) -> None:
    word, *name = words_of(text) or ["SHOW"]
    if abbreviates(word, "START"):
        state.timers.append((" ".join(name), time.monotonic()))
        return
    if not any(abbreviates(word, form) for form in ("SHOW", "STOP")):
        raise CommandError(f'SP2-0158: unknown TIMING option "{word}"')
    if not state.timers:
        raise CommandError("SP2-0325: no timing elements to show")
    title, start_s = state.timers[-1]
    if abbreviates(word, "STOP"):
        state.timers.pop()
    if title:
        state.output.line(f"timing for: {title}")
    state.output.line(elapsed(time.monotonic() - start_s))


def _whenever(state: ScriptState, text: str) -> None:
    words = words_of(text)
    upper = [word.upper() for word in words]
    if len(words) < 2 or upper[0] not in ("SQLERROR", "OSERROR"):
        raise CommandError("SP2-0738: WHENEVER needs SQLERROR or OSERROR, and EXIT or CONTINUE")
    if upper[1] == "EXIT":
        ending = ending_of(" ".join(words[2:]))
    elif upper[1] == "CONTINUE" and upper[2:] in ([], ["NONE"]):
        ending = None
    else:
        raise CommandError(f'SP2-0158: unknown WHENEVER option "{" ".join(words[1:])}"')
    if upper[0] == "SQLERROR":
        state.on_sql_error = ending
    else:
        state.on_os_error = ending


def _exit(state: ScriptState, text: str) -> None:
    state.end(ending_of(text))


def _connect(state: ScriptState, text: str) -> None:
    target = state.target_of(text)
    state.database.connect(target)
    state.connected()
    state.output.line("Connected.")


def _disconnect(state: ScriptState, _: str) -> None:
    if not state.database.target:
        raise CommandError("SP2-0640: Not connected")
    state.database.disconnect()


def _show(state: ScriptState, text: str) -> None:
    if text.upper() == "USER":
        user = state.database.target.user.upper() if state.database.target else ""
        state.output.line(f'USER is "{user}"')
    else:
        raise CommandError(f'SP2-0158: unknown SHOW option "{text}"')


COMMANDS: dict[str, Command] = {
    "ACCept": run_accept,
    "CLear": _clear,
    "COLumn": _column,
    "CONNect": _connect,
    "DEFine": run_define,
    "DISConnect": _disconnect,
    "EXIT": _exit,
    "PRInt": run_print,
    "PROmpt": _prompt,
    "QUIT": _exit,
    "SET": _set,
    "SHOw": _show,
    "SPOol": _spool,
    "TIMIng": _timing,
    "UNDEFine": run_undefine,
    "VARiable": run_variable,
    "WHENEVER": _whenever,
}
"""Commands by name; the capitals of a name are its shortest abbreviation."""

KEEP_SEMICOLON = ("PROmpt",)
UNAVAILABLE = [
    "Append",
    "ARCHIVE",
    "ATTRIBUTE",
    "BREak",
    "BTItle",
    "Change",
    "COMPute",
    "COPY",
    "DEL",
    "DESCribe",
    "EDit",
    "GET",
    "HIStory",
    "HOst",
    "Input",
    "List",
    "PASSWord",
    "PAUse",
    "RECOVER",
    "REPFooter",
    "REPHeader",
    "SAVe",
    "SHUTDOWN",
    "STARTUP",
    "STOre",
    "TTItle",
    "XQUERY",
    "ORADEBUG",
]
"""Commands of SQL*Plus that the runner refuses by name."""
