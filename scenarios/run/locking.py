# SPDX-License-Identifier: GPL-2.0-or-later
"""A session that holds a row lock, for others to wait for."""

from __future__ import annotations

import contextlib
from types import TracebackType
from typing import Self

from polltrace.errors import DriverError
from polltrace.scenarios.plan.cell import Cell
from polltrace.scenarios.run.client import DriverClient
from polltrace.scenarios.run.servers.server import DatabaseServer, open_session
from polltrace.scenarios.run.session import LOCKING


class LockHolder:
    """Holds the one row of POLLTRACE_LOCK, a table of its own, from __enter__ to __exit__."""

    def __init__(self, server: DatabaseServer) -> None:
        self._server = server
        self._client = DriverClient()

    def __enter__(self) -> Self:
        self._client.__enter__()
        try:
            open_session(self._server, self._client, Cell(), {})
            # A killed run may have left the table.
            with contextlib.suppress(DriverError):
                self._client.execute("create table polltrace_lock (n number)")
            self._client.execute("insert into polltrace_lock values (1)")
            self._client.commit()
            self._client.execute(LOCKING)
        except BaseException:
            self._client.__exit__(None, None, None)
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        with contextlib.suppress(DriverError):
            self._client.rollback()
            self._client.execute("drop table polltrace_lock")
        self._client.__exit__(kind, error, traceback)
