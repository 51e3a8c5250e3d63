# SPDX-License-Identifier: GPL-2.0-or-later
"""A user's own Oracle database: nothing of it is changed without the user's request."""

from __future__ import annotations

from types import TracebackType
from typing import Self

from polltrace.scenarios.plan.cell import POSTGRESQL_DRIVERS, Cell
from polltrace.scenarios.run.client import DriverClient
from polltrace.scenarios.run.servers.remote_end import RemoteEnd
from polltrace.scenarios.run.servers.server import Endpoint
from polltrace.scenarios.run.servers.session_views import OracleViews, SessionViews
from polltrace.scenarios.run.servers.sqlnet_edit import SqlnetEdit


class OracleServer:
    """A DatabaseServer. `sqlnet` sets BREAK_POLL_SKIP in the server's sqlnet.ora; None leaves that
    file alone."""

    kind = "oracle"
    counts_polls = False
    driver = "python-oracledb"
    views: SessionViews = OracleViews()
    remote: RemoteEnd | None = None

    def __init__(
        self, endpoint: Endpoint, user: str, password: str, sqlnet: SqlnetEdit | None
    ) -> None:
        self._endpoint = endpoint
        self._credentials = user, password
        self._sqlnet = sqlnet

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._sqlnet is not None:
            self._sqlnet.__exit__(kind, error, traceback)

    def why_not(self, cell: Cell) -> str | None:
        if cell.client in POSTGRESQL_DRIVERS:
            return f"{cell.client} speaks to PostgreSQL only"
        if cell.break_mode == "local":
            return "a local (bequeath) session needs an Oracle client on the database host"
        if cell.transport == "tcps":
            return "a session over TLS needs a listener and a wallet that no option names"
        if not cell.path_check:
            return "leaving out the path check needs DISABLE_OOB_AUTO in the server's sqlnet.ora"
        if cell.skip is not None and self._sqlnet is None:
            return "BREAK_POLL_SKIP is set only where --set-sqlnet names the server's sqlnet.ora"
        return None

    def endpoint(self, cell: Cell) -> Endpoint:  # noqa: ARG002
        return self._endpoint

    def credentials(self) -> tuple[str, str]:
        return self._credentials

    def prepare(self, cell: Cell) -> None:
        if self._sqlnet is not None and cell.skip is not None:
            self._sqlnet.set(cell.skip)

    def connected(self, client: DriverClient, cell: Cell) -> None:
        """Do nothing: a session's parameters are read as it connects."""
