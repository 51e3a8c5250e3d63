# SPDX-License-Identifier: GPL-2.0-or-later
"""Which database is asked, and as whom.

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


def login_of(connect: str | None, password_fd: int | None = None) -> Login | None:
    """None where neither the command line nor the environment names a database."""
    target = connect or os.environ.get(CONNECT, "")
    if not target:
        return None
    scheme = next((each for each in POSTGRESQL if target.startswith(each)), "")
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
