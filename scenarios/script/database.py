# SPDX-License-Identifier: GPL-2.0-or-later
"""A script's session, and the one that reads its statistics: each a process with the driver."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from polltrace.errors import DriverError
from polltrace.scenarios.clients import SCRIPT_PROGRAM
from polltrace.scenarios.run.client_process import ClientProcess
from polltrace.scenarios.script.autotrace import SessionStatistics
from polltrace.scenarios.script.date_text import DEFAULT, changed_format
from polltrace.scenarios.script.display import Described
from polltrace.scenarios.script.words import CommandError


class StatementError(Exception):
    """The server's or the driver's error: `text`, its number `code` (0 without), and `offset`, the
    place in the statement in bytes."""

    def __init__(self, text: str, code: int, offset: int, *, connected: bool) -> None:
        super().__init__(text)
        self.text, self.code, self.offset, self.connected = text, code, offset, connected


@dataclass(frozen=True, slots=True)
class Target:
    """`dsn`: host:port/service."""

    dsn: str
    user: str
    password: str
    disable_oob: bool

    def __repr__(self) -> str:
        return f"Target({self.dsn!r}, {self.user!r})"  # wherever it is printed, not the password


@dataclass(frozen=True, slots=True)
class Executed:
    """`columns` of a query, else None and the rows that were `changed`; `warning`: that a unit was
    stored with errors."""

    columns: list[Described] | None
    changed: int
    warning: str = ""


class ScriptClient(ClientProcess):
    """The driver's process for scripts (clients/README.md). Each request raises StatementError."""

    def __init__(self) -> None:
        super().__init__(SCRIPT_PROGRAM)

    def ask(self, do: str, **arguments: Any) -> dict[str, Any]:
        _ = self.about
        self._send(do, **arguments)
        answer = self._answer()
        if "error" in answer:
            raise StatementError(
                answer["error"],
                answer["code"],
                answer["offset"],
                connected=answer["connected"],
            )
        return answer

    def connect(self, target: Target) -> None:
        self.ask(
            "connect",
            dsn=target.dsn,
            user=target.user,
            password=target.password,
            disable_oob=target.disable_oob,
        )

    def execute(self, sql: str, fetch_size: int, prefetch: int) -> Executed:
        answer = self.ask("execute", sql=sql, fetch_size=fetch_size, prefetch=prefetch)
        if "undeclared" in answer:
            raise CommandError(f'SP2-0552: Bind variable "{answer["undeclared"]}" not declared.')
        return _executed(answer)

    def rows(self) -> Iterator[list[str | None]]:
        """What is left of the rows of the last query."""
        while rows := self.ask("fetch")["rows"]:
            yield from rows

    def query(self, sql: str) -> list[list[str | None]]:
        """All rows."""
        self.execute(sql, 100, 100)
        return list(self.rows())


def _executed(answer: dict[str, Any]) -> Executed:
    columns = answer["columns"]
    described = None
    if columns is not None:
        described = [
            Described(each["name"], each["type"].removeprefix("DB_TYPE_"), each["size"])
            for each in columns
        ]
    return Executed(described, answer["changed"], answer.get("warning", ""))


class Database:
    """The sessions of a script from __enter__ to __exit__; CONNECT begins them anew."""

    def __init__(self) -> None:
        self._stack = contextlib.ExitStack()
        self._client: ScriptClient | None = None
        self._watcher: ScriptClient | None = None
        self._statistics: SessionStatistics | None = None
        self.target: Target | None = None
        self.date_format = DEFAULT

    def __enter__(self) -> Database:
        self._stack.__enter__()
        return self

    def __exit__(self, *why: Any) -> None:
        self._stack.__exit__(*why)

    @property
    def client(self) -> ScriptClient:
        """Raises CommandError where there is no session."""
        if self._client is None or self.target is None:
            raise CommandError("SP2-0640: Not connected")
        return self._client

    def connect(self, target: Target) -> None:
        """The session so far ends, with a commit. Raises StatementError, DriverError."""
        self.disconnect()
        self._client = self._client or self._stack.enter_context(ScriptClient())
        self._client.connect(target)
        self.target, self.date_format = target, DEFAULT

    def disconnect(self) -> None:
        """Commits. Raises StatementError."""
        connected, self.target, self._statistics = self.target, None, None
        if connected and self._client:
            self._client.ask("commit")
            self._client.ask("close")

    def lost(self) -> None:
        """The session is gone."""
        self.target, self._statistics = None, None

    def execute(self, sql: str, fetch_size: int, prefetch: int) -> Executed:
        executed = self.client.execute(sql, fetch_size, prefetch)
        self.date_format = changed_format(sql) or self.date_format
        return executed

    def opened(self, name: str, fetch_size: int) -> Executed:
        """The rows of a REFCURSOR variable are the next ones."""
        return _executed(self.client.ask("open", name=name, fetch_size=fetch_size))

    def statistics(self) -> SessionStatistics:
        """Of this session, by a second one. Raises StatementError, DriverError."""
        client = self.client
        assert self.target
        if self._statistics is None:
            [[sid]] = client.query("select sys_context('userenv', 'sid') from dual")
            if sid is None or not sid.isdecimal():
                raise DriverError(f"the session's SID is {sid!r}")
            if self._watcher is None:
                self._watcher = self._stack.enter_context(ScriptClient())
            self._watcher.connect(self.target)
            self._statistics = SessionStatistics(self._watcher.query, int(sid))
        return self._statistics
