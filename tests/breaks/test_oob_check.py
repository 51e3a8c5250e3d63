# SPDX-License-Identifier: GPL-2.0-or-later
"""`polltrace oob-check` over real TCP paths: a plain one, and relays that spoil urgent data."""

from __future__ import annotations

import contextlib
import json
import socket
import struct
import subprocess
import threading
from collections.abc import Callable, Iterator

import pytest

Run = Callable[..., subprocess.CompletedProcess[str]]
Start = Callable[..., subprocess.Popen[str]]


@pytest.fixture
def listening(start: Start) -> int:
    """The port of a server half that lives as long as the test."""
    server = start("oob-check", "--listen", "0")
    assert server.stdout is not None
    return int(server.stdout.readline().rpartition(":")[2])


@contextlib.contextmanager
def relay(port: int, *, inline: bool = False, reset_after: int = 0) -> Iterator[int]:
    """A proxy as there are many: it reads a stream and writes a stream, and urgent data is lost
    on the way, or with `inline` becomes ordinary; with `reset_after` reads it gives up."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(
            target=_relayed, args=(listener, port, inline, reset_after), daemon=True
        ).start()
        yield listener.getsockname()[1]


def _relayed(listener: socket.socket, port: int, inline: bool, reset_after: int) -> None:
    with contextlib.suppress(OSError):
        client, _ = listener.accept()
        server = socket.create_connection(("127.0.0.1", port))
        for one in (client, server):
            if inline:
                one.setsockopt(socket.SOL_SOCKET, socket.SO_OOBINLINE, 1)
        back = threading.Thread(target=_copy, args=(server, client, 0), daemon=True)
        back.start()
        _copy(client, server, reset_after)


def _copy(source: socket.socket, sink: socket.socket, reset_after: int) -> None:
    reads = 0
    with contextlib.suppress(OSError):
        while data := source.recv(4096):
            reads += 1
            if reset_after and reads > reset_after:
                for one in (source, sink):
                    one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                    one.close()
                return
            sink.sendall(data)
        sink.shutdown(socket.SHUT_WR)


def test_a_plain_path_carries_urgent_data_both_ways(run: Run, listening: int) -> None:
    ended = run("oob-check", f"127.0.0.1:{listening}", "--json", "-n", "20")
    assert ended.returncode == 0, ended.stderr
    data = json.loads(ended.stdout)
    assert data["verdict"] == "carried"
    assert data["to_server"]["urgent"] == data["to_client"]["urgent"] == 20
    assert data["to_server"]["median_ms"] > 0
    # The server half goes on for the next one.
    assert "carried" in run("oob-check", f"localhost:{listening}").stdout


@pytest.mark.parametrize(("inline", "verdict"), [(False, "lost"), (True, "inline")])
def test_a_relay_that_alters_urgent_data_is_detected(
    run: Run, listening: int, inline: bool, verdict: str
) -> None:
    with relay(listening, inline=inline) as port:
        ended = run("oob-check", f"127.0.0.1:{port}", "--json", "-n", "7")
    assert ended.returncode == 1, ended.stderr
    data = json.loads(ended.stdout)
    assert data["verdict"] == verdict
    assert data["to_server"][verdict] == data["to_client"][verdict] == 7


def test_a_path_that_resets_is_recognized(run: Run, listening: int) -> None:
    with relay(listening, reset_after=1) as port:
        ended = run("oob-check", f"127.0.0.1:{port}", "--json")
    assert ended.returncode == 1, ended.stderr
    data = json.loads(ended.stdout)
    assert (data["verdict"], data["to_server"]["reset"]) == ("reset", 1)
    assert data["to_client"]["tries"] == 0


def test_the_text_names_both_directions(run: Run, listening: int) -> None:
    with relay(listening) as port:
        text = run("oob-check", f"127.0.0.1:{port}").stdout
    assert "is eaten" in text
    assert "client to server (breaks): 10 lost of 10" in text


def test_no_listener_and_another_listener_are_errors(run: Run) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        silent = run("oob-check", f"127.0.0.1:{port}", "--timeout", "0.3")
        busy = run("oob-check", "--listen", str(port))
    gone = run("oob-check", f"127.0.0.1:{port}")
    assert (silent.returncode, busy.returncode, gone.returncode) == (4, 4, 4)
    assert "does not answer as 'polltrace oob-check --listen'" in silent.stderr
    assert "cannot listen" in busy.stderr
    assert "--listen' running there" in gone.stderr


@pytest.mark.parametrize("words", [[], ["h:1", "--listen", "1"], ["nohost"], ["h:99999"]])
def test_wrong_usage_is_refused(run: Run, words: list[str]) -> None:
    assert run("oob-check", *words).returncode == 2


def test_the_server_half_outlives_a_client_that_talks_nonsense(start: Start, run: Run) -> None:
    server = start("oob-check", "--listen", "0", "--timeout", "5")
    assert server.stdout is not None
    port = int(server.stdout.readline().rpartition(":")[2])
    with socket.create_connection(("127.0.0.1", port)) as client:
        client.sendall(b"GET / HTTP/1.0\r\n\r\n" + bytes(200))
        assert client.recv(10) == b""
    assert run("oob-check", f"127.0.0.1:{port}").returncode == 0
