# SPDX-License-Identifier: GPL-2.0-or-later
"""The database server of a run: the lab, or a user's own Oracle database."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Protocol, Self

from polltrace import procfs
from polltrace.engines import engine_of
from polltrace.errors import DriverError
from polltrace.scenarios.plan.cell import Cell
from polltrace.scenarios.run.client import DriverClient
from polltrace.scenarios.run.network.choice import Route


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a listener is.

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

    - `kind`: "lab" or "oracle", as the run file names it
    - `counts_polls`: whether it counts its own break polls, to check the probe against
    """

    kind: str
    counts_polls: bool

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
        """Where sessions of the cell connect to without a relay."""
        ...

    def credentials(self) -> tuple[str, str]:
        """User and password."""
        ...

    def prepare(self, cell: Cell) -> None:
        """Make server processes that start from now on read the cell's parameters."""
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


_SPID = """
select p.spid
from   v$process p, v$session s
where  p.addr = s.paddr
and    s.sid = sys_context('userenv', 'sid')
"""


def server_process(client: DriverClient) -> int | None:
    """The PID of the client's dedicated server, by V$PROCESS.SPID; None if it is not on this host.

    A remote database returns a number too: a process of that number here must be a dedicated
    server.
    """
    try:
        pid = int(client.query(_SPID)[1][0][0])
    except (DriverError, IndexError, TypeError, ValueError):
        return None
    return pid if engine_of(procfs.executable(pid), procfs.title(pid)) else None
