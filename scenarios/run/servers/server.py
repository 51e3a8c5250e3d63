# SPDX-License-Identifier: GPL-2.0-or-later
"""The database server of a run: the lab, a user's own Oracle database, or PostgreSQL."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Protocol, Self

from polltrace.scenarios.plan.cell import Cell
from polltrace.scenarios.run.client import DriverClient
from polltrace.scenarios.run.network.choice import Route
from polltrace.scenarios.run.servers.remote_end import RemoteEnd
from polltrace.scenarios.run.servers.session_views import SessionViews


@dataclass(frozen=True, slots=True)
class Endpoint:
    """The address of a listener.

    - `host`: a name or an address; `port`: of TCP; `service`: the database's
    - `wallet`: where it takes TLS, the directory of the certificates; else ""
    """

    host: str
    port: int
    service: str
    wallet: str = ""

    @property
    def dsn(self) -> str:
        return f"{self.host}:{self.port}/{self.service}"


class DatabaseServer(Protocol):
    """The operations that a run needs of a server.

    - `kind`: "lab", "oracle" or "postgresql", as the run file names it
    - `counts_polls`: whether it counts its own break polls, to check the probe against
    - `driver`: the client that reads its views
    - `views`: of its sessions
    - `remote`: the database at the other end of its sessions' link; None: they have none
    """

    kind: str
    counts_polls: bool
    driver: str
    views: SessionViews
    remote: RemoteEnd | None

    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None: ...

    def why_not(self, cell: Cell) -> str | None:
        """Why this server cannot have such a session; None where it can."""
        ...

    def endpoint(self, cell: Cell) -> Endpoint:
        """The endpoint that sessions of the cell connect to without a relay."""
        ...

    def credentials(self) -> tuple[str, str]:
        """User and password."""
        ...

    def prepare(self, cell: Cell) -> None:
        """Make server processes that start from now on read the cell's parameters."""
        ...

    def connected(self, client: DriverClient, cell: Cell) -> None:
        """Set the cell's parameters in a session that has just connected."""
        ...


def open_session(
    server: DatabaseServer, client: DriverClient, cell: Cell, routes: Mapping[str, Route]
) -> None:
    """Connect the client as the cell requires, by its path's route."""
    server.prepare(cell)
    end = server.endpoint(cell)
    if by := routes.get(cell.path, Route()).relay:
        end = Endpoint(*by, end.service)
    user, password = server.credentials()
    client.connect(
        end.dsn,
        user,
        password,
        disable_oob=cell.break_mode == "in-band",
        fetch_size=cell.fetch_size,
        sdu=cell.sdu,
        wallet=end.wallet,
    )
    server.connected(client, cell)
