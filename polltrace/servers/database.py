# SPDX-License-Identifier: GPL-2.0-or-later
"""The sessions of server processes from the database: SID, serial, user, program by SPID.

Which database's views are read, `--connect` says: a URI of PostgreSQL's, else Oracle's.

The password comes from the environment, a descriptor or a prompt; never from the command line.
"""

from __future__ import annotations

import argparse
import getpass
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass

from polltrace.errors import UsageError
from polltrace.servers.login_process import OPTIONAL, PASSWORD, LoginProcess
from polltrace.servers.servers import Server

CONNECT, USER = "POLLTRACE_CONNECT", "POLLTRACE_USER"
# By the views that --connect reads (Engine.views), what holds the login and tells the sessions.
_CLIENTS = {
    "oracle": "polltrace.servers.database_client",
    "postgresql": "polltrace.servers.postgresql_client",
}
_POSTGRESQL = ("postgresql://", "postgres://")


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
        what = self.program or self.module
        return f"{what} from {self.machine}" if what and self.machine else what or self.machine


@dataclass(frozen=True, slots=True)
class Lookup:
    """The sessions of one instance by the process that serves them; none if nobody was asked."""

    sessions: Mapping[int, DatabaseSession]

    def of(self, server: Server) -> DatabaseSession | None:
        """The session of a server process of this very instance: others reuse PIDs."""
        found = self.sessions.get(server.pid)
        if found is None or found.instance.upper() != server.instance.upper():
            return None
        return found


@dataclass(frozen=True, slots=True)
class Login:
    """Where (`dsn`: host:port/service or a name of tnsnames.ora) and as whom, with which
    `password`; no user is OS authentication. `views`: whose views it is to read (Engine.views); of
    PostgreSQL the `dsn` is a URI without its scheme, and libpq knows what is not given."""

    dsn: str
    user: str
    password: str
    views: str = "oracle"

    def __repr__(self) -> str:
        return f"Login({self.dsn!r}, {self.user!r})"  # wherever it is printed, not the password


def add_connect_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--connect",
        metavar="[USER@]DSN",
        help="ask the database (host:port/service, or a name of tnsnames.ora) for SID, user and "
        f"program; without USER: ${USER}, else OS authentication. The password: ${PASSWORD}, "
        f"--password-fd, or a prompt. PostgreSQL: postgresql://[USER@]HOST:PORT/DATABASE, and what "
        f"is not given as libpq has it (default: ${CONNECT})",
    )
    parser.add_argument(
        "--password-fd", type=int, metavar="FD", help="read the password from this descriptor"
    )


def lookup(args: argparse.Namespace) -> Lookup:
    """The sessions of the database that `args` or the environment name; nothing without one.

    Raises UsageError for a password on the command line or a missing one, DriverError with what
    the driver reported.
    """
    login = login_of(args.connect, args.password_fd)
    return Lookup({}) if login is None else Lookup(ask(login))


def login_of(connect: str | None, password_fd: int | None = None) -> Login | None:
    """None where neither the command line nor the environment names a database."""
    target = connect or os.environ.get(CONNECT, "")
    if not target:
        return None
    scheme = next((each for each in _POSTGRESQL if target.startswith(each)), "")
    named, at, dsn = target.removeprefix(scheme).rpartition("@")
    if (":" if scheme else "/") in named or (scheme and "password=" in dsn):
        raise UsageError(
            f"no password on the command line: every user of this host can read it; --connect "
            f"USER@DSN, and the password in ${PASSWORD}, by --password-fd, or at the prompt"
        )
    user = named if at else os.environ.get(USER, "")
    if scheme:
        given = password_fd is not None or PASSWORD in os.environ
        return Login(dsn, user, password_of(user, password_fd) if given else "", "postgresql")
    if not user:
        return Login(dsn.removeprefix("/"), "", "")
    return Login(dsn, user, password_of(user, password_fd))


def password_of(user: str, fd: int | None) -> str:
    """From a descriptor, the environment, or a prompt. Raises UsageError where none is there."""
    if fd is not None:
        try:
            with open(fd, encoding="utf-8") as file:
                return file.readline().rstrip("\n")
        except OSError as error:
            raise UsageError(f"no password from descriptor {fd}: {error.strerror}") from None
    if (known := os.environ.get(PASSWORD)) is not None:
        return known
    if not sys.stdin.isatty():
        raise UsageError(f"no password for {user}: set ${PASSWORD}, or use --password-fd")
    return getpass.getpass(f"Password of {user}: ")


def why_not(login: Login, server: Server) -> str:
    """Why the views of `login` cannot have the session of a server; empty where they can."""
    engine = server.engine
    if engine.views == login.views:
        return ""
    who = f"process {server.pid} is a server of {engine.name}"
    if not engine.views:
        return f"{who}, whose views polltrace does not read"
    form = f"{_POSTGRESQL[0]}[USER@]HOST:PORT/DATABASE"
    return f"{who}: --connect {form if engine.views == 'postgresql' else '[USER@]DSN'} asks it"


def ask(login: Login) -> dict[int, DatabaseSession]:
    """The sessions of a database by SPID. Raises DriverError."""
    with LoginProcess(_CLIENTS[login.views], login, "ask", OPTIONAL) as process:
        rows = process.log_in()["sessions"]
    return {session.spid: session for session in (DatabaseSession(**row) for row in rows)}
