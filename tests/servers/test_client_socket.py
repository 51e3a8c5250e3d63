# SPDX-License-Identifier: GPL-2.0-or-later
"""The owner of another process's socket, which is notified of its urgent data."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Callable

import pytest

from polltrace.servers.client_socket import (
    ClientSocket,
    Connections,
    clients_among,
    connections,
    tcp_sockets,
)

# A server that takes an older connection, then a client's, and may become the latter's owner.
SERVER = """
import fcntl, os, socket, sys
family, host = (socket.AF_INET6, "::1") if "6" in sys.argv[1] else (socket.AF_INET, "127.0.0.1")
listener = socket.create_server((host, 0), family=family)
older = socket.create_connection(listener.getsockname()[:2]), listener.accept()[0]
client = socket.create_connection(listener.getsockname()[:2])
server, peer = listener.accept()
if "owned" in sys.argv[1]:
    fcntl.fcntl(server, fcntl.F_SETOWN, os.getpid())
older[0].close(); older[1].close() if "alone" in sys.argv[1] else None
print(server.fileno(), peer[1], flush=True)
sys.stdin.read()
"""


def client_sockets(pid: int, connected: Callable[[], Connections]) -> tuple[ClientSocket, ...]:
    return clients_among(pid, tcp_sockets(pid, connected))


def fail() -> Connections:
    pytest.fail("the tables of the network namespace are read only where we may not ask")


def test_where_it_may_not_be_asked_the_tables_decide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("polltrace.servers.client_socket._pidfd", lambda _pid: None)
    with (
        socket.create_server(("127.0.0.1", 0)) as listener,
        socket.create_connection(listener.getsockname()),
    ):
        server, peer = listener.accept()
        with server:
            found, *_ = client_sockets(os.getpid(), lambda: connections(os.getpid()))
    assert found.owner is None
    assert f"127.0.0.1:{peer[1]}" in (found.peer, found.local)


@pytest.mark.usefixtures("root")
@pytest.mark.parametrize("how", ["owned 4", "owned 6", "owned alone 4"])
def test_the_owned_socket_is_the_clients(how: str) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", SERVER, how],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as server:
        assert server.stdout is not None
        fd, port = map(int, server.stdout.readline().split())
        found, *others = client_sockets(server.pid, fail)
        server.kill()
    assert (found.fd, found.owner, others) == (fd, server.pid, [])
    host = "[::1]" if "6" in how else "127.0.0.1"
    assert (found.peer, found.client) == (f"{host}:{port}", host)


@pytest.mark.usefixtures("root")
def test_an_unowned_socket_has_owner_zero() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", SERVER, "alone 4"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as server:
        assert server.stdout is not None
        server.stdout.readline()
        found, *_ = client_sockets(server.pid, fail)
        server.kill()
    assert found.owner == 0


@pytest.mark.usefixtures("root")
def test_without_an_owner_all_may_be_the_clients() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", SERVER, "4"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as server:
        assert server.stdout is not None
        fd, _port = map(int, server.stdout.readline().split())
        found = client_sockets(server.pid, fail)
        server.kill()
    assert fd in [each.fd for each in found[1:]]
    assert [each.fd for each in found] == sorted(each.fd for each in found)


def test_a_process_that_is_gone_has_none() -> None:
    gone = subprocess.Popen(["true"])
    gone.wait()
    assert client_sockets(gone.pid, lambda: connections(gone.pid)) == ()
