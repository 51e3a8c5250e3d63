# SPDX-License-Identifier: GPL-2.0-or-later
"""Two labs, one of which has a database link to the other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from .conftest import Lab, Session

TO_DBLINK = "SQL*Net message to dblink"
FROM_DBLINK = "SQL*Net message from dblink"
MORE_FROM_DBLINK = "SQL*Net more data from dblink"
BREAK_RESET_DBLINK = "SQL*Net break/reset to dblink"

StartLab = Callable[..., Lab]

WAITS = "select event, total_waits from v$session_event where sid = :sid"


@dataclass(frozen=True)
class LinkedLabs:
    """`local` has the link FAR to `remote`."""

    local: Lab
    remote: Lab

    def link(self, session: Session, name: str = "far", port: int | None = None) -> None:
        session.cursor.execute(create_link(name, port or self.remote.port))


def create_link(name: str, port: int, password: str = "tiger", service: str = "LAB") -> str:
    return (
        f"create database link {name} connect to scott identified by {password}"
        f" using '127.0.0.1:{port}/{service}'"
    )


def linked_labs(oralab: Path, local: Path, remote: Path, *arguments: str) -> LinkedLabs:
    assert oralab.exists()
    for directory in (local, remote):
        directory.mkdir(exist_ok=True)
    labs = LinkedLabs(Lab(local, ()), Lab(remote, arguments))
    labs.link(labs.local.connect())
    return labs


def waits(session: Session, sid: int) -> dict[str, int]:
    return dict(session.rows(WAITS, sid=sid))
