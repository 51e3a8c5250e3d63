# SPDX-License-Identifier: GPL-2.0-or-later
"""Two labs, one of which has a database link to the other."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
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


@contextmanager
def between(port: int, passed_on: Callable[[bytes, int], bytes | None]) -> Iterator[int]:
    """The port of a relay to this one. What the remote side sends goes through `passed_on`, with
    how many bytes went before; None: nothing goes on any more, but nobody hangs up."""
    listening = socket.create_server(("127.0.0.1", 0))
    open_sockets = [listening]

    def carry(source: socket.socket, sink: socket.socket, *, back: bool) -> None:
        before = 0
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                kept = passed_on(data, before) if back else data
                before += len(data)
                if kept is not None:
                    sink.sendall(kept)

    def serve() -> None:
        with contextlib.suppress(OSError):
            while True:
                client = listening.accept()[0]
                server = socket.create_connection(("127.0.0.1", port))
                open_sockets.extend((client, server))
                for ends, back in (((client, server), False), ((server, client), True)):
                    thread = threading.Thread(
                        target=carry, args=ends, kwargs={"back": back}, daemon=True
                    )
                    thread.start()

    threading.Thread(target=serve, daemon=True).start()
    yield listening.getsockname()[1]
    for each in open_sockets:
        with contextlib.suppress(OSError):
            each.shutdown(socket.SHUT_RDWR)
        each.close()
