# SPDX-License-Identifier: GPL-2.0-or-later
"""Clients of the exporter that are slow, silent, many or not scrapers; and what the service manager
hears."""

from __future__ import annotations

import contextlib
import http.client
import ipaddress
import socket
import threading
import urllib.parse
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from polltrace.errors import HostError
from polltrace.exporter.listening import Address
from polltrace.exporter.service_manager import Watchdog, notify
from polltrace.exporter.serving import MetricsServer
from tests.waiting import PATIENCE_S, until

LOOPBACK = Address(ipaddress.ip_address("127.0.0.1"), 0)
GET = b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n"


def scrape(server: MetricsServer) -> str:
    """The metrics; nothing where we are refused."""
    with (
        contextlib.suppress(OSError, http.client.HTTPException),
        urllib.request.urlopen(server.url, timeout=PATIENCE_S) as response,
    ):
        text: str = response.read().decode()
        return text
    return ""


def connect(server: MetricsServer) -> socket.socket:
    where = urllib.parse.urlsplit(server.url)
    return socket.create_connection((where.hostname, where.port), timeout=PATIENCE_S)


def answer(client: socket.socket, request: bytes) -> bytes:
    """All that the server sends to this request."""
    client.sendall(request)
    received = b""
    while part := client.recv(1 << 16):
        received += part
    return received


def is_ended(client: socket.socket) -> bool:
    """Waits until the server has ended the connection."""
    with contextlib.suppress(ConnectionResetError):
        return client.recv(1 << 16) == b""
    return True


def test_a_client_that_dawdles_is_cut_off() -> None:
    """One byte now and then keeps every pause short; the whole request has a deadline."""

    def is_refused() -> bool:
        try:
            return client.send(b"X") == 0
        except OSError:
            return True

    with MetricsServer(LOOPBACK, head_s=0.5) as server, connect(server) as client:
        until(is_refused, "the end of the connection")
        assert scrape(server)


def test_the_oldest_connection_makes_room_for_a_scrape() -> None:
    with MetricsServer(LOOPBACK, head_s=PATIENCE_S, max_connections=3) as server:
        silent = [connect(server) for _ in range(3)]
        assert scrape(server)
        assert is_ended(silent[0])
        for client in silent:
            client.close()


def test_silent_connections_end_by_themselves() -> None:
    with MetricsServer(LOOPBACK, head_s=0.2) as server:
        silent = [connect(server) for _ in range(3)]
        assert all(is_ended(client) for client in silent)


def test_scrapes_are_answered_while_others_reconnect_without_end() -> None:
    ended = threading.Event()

    def attack() -> None:
        while not ended.is_set():
            with contextlib.suppress(OSError):
                clients = [connect(server) for _ in range(16)]
                for client in clients:
                    client.close()

    with MetricsServer(LOOPBACK) as server:
        attackers = [threading.Thread(target=attack) for _ in range(16)]
        for attacker in attackers:
            attacker.start()
        try:
            assert all(scrape(server) for _ in range(20))
        finally:
            ended.set()
            for attacker in attackers:
                attacker.join()


@pytest.mark.parametrize(
    ("request_", "status"),
    [
        (GET, b"200"),
        (GET.replace(b"localhost", b"127.0.0.1:9417"), b"200"),
        (GET.replace(b"localhost", b"[::1]:9417"), b"200"),
        (GET.replace(b"localhost", b"DB1.example:9417"), b"200"),
        (b"GET /metrics HTTP/1.0\r\n\r\n", b"200"),
        (GET.replace(b"localhost", b"rebound.example"), b"421"),
        (GET.replace(b"\r\n\r\n", b"\r\nHost: rebound.example\r\n\r\n"), b"400"),
        (GET.replace(b"/metrics", b"/"), b"404"),
        (GET.replace(b"/metrics", b"/metrics/../etc"), b"404"),
        (GET.replace(b"GET", b"POST"), b"405"),
        (b"\0\xff nonsense\r\n\r\n", b"400"),
    ],
)
def test_requests_that_are_no_scrape_are_refused(request_: bytes, status: bytes) -> None:
    with (
        MetricsServer(LOOPBACK, host_names=["db1.example"]) as server,
        connect(server) as client,
    ):
        received = answer(client, request_)
    assert received.split(b" ")[:2] == [b"HTTP/1.1", status]
    assert (b"polltrace_frame_age_seconds" in received) is (status == b"200")
    head = received.partition(b"\r\n\r\n")[0].lower()
    assert b"server:" not in head
    assert b"python" not in head


