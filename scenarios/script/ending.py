# SPDX-License-Identifier: GPL-2.0-or-later
"""EXIT and WHENEVER: how a script ends, and its exit code."""

from __future__ import annotations

from dataclasses import dataclass

from polltrace.scenarios.script.words import CommandError, words_of


@dataclass(frozen=True, slots=True)
class Ending:
    """EXIT's operands: `code` is SUCCESS, FAILURE, WARNING, SQL.SQLCODE, a number, `:variable` or a
    variable's name; `commit` is None where none is said."""

    code: str = "SUCCESS"
    commit: bool | None = None


class ScriptEnd(Exception):
    """EXIT was carried out: the exit code of the script."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


def ending_of(text: str) -> Ending:
    """Of the words behind EXIT. Raises CommandError."""
    code, commit = "SUCCESS", None
    for at, word in enumerate(words_of(text)):
        if word.upper() in ("COMMIT", "ROLLBACK"):
            commit = word.upper() == "COMMIT"
        elif at == 0:
            code = word
        else:
            raise CommandError(f'SP2-0584: EXIT variable "{word}" was non-numeric')
    return Ending(code, commit)


def exit_code(number: int) -> int:
    """As the system has it, modulo 256; never 0 for a number that is not."""
    return number % 256 or (1 if number else 0)
