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
    """Variables set by DEFINE, ACCEPT, arguments and NEW_VALUE; names are in upper case."""

    def __init__(self, settings: Settings, ask: Ask) -> None:
        """`ask` returns the answer to a prompt, None at the end of the input."""
        self._settings = settings
        self._ask = ask
        self.values: dict[str, str] = {}

    def define(self, name: str, value: str) -> None:
        """Set a variable. Raises CommandError for a value that is too long."""
        if len(value) > LONGEST_VALUE:
            raise CommandError(f"SP2-0137: DEFINE of {name}: longer than {LONGEST_VALUE}")
        self.values[name.upper()] = value

    def substitute(self, text: str) -> str:
        """The text with the values of its variables, in one pass, so an & in a value stays.

        Raises CommandError where a line grows too long, or the input has no value for a variable.
        """
        define = self._settings.define
        if not define or define not in text:
            return text
        return "\n".join(
            self._line(number, line) for number, line in enumerate(text.split("\n"), 1)
        )

    def _line(self, number: int, line: str) -> str:
        settings = self._settings
        reference = re.compile(
            (f"{re.escape(settings.escape)}(?P<escaped>.)|" if settings.escape else "")
            + f"(?P<mark>{re.escape(settings.define)}{{1,2}})"
            + r"(?P<name>\w[\w$#]*)"
            + (f"(?:{re.escape(settings.concat)})?" if settings.concat else "")
        )
        characters_left = LONGEST_LINE

        def value(match: re.Match[str]) -> str:
            nonlocal characters_left
            if settings.escape and match["escaped"]:
                return match["escaped"]
            text = self._value(match["name"].upper(), keep=len(match["mark"]) == 2)
            characters_left -= len(text)
            if characters_left < 0:
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
