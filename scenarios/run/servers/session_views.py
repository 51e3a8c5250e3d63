# SPDX-License-Identifier: GPL-2.0-or-later
"""A database's own views of its sessions, read by its own SQL."""

from __future__ import annotations

from typing import Protocol

from polltrace import procfs
from polltrace.engines import engine_of
from polltrace.errors import DriverError
from polltrace.scenarios.run import session_statistics
from polltrace.scenarios.run.client import DriverClient
from polltrace.scenarios.run.session_statistics import StatisticsSnapshot


class SessionViews(Protocol):
    """The views of one engine."""

    def spid(self, client: DriverClient) -> int | None:
        """The PID of the client's server process; None if it is not on this host."""
        ...

    def sid(self, client: DriverClient) -> int:
        """The client's session, as the views have it."""
        ...

    def publish(self, client: DriverClient) -> None:
        """Have the client's session show its statistics to others."""
        ...

    def read(self, watcher: DriverClient, sid: int) -> StatisticsSnapshot:
        """The statistics of a session, read by another one, so that reading changes nothing."""
        ...

    def plan(self, watcher: DriverClient, sid: int) -> int | None:
        """A number that stands for the plan of a session's last statement; None: not shown."""
        ...

    def end(self, watcher: DriverClient, sid: int) -> None:
        """End a session in the middle of a statement."""
        ...


SPID = """
select p.spid
from   v$process p, v$session s
where  p.addr = s.paddr
and    s.sid = sys_context('userenv', 'sid')
"""
"""The PID of a session's own server process, as Oracle has it."""


class OracleViews:
    """V$PROCESS, V$SESSTAT, V$SESSION_EVENT, V$SESS_TIME_MODEL."""

    def spid(self, client: DriverClient) -> int | None:
        return local_server(client, SPID)

    def sid(self, client: DriverClient) -> int:
        return session_statistics.sid(client)

    def publish(self, client: DriverClient) -> None:
        """They are always up to date."""

    def read(self, watcher: DriverClient, sid: int) -> StatisticsSnapshot:
        return session_statistics.read(watcher, sid)

    def plan(self, watcher: DriverClient, sid: int) -> int | None:
        return session_statistics.plan(watcher, sid)

    def end(self, watcher: DriverClient, sid: int) -> None:
        """Another session may not: it ends with the run."""


class PostgresqlViews:
    """pg_stat_database, whose counts are those of all sessions: a run's sessions execute one after
    the other, so that the changes are one session's. The gets are buffers, hit or read."""

    _STATISTICS = """
select blks_hit + blks_read, blks_hit, blks_read, tup_returned, tup_fetched, xact_commit
from   pg_stat_database
where  datname = current_database()
"""
    _NAMES = (
        *("consistent gets", "blks_hit", "blks_read"),
        *("tup_returned", "tup_fetched", "xact_commit"),
    )

    def spid(self, client: DriverClient) -> int | None:
        return local_server(client, "select pg_backend_pid()")

    def sid(self, client: DriverClient) -> int:
        return int(client.query("select pg_backend_pid()")[1][0][0])

    def publish(self, client: DriverClient) -> None:
        """A session hands its statistics on at most once a second, unless it is forced to."""
        client.execute("select pg_stat_force_next_flush()")

    def read(self, watcher: DriverClient, sid: int) -> StatisticsSnapshot:  # noqa: ARG002
        row = watcher.query(self._STATISTICS)[1][0]
        values = dict(zip(self._NAMES, map(float, row), strict=True))
        return StatisticsSnapshot(values, {}, {})

    def plan(self, watcher: DriverClient, sid: int) -> int | None:  # noqa: ARG002
        """Another session's plan is in no view."""
        return None

    def end(self, watcher: DriverClient, sid: int) -> None:
        watcher.query("select pg_terminate_backend(:pid)", {"pid": sid})


def local_server(client: DriverClient, sql: str) -> int | None:
    """The process that the query names, if it is a server process of this host: a remote database
    returns a number too."""
    try:
        pid = int(client.query(sql)[1][0][0])
    except (DriverError, IndexError, TypeError, ValueError):
        return None
    return pid if engine_of(procfs.executable(pid), procfs.title(pid)) else None
