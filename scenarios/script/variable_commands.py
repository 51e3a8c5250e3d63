# SPDX-License-Identifier: GPL-2.0-or-later
"""Commands of substitution variables (DEFINE, UNDEFINE, ACCEPT) and bind variables (VARIABLE,
PRINT)."""

from __future__ import annotations

import re

from polltrace.scenarios.script.state import ScriptState
from polltrace.scenarios.script.words import CommandError, abbreviates, unquoted, words_of

_VARIABLE = re.compile(r"([A-Za-z]\w{0,29})\s+([A-Za-z_0-9]+)(?:\s*\(\s*(\d{1,5})[^)]*\))?")
_SIZED = {"CHAR": (1, 2000), "VARCHAR2": (1, 32767)}


def run_define(state: ScriptState, text: str) -> None:
    values = state.variables.values
    name, equals, value = text.partition("=")
    name = name.strip().upper()
    if equals:
        if not re.fullmatch(r"\w[\w$#]{0,127}", name):
            raise CommandError(f'SP2-0136: DEFINE requires a name, not "{name}"')
        state.variables.define(name, unquoted(value.strip()))
        return
    if name and name not in values:
        raise CommandError(f"SP2-0135: symbol {name.lower()} is UNDEFINED")
    for defined in [name] if name else values:
        state.output.line(f'DEFINE {defined:<15} = "{values[defined]}" (CHAR)')


def run_undefine(state: ScriptState, text: str) -> None:
    for word in words_of(text):
        state.variables.values.pop(word.upper(), None)


def run_accept(state: ScriptState, text: str) -> None:
    words = words_of(text)
    if not words:
        raise CommandError("SP2-0057: ACCEPT requires a variable")
    name, prompt, default, number = words.pop(0), "", "", False
    while words:
        option = words.pop(0)
        if abbreviates(option, "PROMPT") and words:
            prompt = words.pop(0)
        elif abbreviates(option, "DEFault") and words:
            default = words.pop(0)
        elif abbreviates(option, "NUMber"):
            number = True
        elif abbreviates(option, "FORmat") and words:
            words.pop(0)
        elif not any(abbreviates(option, form) for form in ("CHAR", "DATE", "HIDE", "NOPRompt")):
            raise CommandError(f'SP2-0158: unknown ACCEPT option "{option}"')
    answer = state.ask(prompt)
    if answer is None:
        raise CommandError("SP2-0546: User requested Interrupt or EOF detected.")
    answer = answer or default
    if number and not re.fullmatch(r"\s*[-+]?(\d+\.?\d*|\.\d+)\s*", answer):
        raise CommandError(f'SP2-0425: "{answer}" is not a valid NUMBER')
    state.variables.define(name, answer)


def run_variable(state: ScriptState, text: str) -> None:
    if not text:
        for name, kind in state.bound.items():
            state.output.line(f"variable   {name.lower()}")
            state.output.line(f"datatype   {kind}")
        return
    match = _VARIABLE.fullmatch(text.strip())
    kind = match[2].upper() if match else ""
    if kind in ("VARCHAR", "NVARCHAR2"):
        kind = "VARCHAR2"
    kinds = ("NUMBER", "REFCURSOR", "BINARY_DOUBLE", "BINARY_FLOAT", *_SIZED)
    if match is None or kind not in kinds or (match[3] and kind not in _SIZED):
        raise CommandError(
            "Usage: VARIABLE name { NUMBER | CHAR[(n)] | VARCHAR2[(n)] | REFCURSOR | "
            "BINARY_FLOAT | BINARY_DOUBLE }"
        )
    size = 0
    if kind in _SIZED:
        shortest, longest = _SIZED[kind]
        size = int(match[3] or 1)
        if not shortest <= size <= longest:
            raise CommandError(f"SP2-0676: Bind variable length cannot exceed {longest}")
    name = match[1].upper()
    state.database.client.ask("variable", name=name, type=kind, size=size)
    state.bound[name] = f"{kind}({size})" if size else kind


def run_print(state: ScriptState, text: str) -> None:
    names = [word.lstrip(":").upper() for word in words_of(text)] or list(state.bound)
    for name in names:
        if name not in state.bound:
            raise CommandError(f'SP2-0552: Bind variable "{name}" not declared.')
        kind = state.bound[name]
        if kind == "REFCURSOR":
            opened = state.database.opened(name, state.settings.arraysize)
            if opened.columns is None:
                raise CommandError(f'SP2-0625: Error printing variable "{name.lower()}"')
            state.statements.show(opened)
        else:
            value = state.database.client.ask("value", name=name)["value"]
            state.statements.show_value(name, kind, value)
