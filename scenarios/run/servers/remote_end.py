# SPDX-License-Identifier: GPL-2.0-or-later
"""The database at the other end of a run's database link, and its sessions."""

from __future__ import annotations

from dataclasses import dataclass

from polltrace.errors import DriverError
from polltrace.scenarios.run.client import DriverClient
from polltrace.scenarios.run.servers.session_views import SessionViews

_OF_CLIENT = """
select s.sid, p.spid
from   v$session s, v$process p
where  p.addr = s.paddr
and    s.program like 'oracle@%'
and    s.process = :process
"""


@dataclass(frozen=True, slots=True)
class RemoteSession:
    """A session whose client is a server: its `sid` there, and the PID of its own server."""

    sid: int
    spid: int


@dataclass(frozen=True, slots=True)
class RemoteEnd:
    """The remote database of a run.

    - `views`: of its sessions; `watcher`: the session that reads them
    - `processor`: of its servers
    """

    views: SessionViews
    watcher: DriverClient
    processor: int

    def session_of(self, client_pid: int) -> RemoteSession:
        """The session whose client is this server process. Raises DriverError if there is none."""
        rows = self.watcher.query(_OF_CLIENT, {"process": str(client_pid)})[1]
        if len(rows) != 1:
            raise DriverError(
                f"server {client_pid} has {len(rows)} sessions over the database link"
            )
        return RemoteSession(*map(int, rows[0]))
