# SPDX-License-Identifier: GPL-2.0-or-later
"""The session of a script and the session that reads its statistics, each in a driver's process."""

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
    """An error of the server or of the driver.

    `code` is its number, 0 without one; `offset` is its place in the statement, in bytes.
    """

    def __init__(self, text: str, code: int, offset: int, *, connected: bool) -> None:
        super().__init__(text)
        self.text, self.code, self.offset, self.connected = text, code, offset, connected


@dataclass(frozen=True, slots=True)
class ConnectTarget:
    """A database and an account; `dsn` is host:port/service."""

    dsn: str
    user: str
    password: str
    disable_oob: bool

    def __repr__(self) -> str:
        return f"ConnectTarget({self.dsn!r}, {self.user!r})"  # never the password


@dataclass(frozen=True, slots=True)
class Executed:
    """Result of a statement: the `columns` of a query, or None and the number of `changed` rows.

    `warning` is set where a stored unit has errors.
    """

    columns: list[Described] | None
    changed: int
    warning: str = ""


class ScriptClient(ClientProcess):
    """The driver's process for scripts (clients/README.md). Requests raise StatementError."""

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

    def connect(self, target: ConnectTarget) -> None:
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
        """Rows of the last query that have not been fetched."""
        while rows := self.ask("fetch")["rows"]:
            yield from rows

    def query(self, sql: str) -> list[list[str | None]]:
        """Execute a query and return its rows."""
        self.execute(sql, 100, 100)
        return list(self.rows())


def _executed(answer: dict[str, Any]) -> Executed:
    columns = answer["columns"]
    described = None
    if columns is not None:
        described = [
            Described(column["name"], column["type"].removeprefix("DB_TYPE_"), column["size"])
            for column in columns
        ]
    return Executed(described, answer["changed"], answer.get("warning", ""))


class Database:
    """Sessions of a script from __enter__ to __exit__; CONNECT replaces them."""

    def __init__(self) -> None:
        self._stack = contextlib.ExitStack()
        self._client: ScriptClient | None = None
        self._watcher: ScriptClient | None = None
        self._statistics: SessionStatistics | None = None
        self.target: ConnectTarget | None = None
        self.date_format = DEFAULT

    def __enter__(self) -> Database:
        self._stack.__enter__()
        return self

    def __exit__(self, *why: Any) -> None:
        self._stack.__exit__(*why)

    @property
    def client(self) -> ScriptClient:
        """The driver's process of the session. Raises CommandError where there is no session."""
        if self._client is None or self.target is None:
            raise CommandError("SP2-0640: Not connected")
        return self._client

    def connect(self, target: ConnectTarget) -> None:
        """End the present session with a commit and connect to `target`.

        Raises StatementError, DriverError.
        """
        self.disconnect()
        self._client = self._client or self._stack.enter_context(ScriptClient())
        self._client.connect(target)
        self.target, self.date_format = target, DEFAULT

    def disconnect(self) -> None:
        """Commit and end the session. Raises StatementError."""
        connected, self.target, self._statistics = self.target, None, None
        if connected and self._client:
            self._client.ask("commit")
            self._client.ask("close")

    def lost(self) -> None:
        """Record that the session has been lost."""
        self.target, self._statistics = None, None

    def execute(self, sql: str, fetch_size: int, prefetch: int) -> Executed:
        executed = self.client.execute(sql, fetch_size, prefetch)
        self.date_format = changed_format(sql) or self.date_format
        return executed

    def opened(self, name: str, fetch_size: int) -> Executed:
        """Make the rows of a REFCURSOR variable the next ones to fetch."""
        return _executed(self.client.ask("open", name=name, fetch_size=fetch_size))

    def statistics(self) -> SessionStatistics:
        """Statistics of this session, read by a second one. Raises StatementError, DriverError."""
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
