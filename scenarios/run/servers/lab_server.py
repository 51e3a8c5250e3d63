# SPDX-License-Identifier: GPL-2.0-or-later
"""The lab as the server of a run, or of a test."""

from __future__ import annotations

import contextlib
import subprocess
from collections.abc import Collection
from types import TracebackType
from typing import Self

from polltrace.scenarios.plan.cell import DEFAULT_SKIP, POSTGRESQL_DRIVERS, Cell
from polltrace.scenarios.run.client import DriverClient
from polltrace.scenarios.run.network.relay import LOOPBACK
from polltrace.scenarios.run.processors import moved_to
from polltrace.scenarios.run.servers.oralab import start_oralab
from polltrace.scenarios.run.servers.remote_end import RemoteEnd
from polltrace.scenarios.run.servers.server import Endpoint
from polltrace.scenarios.run.servers.session_views import OracleViews, SessionViews
from polltrace.scenarios.run.servers.sqlnet_file import write_sqlnet


class LabServer:
    """A DatabaseServer: the lab on a `port` of its own, from __enter__ to __exit__.

    `address` is loopback's, or one that only our own network namespaces reach (netem.py): the lab
    is no place for secrets. `force_skip` replaces the skip of every cell.

    A run gives the lab and the processes that carry local sessions `processors` without clients.
    Next to the clients such a process would take the processor from a client that has just written
    a break and must yet return from that: ojdbc11 then may not survive the answer
    (docs/evidence/drivers.md).

    It ends when our end of its stdin closes, so it does not outlive us, however we end. It removes
    its temporary directory, with our sqlnet.ora in it.
    """

    kind = "lab"
    counts_polls = True
    driver = "python-oracledb"
    views: SessionViews = OracleViews()
    remote: RemoteEnd | None = None

    def __init__(
        self,
        port: int = 0,
        address: str = LOOPBACK,
        *,
        processors: Collection[int] = (),
        force_skip: int | None = None,
    ) -> None:
        self._options = ["--port", str(port), "--until-eof", "--listen", address]
        self._options += ["--tcps-port", "0"]
        if address != LOOPBACK:
            self._options.append("--i-understand-this-is-not-a-database")
        self._processors = processors
        self._force_skip = force_skip

    def __enter__(self) -> Self:
        where = moved_to(self._processors) if self._processors else contextlib.nullcontext()
        with where:
            self._process, self.oralab = start_oralab(self._options, stdin=subprocess.PIPE)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()

    def connect(self, client: DriverClient, *, break_poll_skip: int, disable_oob: bool) -> str:
        """Connect `client` to a new dedicated server with this skip; the driver's version.

        In-band is set on the client's side, as a client does that cannot send urgent data.
        """
        lab = self.oralab
        write_sqlnet(lab.tns_admin, break_poll_skip=break_poll_skip)
        return client.connect(lab.dsn, lab.user, lab.password, disable_oob=disable_oob)

    def why_not(self, cell: Cell) -> str | None:
        if cell.client in POSTGRESQL_DRIVERS:
            return f"{cell.client} speaks to PostgreSQL only (--server postgresql)"
        return None

    def endpoint(self, cell: Cell) -> Endpoint:
        lab = self.oralab
        if cell.break_mode == "local":
            return Endpoint(LOOPBACK, lab.local_port, lab.service)
        if cell.transport == "tcps":
            return Endpoint(lab.host, lab.tcps_port, lab.service, lab.wallet)
        return Endpoint(lab.host, lab.port, lab.service)

    def credentials(self) -> tuple[str, str]:
        return self.oralab.user, self.oralab.password

    def prepare(self, cell: Cell) -> None:
        write_sqlnet(
            self.oralab.tns_admin,
            break_poll_skip=self._force_skip or cell.skip or DEFAULT_SKIP,
            path_check=cell.path_check,
            sdu=cell.sdu,
        )

    def connected(self, client: DriverClient, cell: Cell) -> None:
        """Do nothing: a session's parameters are read as it connects."""
