# SPDX-License-Identifier: GPL-2.0-or-later
"""Two labs, one of which has a database link to the other."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from types import TracebackType
from typing import Self

from polltrace.errors import DriverError
from polltrace.scenarios.plan import linked_rows
from polltrace.scenarios.plan.cell import DEFAULT_SKIP, Cell
from polltrace.scenarios.plan.network_path import NetworkPath
from polltrace.scenarios.run.client import DriverClient
from polltrace.scenarios.run.network.choice import DIRECT
from polltrace.scenarios.run.network.relay import LOOPBACK, relay
from polltrace.scenarios.run.servers.lab_server import LabServer
from polltrace.scenarios.run.servers.remote_end import RemoteEnd
from polltrace.scenarios.run.servers.server import open_session
from polltrace.scenarios.run.servers.sqlnet_file import write_sqlnet

_LINK = """
create database link far connect to {user} identified by "{password}" using
'(DESCRIPTION={sdu}(ADDRESS=(PROTOCOL=TCP)(HOST={host})(PORT={port}))
  (CONNECT_DATA=(SERVICE_NAME={service})))'
"""


class LinkedLabServers(LabServer):
    """A DatabaseServer: a lab whose sessions have a database link, FAR, to a second one.

    The second lab has the table OBJECTS (linked_rows.py). A link's path is made by a relay process
    for all paths except the direct one, so where urgent data is concerned, a link has none. The
    remote lab has the clients' processor, `processors[0]`, the local one the other: both work at
    the same time, while a client waits.
    """

    def __init__(
        self,
        paths: Mapping[str, NetworkPath],
        address: str = LOOPBACK,
        *,
        processors: tuple[int, int],
        force_skip: int | None = None,
    ) -> None:
        super().__init__(address=address, processors={processors[1]}, force_skip=force_skip)
        self._paths = paths
        self._address = address
        self._remote_processor = processors[0]
        self._stack = contextlib.ExitStack()

    def __enter__(self) -> Self:
        with contextlib.ExitStack() as stack:
            super().__enter__()
            stack.callback(super().__exit__, None, None, None)
            self._open_remote(stack)
            self._stack = stack.pop_all()
        return self

    def _open_remote(self, stack: contextlib.ExitStack) -> None:
        lab = LabServer(address=self._address, processors={self._remote_processor})
        self._remote = stack.enter_context(lab)
        end = self._remote.endpoint(Cell())
        self._ends = {
            name: stack.enter_context(relay((end.host, end.port), path, self._address))
            for name, path in self._paths.items()
            if name != DIRECT
        }
        self._ends[DIRECT] = end.port
        watcher = DriverClient(self.driver, processors={self._remote_processor})
        stack.enter_context(watcher)
        open_session(self._remote, watcher, Cell(), {})
        for statement in (linked_rows.CREATE, linked_rows.FILL):
            watcher.execute(statement)
        watcher.commit()
        self.remote = RemoteEnd(self._remote.views, watcher, self._remote_processor)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._stack.__exit__(kind, error, traceback)

    def prepare(self, cell: Cell) -> None:
        super().prepare(cell)
        write_sqlnet(
            self._remote.oralab.tns_admin,
            break_poll_skip=cell.link_skip or DEFAULT_SKIP,
            sdu=cell.link_sdu,
        )

    def connected(self, client: DriverClient, cell: Cell) -> None:
        """Open the session's link, with the parameters that the remote server has now."""
        if not cell.link_path:
            return
        user, password = self._remote.credentials()
        link = _LINK.format(
            user=user,
            password=password,
            sdu=f"(SDU={cell.link_sdu})" if cell.link_sdu else "",
            host=self._address,
            port=self._ends[cell.link_path],
            service=self._remote.oralab.service,
        )
        # A definition is of the instance; a session keeps the connection that it has opened.
        with contextlib.suppress(DriverError):
            client.execute("drop database link far")
        client.execute(link)
        client.query("select dummy from dual@far")
        client.commit()