def test_a_head_without_end_is_cut_off() -> None:
    with MetricsServer(LOOPBACK, head_s=PATIENCE_S) as server, connect(server) as client:
        with contextlib.suppress(OSError):
            client.sendall(b"GET /metrics HTTP/1.1\r\n" + b"X: " + b"y" * 100_000)
        assert is_ended(client)


def test_a_unix_socket_is_for_its_owner_and_group(tmp_path: Path) -> None:
    path = tmp_path / "metrics.sock"
    with MetricsServer(Address(path=path)), socket.socket(socket.AF_UNIX) as client:
        assert path.stat().st_mode & 0o777 == 0o660
        client.connect(str(path))
        assert b"polltrace_frame_age_seconds" in answer(client, GET.replace(b"localhost", b"any"))
        with (
            pytest.raises(HostError, match="Address already in use"),
            MetricsServer(Address(path=path)),
        ):
            pass
    assert not path.exists()


def test_a_unix_socket_that_a_killed_exporter_left_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "metrics.sock"
    with socket.socket(socket.AF_UNIX) as abandoned:
        abandoned.bind(str(path))
    with MetricsServer(Address(path=path)), socket.socket(socket.AF_UNIX) as client:
        client.connect(str(path))
        assert b"200 OK" in answer(client, GET)


def test_a_file_in_place_of_the_unix_socket_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "precious"
    path.write_text("kept")
    with (
        pytest.raises(HostError, match="cannot listen on unix:"),
        MetricsServer(Address(path=path)),
    ):
        pass
    assert path.read_text() == "kept"


def test_the_age_of_what_is_shown_grows() -> None:
    def age() -> float:
        (line,) = [
            line
            for line in scrape(server).splitlines()
            if line.startswith("polltrace_frame_age_seconds ")
        ]
        return float(line.split()[1])

    with MetricsServer(LOOPBACK) as server:
        first = age()
        assert until(lambda: age() > first + 0.1, "time to pass")


@pytest.fixture(params=["path", "abstract"])
def manager(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[socket.socket]:
    """A service manager that hears us."""
    named = str(tmp_path / "notify")
    if request.param == "abstract":
        named = f"@{named}"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listening:
        listening.bind(named.replace("@", "\0"))
        listening.setblocking(False)
        monkeypatch.setenv("NOTIFY_SOCKET", named)
        yield listening


def heard(manager: socket.socket) -> list[bytes]:
    found = []
    with contextlib.suppress(BlockingIOError):
        while True:
            found.append(manager.recv(100))
    return found


def test_the_watchdog_is_silent_once_no_frame_comes(manager: socket.socket) -> None:
    now = 100.0
    watchdog = Watchdog(5.0, lambda: now)
    notify("READY=1")
    watchdog.turn()
    assert heard(manager) == [b"READY=1", b"WATCHDOG=1"]
    now += 29
    watchdog.turn()
    assert heard(manager) == [b"WATCHDOG=1"]
    now += 2
    watchdog.turn()
    assert heard(manager) == []
    watchdog.frame()
    watchdog.turn()
    assert heard(manager) == [b"WATCHDOG=1"]


def test_without_a_manager_nothing_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NOTIFY_SOCKET", raising=False)
    notify("READY=1")
    monkeypatch.setenv("NOTIFY_SOCKET", "/nowhere/at/all")
    notify("READY=1")
