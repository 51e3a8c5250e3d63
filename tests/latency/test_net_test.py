# SPDX-License-Identifier: GPL-2.0-or-later
"""`polltrace net-test`: exact counts, what a slow path adds, and other ends that misbehave."""

from __future__ import annotations

import contextlib
import json
import re
import socket
import struct
import subprocess
from collections.abc import Callable
from typing import Any

import pytest

from polltrace.latency.net_test.plan import READY, NetTestPlan, plan_of
from polltrace.scenarios.plan.network_path import NetworkPath
from polltrace.scenarios.run.network.relay import relay
from tests.conftest import Run, Start
from tests.waiting import PATIENCE_S, until

SHORT = ("-d", "400ms", "--interval", "200ms", "--warm-up", "100ms")
Server = Callable[..., tuple[subprocess.Popen[str], int]]


@pytest.fixture
def server(start: Start) -> Server:
    """A server half, and its port."""

    def server_(*options: str) -> tuple[subprocess.Popen[str], int]:
        process = start("net-test", "--listen", "0", *options)
        assert process.stdout is not None
        line = process.stdout.readline()
        return process, int(re.fullmatch(r"listening on 127.0.0.1:(\d+)\n", line)[1])  # type: ignore[index]

    return server_


def measured(run: Run, port: int, *options: str) -> dict[str, Any]:
    ended = run("net-test", f"127.0.0.1:{port}", "--json", *SHORT, *options)
    assert ended.returncode == 0, ended.stderr
    data: dict[str, Any] = json.loads(ended.stdout)
    return data


@pytest.mark.parametrize("direction", ["to-server", "to-client", "both"])
def test_messages_with_answers(run: Run, server: Server, direction: str) -> None:
    _, port = server()
    found = measured(run, port, "--direction", direction, "--length", "101", "--streams", "2")
    answered = found["latency"]["samples"]
    ways = 2 if direction == "both" else 1
    assert found["bytes"] == 101 * ways * answered
    assert answered > 0
    assert (
        0 < found["latency"]["min_ms"] <= found["latency"]["p50_ms"] <= found["latency"]["max_ms"]
    )
    assert found["latency_under_load"]["samples"] == 0
    assert len(found["intervals"]) == 2
    # One message of each stream may end at the very end of an interval.
    assert sum(each["messages"] for each in found["intervals"]) == pytest.approx(answered, abs=4)


@pytest.mark.parametrize("direction", ["to-server", "to-client", "both"])
def test_a_stream_without_answers(run: Run, server: Server, direction: str) -> None:
    _, port = server()
    options = ("--mode", "async", "--length", "65537", "-d", "1s")
    found = measured(run, port, *options, "--direction", direction)
    assert found["bytes"] > 65537
    assert found["latency"]["samples"] == 0
    assert found["latency_under_load"]["samples"] > 0
    assert found["bytes_per_s"] == pytest.approx(found["bytes"] / found["measured_s"])


def test_a_slow_path_is_in_every_answer(run: Run, server: Server) -> None:
    _, port = server()
    with relay(("127.0.0.1", port), NetworkPath(0.02)) as slow:
        found = measured(run, slow, "--length", "100")
        assert found["latency"]["min_ms"] >= 20
        # As many as fit one after the other.
        assert found["latency"]["samples"] <= 21
        # Bytes that only wait in our own buffers do not count: of one second's worth at most the
        # relay's and the sockets' own have arrived.
        assert measured(run, slow, "--direction", "to-client")["latency"]["min_ms"] >= 20


def test_the_text_has_a_line_an_interval(run: Run, server: Server) -> None:
    _, port = server()
    ended = run("net-test", f"127.0.0.1:{port}", *SHORT, "--length", "100")
    assert ended.returncode == 0
    assert (
        len(re.findall(r"^\(\d\d:\d\d:\d\d\) +[\d.,]+ MiB/s +[\d.]+ ms$", ended.stdout, re.M)) == 2
    )
    assert re.search(r"^Latency +mean [\d.]+ p50 ", ended.stdout, re.M)


def test_once_ends_after_the_last_stream(run: Run, server: Server) -> None:
    process, port = server("--once")
    measured(run, port, "--streams", "3", "--length", "100")
    assert process.wait(PATIENCE_S) == 0


def test_a_killed_server_ends_the_test_early(server: Server, start: Start) -> None:
    process, port = server()
    client = start("net-test", f"127.0.0.1:{port}", "-d", "60s", "--interval", "100ms")
    assert client.stdout is not None
    lines = client.stdout
    until(lambda: re.search(r"MiB/s +[\d.]+ ms", lines.readline()), "a figure")
    process.kill()
    out, errors = client.communicate(timeout=PATIENCE_S)
    assert (client.returncode, errors) == (1, "")
    assert "THE OTHER END CLOSED THE CONNECTION" in out


def test_no_listener_and_another_listener_are_errors(run: Run) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        silent = run("net-test", f"127.0.0.1:{port}", "--timeout", "200ms")
        assert silent.returncode == 4
        assert "does not answer as 'polltrace net-test --listen'" in silent.stderr
    ended = run("net-test", f"127.0.0.1:{port}")
    assert ended.returncode == 4
    assert "no connection to" in ended.stderr
    assert len(ended.stderr.splitlines()) == 1


STRANGERS = (
    b"GET / HTTP/1.1\r\n",
    b"[]\n",
    b"x" * 5000,
    b'{"polltrace-net-test": 2, "length": 1e9}\n',
    b'{"polltrace-net-test": 2, "length": true}\n',
    b'{"polltrace-net-test": 2, "mode": "x"}\n',
    b'{"polltrace-net-test": 2, "seconds": NaN}\n',
    b'{"polltrace-net-test": 0}\n',
    b'{"polltrace-net-test": 2, "rm": "-rf"}\n',
    b"[" * 500 + b"\n",
)


def test_an_unknown_client_is_refused_and_the_next_is_served(run: Run, server: Server) -> None:
    _, port = server()
    for line in STRANGERS:
        with socket.create_connection(("127.0.0.1", port), PATIENCE_S) as stranger:
            stranger.sendall(line)
            with contextlib.suppress(ConnectionResetError):
                assert stranger.recv(100) == b"", line
    assert measured(run, port, "--length", "10")["latency"]["samples"] > 0


@pytest.mark.parametrize("mode", ["sync", "async"])
def test_a_client_that_leaves_bytes_unread_is_no_failure(server: Server, mode: str) -> None:
    process, port = server("--once")
    with socket.create_connection(("127.0.0.1", port), PATIENCE_S) as client:
        client.sendall(NetTestPlan(mode).line())
        assert client.recv(len(READY), socket.MSG_WAITALL) == READY
        # Closed by a reset, as with bytes that were not read.
        client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    lines, errors = process.communicate(timeout=PATIENCE_S)
    assert (process.returncode, errors) == (0, "")
    assert lines == f"127.0.0.1: {mode}, 8,192 bytes to-server, 10 s\n"


def test_a_plan_is_received_as_it_was_sent() -> None:
    plan = NetTestPlan("async", "both", 17, 2.5, 0.0, 1 << 20)
    assert plan_of(plan.line()) == plan


@pytest.mark.parametrize(
    "words", [[], ["127.0.0.1:1", "--listen", "0"], ["127.0.0.1:1", "--length", "0"]]
)
def test_wrong_usage_is_refused(run: Run, words: list[str]) -> None:
    assert run("net-test", *words).returncode == 2
