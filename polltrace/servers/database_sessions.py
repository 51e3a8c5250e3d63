# SPDX-License-Identifier: GPL-2.0-or-later
"""The sessions of server processes from the database: SID, serial, user, program by SPID.

Which database's views are read, `--connect` says: a URI of PostgreSQL's, else Oracle's.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import dataclass, replace

from polltrace.servers.login import POSTGRESQL, Login, login_of
from polltrace.servers.login_process import OPTIONAL, LoginProcess
from polltrace.servers.servers import Server

# The program that holds the login and lists the sessions, by the views that --connect reads
# (Engine.views).
_CLIENTS = {
    "oracle": "polltrace.servers.database_client",
    "postgresql": "polltrace.servers.postgresql_client",
}


@dataclass(frozen=True, slots=True)
class DatabaseSession:
    """A row of v$session, as far as it is of use; empty where the database has nothing.

    `spid` is the server's PID on its host (v$process), `instance` the instance's name, `user` the
    column USERNAME and `serial` the column SERIAL#. `sid`, `program`, `module`, `machine` and
    `sql_id` are the columns of those names.

    Of pg_stat_activity: pid is `spid` and `sid`, and there is no `serial` (0); datname is
    `instance`, application_name `program`, client_hostname or client_addr `machine`, query_id
    `sql_id`.
    """

    spid: int
    instance: str
    sid: int
    serial: int
    user: str
    program: str
    module: str
    machine: str
    sql_id: str

    @property
    def number(self) -> str:
        """`134,7`, or `4711` without a serial."""
        return f"{self.sid},{self.serial}" if self.serial else str(self.sid)

    @property
    def client(self) -> str:
        """`JDBC Thin Client from app7`."""
        program = self.program or self.module
        return (
            f"{program} from {self.machine}"
            if program and self.machine
            else program or self.machine
        )


@dataclass(frozen=True, slots=True)
class Lookup:
    """The sessions of one instance by the process that serves them; none if nobody was asked."""

    sessions: Mapping[int, DatabaseSession]

    def of(self, server: Server) -> DatabaseSession | None:
        """The session of a server process of this very instance: others reuse PIDs."""
        return self._of(server.pid, server.instance)

    def with_sid(self, server: Server) -> Server:
        """The server, with the SID of the one that its client is, where that is known."""
        name = server.linked_from
        session = self._of(name.pid, name.instance) if name else None
        if name is None or session is None:
            return server
        return replace(server, linked_from=replace(name, sid=session.sid))

    def _of(self, pid: int, instance: str) -> DatabaseSession | None:
        session = self.sessions.get(pid)
        return session if session and session.instance.upper() == instance.upper() else None


def lookup(args: argparse.Namespace) -> Lookup:
    """The sessions of the database that `args` or the environment name; nothing without one.

    Raises UsageError for a password on the command line or a missing one, DriverError with the
    message of the driver.
    """
    login = login_of(args.connect, args.password_fd)
    return Lookup({}) if login is None else Lookup(ask(login))


def why_not(login: Login, server: Server) -> str:
    """Why the views of `login` cannot have the session of a server; empty where they can."""
    engine = server.engine
    if engine.views == login.views:
        return ""
    who = f"process {server.pid} is a server of {engine.name}"
    if not engine.views:
        return f"{who}, whose views polltrace does not read"
    form = f"{POSTGRESQL[0]}[USER@]HOST:PORT/DATABASE"
    return f"{who}: --connect {form if engine.views == 'postgresql' else '[USER@]DSN'} asks it"


def ask(login: Login) -> dict[int, DatabaseSession]:
    """The sessions of a database by SPID. Raises DriverError."""
    with LoginProcess(_CLIENTS[login.views], login, "ask", OPTIONAL) as process:
        rows = process.log_in()["sessions"]
    return {session.spid: session for session in (DatabaseSession(**row) for row in rows)}
