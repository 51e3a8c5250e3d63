# SPDX-License-Identifier: GPL-2.0-or-later
"""Clients that are slow, silent or many; and what the service manager hears."""

from __future__ import annotations

import contextlib
import socket
import urllib.parse
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from polltrace.exporter.service_manager import Watchdog, notify
from polltrace.exporter.serving import MetricsServer
from tests.waiting import PATIENCE_S, until


def scrape(server: MetricsServer) -> str:
    """The metrics; nothing where we are refused."""
    with (
        contextlib.suppress(OSError),
        urllib.request.urlopen(server.url, timeout=PATIENCE_S) as response,
    ):
        text: str = response.read().decode()
        return text
    return ""


def connect(server: MetricsServer) -> socket.socket:
    where = urllib.parse.urlsplit(server.url)
    return socket.create_connection((where.hostname, where.port), timeout=PATIENCE_S)


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

    with MetricsServer("127.0.0.1", 0, deadline_s=0.5) as server, connect(server) as client:
        until(is_refused, "the end of the connection")
        assert until(lambda: scrape(server), "an answer")


def test_connections_are_bounded_and_come_free_again() -> None:
    with MetricsServer("127.0.0.1", 0, deadline_s=PATIENCE_S, max_requests=3) as server:
        silent = [connect(server) for _ in range(3)]
        with connect(server) as one_more:
            assert is_ended(one_more)
        for client in silent:
            client.close()
        assert until(lambda: scrape(server), "an answer")


def test_silent_connections_end_by_themselves() -> None:
    with MetricsServer("127.0.0.1", 0, deadline_s=0.5, max_requests=3) as server:
        silent = [connect(server) for _ in range(3)]
        assert all(is_ended(client) for client in silent)
        assert until(lambda: scrape(server), "an answer")


def test_the_age_of_what_is_shown_grows() -> None:
    def age() -> float:
        (line,) = [
            line
            for line in scrape(server).splitlines()
            if line.startswith("polltrace_frame_age_seconds ")
        ]
        return float(line.split()[1])

    with MetricsServer("127.0.0.1", 0) as server:
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
