# SPDX-License-Identifier: GPL-2.0-or-later
"""EXIT and WHENEVER: the end of a script and its exit code."""

from __future__ import annotations

from dataclasses import dataclass

from polltrace.scenarios.script.words import CommandError, words_of


@dataclass(frozen=True, slots=True)
class Ending:
    """Operands of EXIT.

    `code` is SUCCESS, FAILURE, WARNING, SQL.SQLCODE, a number, `:variable` or a variable's name;
    `commit` is None where neither COMMIT nor ROLLBACK is given.
    """

    code: str = "SUCCESS"
    commit: bool | None = None


class ScriptEnd(Exception):
    """Raised by EXIT with the exit code of the script."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


def ending_of(text: str) -> Ending:
    """The ending that the words after EXIT describe. Raises CommandError."""
    code, commit = "SUCCESS", None
    for position, word in enumerate(words_of(text)):
        if word.upper() in ("COMMIT", "ROLLBACK"):
            commit = word.upper() == "COMMIT"
        elif position == 0:
            code = word
        else:
            raise CommandError(f'SP2-0584: EXIT variable "{word}" was non-numeric')
    return Ending(code, commit)


def exit_code(number: int) -> int:
    """The exit code of the process: modulo 256, and 0 only for the number 0."""
    return number % 256 or (1 if number else 0)
