# SPDX-License-Identifier: GPL-2.0-or-later
"""Substitution variables: &name, &&name, &1."""

from __future__ import annotations

import re
from collections.abc import Callable

from polltrace.scenarios.script.settings import Settings
from polltrace.scenarios.script.words import CommandError

LONGEST_VALUE, LONGEST_LINE = 240, 3000
Ask = Callable[[str], str | None]


class Variables:
    """The variables that DEFINE, ACCEPT, arguments and NEW_VALUE set; names in upper case."""

    def __init__(self, settings: Settings, ask: Ask) -> None:
        """`ask` has the answer to a prompt; None at the end of the input."""
        self._settings = settings
        self._ask = ask
        self.values: dict[str, str] = {}

    def define(self, name: str, value: str) -> None:
        """Raises CommandError for a value that is too long."""
        if len(value) > LONGEST_VALUE:
            raise CommandError(f"SP2-0137: DEFINE of {name}: longer than {LONGEST_VALUE}")
        self.values[name.upper()] = value

    def substitute(self, text: str) -> str:
        """The text with its variables' values, in one pass: a value's own & stays. Raises
        CommandError where a line grows too long, or the input has no value for a variable."""
        define = self._settings.define
        if not define or define not in text:
            return text
        return "\n".join(self._line(at, line) for at, line in enumerate(text.split("\n"), 1))

    def _line(self, number: int, line: str) -> str:
        settings = self._settings
        reference = re.compile(
            (f"{re.escape(settings.escape)}(?P<escaped>.)|" if settings.escape else "")
            + f"(?P<mark>{re.escape(settings.define)}{{1,2}})"
            + r"(?P<name>\w[\w$#]*)"
            + (f"(?:{re.escape(settings.concat)})?" if settings.concat else "")
        )
        room = LONGEST_LINE

        def value(found: re.Match[str]) -> str:
            nonlocal room
            if settings.escape and found["escaped"]:
                return found["escaped"]
            text = self._value(found["name"].upper(), keep=len(found["mark"]) == 2)
            room -= len(text)
            if room < 0:
                raise CommandError(
                    "SP2-0341: line overflow during variable substitution "
                    f"(>{LONGEST_LINE} characters at line {number})"
                )
            return text

        return reference.sub(value, line)

    def _value(self, name: str, *, keep: bool) -> str:
        if name in self.values:
            return self.values[name]
        answer = self._ask(f"Enter value for {name.lower()}: ")
        if answer is None:
            raise CommandError("SP2-0546: User requested Interrupt or EOF detected.")
        if keep:
            self.define(name, answer)
        return answer
