# SPDX-License-Identifier: GPL-2.0-or-later
"""Two labs, one of which has a database link to the other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.waiting import until

from .conftest import LOTSLIOS, Lab, RunningStatement, Session

TO_DBLINK = "SQL*Net message to dblink"
FROM_DBLINK = "SQL*Net message from dblink"
MORE_FROM_DBLINK = "SQL*Net more data from dblink"
BREAK_RESET_DBLINK = "SQL*Net break/reset to dblink"

StartLab = Callable[..., Lab]

REMOTE_SESSIONS = (
    "select s.sid, p.spid from v$session s, v$process p"
    " where s.paddr = p.addr and s.program like 'oracle@%'"
)
LOTSLIOS_FAR = LOTSLIOS
for _alias in "abcd":
    LOTSLIOS_FAR = LOTSLIOS_FAR.replace(f"sys.obj$ {_alias}", f"sys.obj$@far {_alias}")
ROWS_FAR = (
    "select rpad(a.object_name, 1000), b.object_name from all_objects@far a, all_objects@far b"
)
CANCELLED = "ORA-01013"
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


def far_session(watcher: Session) -> tuple[int, int]:
    """SID and server process of the only session whose client is a server."""
    [(sid, spid)] = watcher.rows(REMOTE_SESSIONS)
    return int(sid), int(spid)


def started(session: Session, sql: str, **binds: object) -> RunningStatement:
    statement = RunningStatement(session)
    statement.start(sql, **binds)
    return statement


def in_the_middle(watcher: Session, sid: int, statement: RunningStatement) -> None:
    """Wait until the statement has made a thousand gets more in remote session `sid`."""
    gets = watcher.statistic_of(sid, "consistent gets")

    def reads() -> bool:
        assert statement.thread.is_alive(), statement.error
        return watcher.statistic_of(sid, "consistent gets") - gets >= 1000

    until(reads, "a thousand remote gets")
