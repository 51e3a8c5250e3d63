# SPDX-License-Identifier: GPL-2.0-or-later
"""A PostgreSQL server: a cluster of our own on loopback, or a user's."""

from __future__ import annotations

from types import TracebackType
from typing import Self

from polltrace.scenarios.plan.cell import KEEPALIVE_S, KEEPALIVES, POSTGRESQL_DRIVERS, Cell
from polltrace.scenarios.run.client import DriverClient
from polltrace.scenarios.run.servers.postgresql_cluster import PostgresqlCluster
from polltrace.scenarios.run.servers.remote_end import RemoteEnd
from polltrace.scenarios.run.servers.server import Endpoint
from polltrace.scenarios.run.servers.session_views import PostgresqlViews, SessionViews


class PostgresqlServer:
    """A DatabaseServer. Without an `endpoint`, a cluster of this host's PostgreSQL that ends with
    the run."""

    kind = "postgresql"
    counts_polls = False
    driver = "psycopg"
    views: SessionViews = PostgresqlViews()
    remote: RemoteEnd | None = None

    def __init__(
        self, endpoint: Endpoint | None = None, user: str = "", password: str = ""
    ) -> None:
        self._cluster = PostgresqlCluster() if endpoint is None else None
        self._endpoint = endpoint
        self._credentials = user, password

    def __enter__(self) -> Self:
        if self._cluster is not None:
            address = self._cluster.__enter__().address
            self._endpoint = Endpoint(address.host, address.port, address.database)
            self._credentials = address.user, address.password
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._cluster is not None:
            self._cluster.__exit__(kind, error, traceback)

    def why_not(self, cell: Cell) -> str | None:
        if cell.client not in POSTGRESQL_DRIVERS:
            return f"{cell.client} does not speak to PostgreSQL"
        if cell.check_interval is None:
            return "PostgreSQL has no break modes: a cell needs a check_interval"
        if cell.path != "direct":
            return "paths are for the lab"
        return None

    def endpoint(self, cell: Cell) -> Endpoint:  # noqa: ARG002
        assert self._endpoint is not None
        return self._endpoint

    def credentials(self) -> tuple[str, str]:
        return self._credentials

    def prepare(self, cell: Cell) -> None:
        """The interval is a setting of the session."""

    def connected(self, client: DriverClient, cell: Cell) -> None:
        """Set the cell's interval in a new session; it plans and executes in one process."""
        client.execute("set max_parallel_workers_per_gather = 0")
        client.execute(f"set client_connection_check_interval = {cell.check_interval or 0}")
        if cell.gone == KEEPALIVES:
            client.execute("set tcp_keepalives_idle = 1")
            client.execute("set tcp_keepalives_interval = 1")
            client.execute(f"set tcp_keepalives_count = {KEEPALIVE_S - 1}")
