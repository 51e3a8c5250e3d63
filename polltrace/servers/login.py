# SPDX-License-Identifier: GPL-2.0-or-later
"""The database to query, and the user to log in as.

The password comes from the environment, a descriptor or a prompt; never from the command line.
"""

from __future__ import annotations

import argparse
import getpass
import os
import sys
from dataclasses import dataclass

from polltrace.errors import UsageError

CONNECT, USER, PASSWORD = "POLLTRACE_CONNECT", "POLLTRACE_USER", "POLLTRACE_PASSWORD"
POSTGRESQL = ("postgresql://", "postgres://")


@dataclass(frozen=True, slots=True)
class Login:
    """Address (`dsn`: host:port/service or a name of tnsnames.ora), user and `password` of a login.

    An empty user means OS authentication. `views` names the engine whose views are read
    (Engine.views). The `dsn` of PostgreSQL is a URI without its scheme, and libpq supplies the
    parts that it lacks.
    """

    dsn: str
    user: str
    password: str
    views: str = "oracle"

    def __repr__(self) -> str:
        return f"Login({self.dsn!r}, {self.user!r})"  # wherever it is printed, not the password


def add_connect_arguments(parser: argparse._ActionsContainer) -> None:
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


def login_of(connect: str | None, password_fd: int | None = None) -> Login | None:
    """The login that the command line or the environment names; None without one."""
    target = connect or os.environ.get(CONNECT, "")
    if not target:
        return None
    scheme = next((prefix for prefix in POSTGRESQL if target.startswith(prefix)), "")
    user_part, separator, dsn = target.removeprefix(scheme).rpartition("@")
    if (":" if scheme else "/") in user_part or (scheme and "password=" in dsn):
        raise UsageError(
            f"no password on the command line: every user of this host can read it; --connect "
            f"USER@DSN, and the password in ${PASSWORD}, by --password-fd, or at the prompt"
        )
    user = user_part if separator else os.environ.get(USER, "")
    if scheme:
        has_password = password_fd is not None or PASSWORD in os.environ
        return Login(
            dsn, user, password_of(user, password_fd) if has_password else "", "postgresql"
        )
    if not user:
        return Login(dsn.removeprefix("/"), "", "")
    return Login(dsn, user, password_of(user, password_fd))


def password_of(user: str, fd: int | None) -> str:
    """The password from a descriptor, the environment or a prompt.

    Raises UsageError where there is none of these.
    """
    if fd is not None:
        try:
            with open(fd, encoding="utf-8") as file:
                return file.readline().rstrip("\n")
        except OSError as error:
            raise UsageError(f"no password from descriptor {fd}: {error.strerror}") from None
    if (password := os.environ.get(PASSWORD)) is not None:
        return password
    if not sys.stdin.isatty():
        raise UsageError(f"no password for {user}: set ${PASSWORD}, or use --password-fd")
    return getpass.getpass(f"Password of {user}: ")
