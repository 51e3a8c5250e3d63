# SPDX-License-Identifier: GPL-2.0-or-later
"""A remote side that sends anything: the statement fails, or not; the session lives."""

from __future__ import annotations

import contextlib
import random
import socket
import threading
from concurrent.futures import ThreadPoolExecutor

import oracledb
import pytest

from .conftest import SOAK, RunningStatement, Session
from .links import LinkedLabs

CONNECTIONS = 2000 if SOAK else 60
SESSIONS = 10
QUERIES = [
    # No date: python-oracledb loses its connection over one that datetime has not, B. C.
    "select object_id, object_name, object_type from all_objects@bad where rownum <= 300",
    "select count(*) from all_objects@bad, dual where object_id < 50",
    "select zzz from nowhere@bad",
]


@pytest.fixture
def labs(labs: LinkedLabs) -> LinkedLabs:
    labs.local.sqlnet_ora("SQLNET.RECV_TIMEOUT = 1\nSQLNET.OUTBOUND_CONNECT_TIMEOUT = 1\n")
    return labs


class Tampering:
    """A relay that changes, drops or adds some bytes of what the remote side sends."""

    def __init__(self, target: int) -> None:
        self.target = target
        self.random = random.Random(4)
        self.listening = socket.create_server(("127.0.0.1", 0))
        self.port: int = self.listening.getsockname()[1]
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client = self.listening.accept()[0]
                server = socket.create_connection(("127.0.0.1", self.target))
                begin = self.random.choice([0, 45, 200, 1500, 3000, 6000])
                for ends in ((client, server, None), (server, client, begin)):
                    threading.Thread(target=self._carry, args=ends, daemon=True).start()

    def _carry(self, source: socket.socket, sink: socket.socket, begin: int | None) -> None:
        passed = 0
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                passed += len(data)
                sink.sendall(data if begin is None or passed <= begin else self._changed(data))
        with contextlib.suppress(OSError):
            sink.shutdown(socket.SHUT_WR)

    def _changed(self, data: bytes) -> bytes:
        changed = bytearray(data)
        for _ in range(self.random.randint(1, 3)):
            at = self.random.randrange(len(changed)) if changed else 0
            match self.random.randrange(4):
                case 0 if changed:
                    changed[at] = self.random.randrange(256)
                case 1:
                    changed[at:at] = self.random.randbytes(self.random.randint(1, 300))
                case 2:
                    del changed[at : at + self.random.randint(1, 300)]
                case _:
                    if changed:
                        changed[at] ^= 1 << self.random.randrange(8)
        return bytes(changed)


def error_of(session: Session, query: str) -> str:
    """The error that the query ends with, an ORA- error in any case; "": none."""
    statement = RunningStatement(session)
    statement.start(query)
    assert statement.join()
    assert statement.error == "" or statement.error.startswith("ORA-")
    return statement.error


def ask(labs: LinkedLabs, connections: int) -> int:
    """How many queries fail in a session that opens the link this often, and lives."""
    session = labs.local.connect()
    session.cursor.prefetchrows = session.cursor.arraysize = 100
    spid, failed = session.spid, 0
    for i in range(connections):
        for query in QUERIES:
            failed += bool(error_of(session, query))
        assert session.one("select :i from dual", i=i) == i
        session.connection.rollback()
        with contextlib.suppress(oracledb.DatabaseError):  # it may be lost
            session.cursor.execute("alter session close database link bad")
    assert session.spid == spid
    assert session.rows("select dummy from dual@far") == [("X",)]
    return failed


def test_a_remote_side_that_sends_anything(labs: LinkedLabs) -> None:
    tampering = Tampering(labs.remote.port)
    labs.link(labs.local.connect(), "bad", tampering.port)
    # Most of the time passes until a side that has sent too little is given up.
    with ThreadPoolExecutor(SESSIONS) as pool:
        failed = list(pool.map(lambda n: ask(labs, n), [CONNECTIONS // SESSIONS] * SESSIONS))
    assert sum(failed) >= CONNECTIONS
    tampering.listening.close()
