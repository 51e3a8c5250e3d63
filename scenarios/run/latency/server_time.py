# SPDX-License-Identifier: GPL-2.0-or-later
"""Round trips and DB time of a session, read by another, so that reading changes nothing."""

from __future__ import annotations

from dataclasses import dataclass

from polltrace.errors import DriverError
from polltrace.scenarios.run import session_statistics
from polltrace.scenarios.run.client import DriverClient

_READ = """
select 1, s.value
from   v$sesstat s, v$statname n
where  s.statistic# = n.statistic#
and    n.name = 'SQL*Net roundtrips to/from client'
and    s.sid = :sid
union all
select 2, value
from   v$sess_time_model
where  stat_name = 'DB time'
and    sid = :sid
"""
_INSTANCE = "select sys_context('userenv', 'instance_name') from dual"


@dataclass(frozen=True, slots=True)
class ServerTime:
    """Totals of a session: `trips` to its client, and `db_s`, seconds of DB time."""

    trips: float
    db_s: float

    def since(self, earlier: ServerTime) -> ServerTime:
        return ServerTime(self.trips - earlier.trips, self.db_s - earlier.db_s)


class ServerTimeReader:
    """Reads the totals of `client`'s session by `watcher`'s. Raises DriverError where the views
    cannot be read, or the two sessions are of different instances."""

    def __init__(self, client: DriverClient, watcher: DriverClient) -> None:
        ours, theirs = (client_of_two.query(_INSTANCE)[1] for client_of_two in (client, watcher))
        if ours != theirs:
            raise DriverError("the sessions are of two instances: name one by its own service")
        self._watcher = watcher
        self._sid = session_statistics.sid(client)
        self.read()

    def read(self) -> ServerTime:
        rows = self._watcher.query(_READ, {"sid": self._sid})[1]
        if len(rows) != 2:
            raise DriverError("V$SESSTAT and V$SESS_TIME_MODEL do not show the session")
        trips, db_us = (float(value) for _, value in sorted(rows, key=lambda row: float(row[0])))
        return ServerTime(trips, db_us / 1e6)
