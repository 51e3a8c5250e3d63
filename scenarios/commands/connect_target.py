# SPDX-License-Identifier: GPL-2.0-or-later
"""`USER/PASSWORD@HOST:PORT/SERVICE` as a command takes it, and the other ways to a password."""

from __future__ import annotations

import argparse
import re
import stat
from pathlib import Path

from polltrace.errors import FileError, LabError, UsageError
from polltrace.scenarios.run.servers import background_lab
from polltrace.scenarios.run.servers.server import Endpoint
from polltrace.servers.login import PASSWORD, password_of

DEFAULT_PORT = 1521
_DSN = re.compile(r"(?://)?(\[[0-9A-Fa-f:.]+\]|[^\s:/@\[\]]+)(?::(\d{1,5}))?/([\w.$#-]+)")
_LONGEST_PASSWORD = 1024


def add_target_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "target",
        nargs="?",
        metavar="USER[/PASSWORD]@HOST[:PORT]/SERVICE",
        help="every user of this host can read a password here while it runs; without one it comes "
        f"from --password-file, --password-fd, ${PASSWORD} or a prompt",
    )
    parser.add_argument(
        "--lab",
        nargs="?",
        const=background_lab.DEFAULT_NAME,
        metavar="NAME",
        help="instead: the lab that 'polltrace lab start' runs, or the one of this name",
    )
    add_password_arguments(parser)


def add_password_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--password-file",
        type=Path,
        metavar="FILE",
        help="its first line; nobody but its owner may be able to read it",
    )
    parser.add_argument(
        "--password-fd", type=int, metavar="FD", help="read the password from this descriptor"
    )


def endpoint(dsn: str) -> Endpoint:
    """Raises UsageError for anything but HOST[:PORT]/SERVICE: names of tnsnames.ora too."""
    match = _DSN.fullmatch(dsn)
    port = int(match[2] or DEFAULT_PORT) if match else 0
    if match is None or not 0 < port < 65536:
        raise UsageError(
            f"{dsn!r} is not HOST[:PORT]/SERVICE (for a name of tnsnames.ora give what it stands "
            "for)"
        )
    return Endpoint(match[1], port, match[3])


def connect_target(args: argparse.Namespace) -> tuple[Endpoint, str, str]:
    """The endpoint, the user and the password. Raises UsageError, FileError, LabError."""
    if (args.target is None) == (args.lab is None):
        raise UsageError("name what to connect to: USER@HOST:PORT/SERVICE, or --lab")
    if args.lab is not None:
        return _lab(args.lab)
    login, separator, dsn = args.target.rpartition("@")
    user, slash, password = login.partition("/")
    if not separator or not user:
        raise UsageError(
            "name the user: USER@HOST:PORT/SERVICE, or USER/PASSWORD@HOST:PORT/SERVICE"
        )
    end = endpoint(dsn)
    if slash:
        return end, user, password
    if args.password_file is not None:
        return end, user, _from_file(args.password_file)
    return end, user, password_of(user, args.password_fd)


def _lab(name: str) -> tuple[Endpoint, str, str]:
    lab = background_lab.status(name)
    if lab is None:
        raise LabError(f"no lab {name} runs in the background: 'polltrace lab start'")
    return Endpoint(lab.host, lab.port, lab.service), lab.user, lab.password


def _from_file(path: Path) -> str:
    try:
        with path.open(encoding="utf-8") as file:
            mode = path.stat().st_mode
            if stat.S_ISREG(mode) and mode & 0o077:
                raise FileError(f"others may read the password in {path}: chmod 600 {path}")
            return file.readline(_LONGEST_PASSWORD).rstrip("\r\n")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "not text"
        raise FileError(f"cannot read {path}: {reason}") from None
