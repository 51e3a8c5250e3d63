# SPDX-License-Identifier: GPL-2.0-or-later
"""Lines of a script as commands and statements, by the rules of SQL*Plus.

The first word decides which kind of item begins, and the end of a line whether it ends; strings
have no part in it.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

from polltrace.scenarios.script.pasted_text import commands_of
from polltrace.scenarios.script.settings import Settings

_SQL = frozenset(
    [
        "ALTER",
        "ANALYZE",
        "AUDIT",
        "CALL",
        "COMMENT",
        "COMMIT",
        "CREATE",
        "DELETE",
        "DROP",
        "EXPLAIN",
        "FLASHBACK",
        "GRANT",
        "INSERT",
        "LOCK",
        "MERGE",
        "NOAUDIT",
        "PURGE",
        "RENAME",
        "REVOKE",
        "ROLLBACK",
        "SAVEPOINT",
        "SELECT",
        "TRUNCATE",
        "UPDATE",
        "WITH",
    ]
)
_SET_OF_SQL = re.compile(r"set\s+(transaction|role|constraints?)\b", re.IGNORECASE)
_BLOCK = re.compile(
    r"\s*(begin\b|declare\b|<<|with\s+(function|procedure)\b|create\s+(or\s+replace\s+)?"
    r"((non)?editionable\s+)?(function|procedure|package|trigger|type|library)\b)",
    re.IGNORECASE,
)
_REMARK = re.compile(r"rem(a(r(k)?)?)?(\s|$)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Item:
    """A command or a statement of a script.

    `kind` is "command" (of SQL*Plus), "sql", "plsql" or "run" (a slash); `runs` is false for a
    statement that only fills the buffer; `lines` are the typed lines, for SET ECHO.
    """

    kind: str
    text: str
    runs: bool
    lines: tuple[str, ...]


class Script:
    """Lines of one script, consumed by `items` and by commands that read input."""

    def __init__(self, text: str) -> None:
        typed = (line.removesuffix("\r") for line in text.split("\n"))
        self._lines = deque(commands_of(typed))

    def line(self) -> str | None:
        """The next line; None at the end."""
        return self._lines.popleft() if self._lines else None

    def items(self, settings: Settings) -> Iterator[Item]:
        """Items in order; `settings` is read anew for each line, because SET may change it."""
        while (line := self.line()) is not None:
            start = line.strip()
            if start.startswith("/*"):
                while "*/" not in line and (following := self.line()) is not None:
                    line = following
            elif not start or start.startswith("--") or _REMARK.match(start):
                continue
            elif start == "/":
                yield Item("run", "", True, (line,))
            elif _begins_statement(start):
                yield self._statement(line, settings)
            else:
                yield self._command(line)

    def _command(self, line: str) -> Item:
        lines = [line]
        while re.search(r"\s-\s*$", lines[-1]) and (following := self.line()) is not None:
            lines.append(following)
        text = "".join(re.sub(r"-\s*$", "", part) for part in lines[:-1]) + lines[-1]
        return Item("command", text.strip(), True, tuple(lines))

    def _statement(self, line: str, settings: Settings) -> Item:
        lines: list[str] = []
        typed: list[str] = []
        block = False
        current: str | None = line
        while current is not None:
            typed.append(current)
            end = current.strip()
            if end in {"/", "."}:
                return _item(lines, typed, block, runs=end == "/")
            if not block and not end and lines and not settings.sqlblanklines:
                return _item(lines, typed, block, runs=False)
            lines.append(current)
            # CREATE OR REPLACE and the kind of object may be on separate lines.
            if not block and len(lines) <= 4:
                block = _BLOCK.match("\n".join(lines)) is not None
            if not block and end.endswith(";"):
                lines[-1] = current.rstrip()[:-1]
                return _item(lines, typed, block, runs=True)
            current = self.line()
        return _item(lines, typed, block, runs=False)


def _item(lines: list[str], typed: list[str], block: bool, *, runs: bool) -> Item:
    return Item("plsql" if block else "sql", "\n".join(lines), runs, tuple(typed))


def _begins_statement(start: str) -> bool:
    word = re.match(r"[A-Za-z]+", start)
    if word is None:
        return start.startswith(("(", "<<"))
    return (
        word[0].upper() in _SQL
        or _BLOCK.match(start) is not None
        or _SET_OF_SQL.match(start) is not None
    )
