# SPDX-License-Identifier: GPL-2.0-or-later
"""The server of a run: the lab, or an Oracle database that is somebody's own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Protocol, Self

from polltrace import procfs
from polltrace.engines import engine_of
from polltrace.errors import DriverError, UsageError
from scenarios.client import DriverClient
from scenarios.lab_server import LabServer
from scenarios.network import Route
from scenarios.processors import moved_to, processors
from scenarios.relay import LOOPBACK
from scenarios.scenario import Cell
from scenarios.sqlnet import write_sqlnet


@dataclass(frozen=True, slots=True)
class Endpoint:
    host: str
    port: int
    service: str

    @property
    def dsn(self) -> str:
        return f"{self.host}:{self.port}/{self.service}"


class Server(Protocol):
    """What a run asks of a server."""

    kind: str
    counts_polls: bool
    """Whether it counts its own break polls, to hold a probe to."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None: ...

    def why_not(self, cell: Cell) -> str | None:
        """Why this server can't have such a session; None where it can."""
        ...

    def endpoint(self, cell: Cell) -> Endpoint:
        """Where sessions of the cell connect to, but for the network path."""
        ...

    def credentials(self) -> tuple[str, str]: ...

    def prepare(self, cell: Cell) -> None:
        """See to it that a server process that starts next reads the cell's parameters."""
        ...


def open_session(
    server: Server, client: DriverClient, cell: Cell, routes: Mapping[str, Route]
) -> None:
    """Connect the client as the cell says, by its path's route."""
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
    )


_SPID = """
select p.spid
from   v$process p, v$session s
where  p.addr = s.paddr
and    s.sid = sys_context('userenv', 'sid')
"""


def server_process(client: DriverClient) -> int | None:
    """The PID of the client's dedicated server, by V$PROCESS.SPID; None where it is not here.

    A database elsewhere gives a number too: here it must be a dedicated server's.
    """
    try:
        pid = int(client.query(_SPID)[1][0][0])
    except (DriverError, IndexError, TypeError, ValueError):
        return None
    return pid if engine_of(procfs.executable(pid), procfs.title(pid)) else None


class Lab:
    """The lab, started for the run and configured as each cell wants it."""

    kind = "lab"
    counts_polls = True

    def __init__(
        self, force_skip: int | None = None, port: int = 0, address: str = LOOPBACK
    ) -> None:
        self._lab = LabServer(port, address)
        self._force_skip = force_skip

    def __enter__(self) -> Self:
        # What carries a local session is the server's too. Were it where the clients are, it would
        # take the processor from one that has just written a break and must yet return from that:
        # ojdbc11 then may not get over the answer (docs/drivers.md).
        with moved_to({processors()[1]}):
            self._lab.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._lab.__exit__(kind, error, traceback)

    def why_not(self, cell: Cell) -> str | None:  # noqa: ARG002
        return None

    def endpoint(self, cell: Cell) -> Endpoint:
        lab = self._lab.oralab
        if cell.break_mode == "local":
            return Endpoint(LOOPBACK, lab.local_port, lab.service)
        return Endpoint(lab.host, lab.port, lab.service)

    def credentials(self) -> tuple[str, str]:
        return self._lab.oralab.user, self._lab.oralab.password

    def prepare(self, cell: Cell) -> None:
        write_sqlnet(
            self._lab.oralab.tns_admin,
            break_poll_skip=self._force_skip or cell.skip or 3,
            path_check=cell.path_check,
            sdu=cell.sdu,
        )


def parse_connect(text: str) -> Endpoint:
    """host:port/service. Raises UsageError."""
    address, slash, service = text.partition("/")
    host, colon, port = address.rpartition(":")
    if not (slash and colon and host and service and port.isdecimal() and int(port) < 65536):
        raise UsageError(f"--connect takes HOST:PORT/SERVICE, not {text!r}")
    return Endpoint(host, int(port), service)
