# SPDX-License-Identifier: GPL-2.0-or-later
"""Programs of no engine, busy with connected sockets, show no check: all that they ask is other
polls. What is not installed is skipped; `make test-programs` installs the servers."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from polltrace.backends.ebpf import EbpfProbe
from polltrace.containers import hidden_processes
from polltrace.profiles.frames import ProbeFrame, ProcessTotals
from polltrace.servers.servers import servers
from tests.conftest import POLLTRACE, missing
from tests.probes.conftest import why_no_bpf
from tests.probes.probe_process import read_line
from tests.waiting import until

SOURCES = Path(__file__).parent / "programs"
# Debian's administrators' folder is not in every user's path.
PATH = f"{os.environ['PATH']}:/usr/sbin"
REQUESTS = 500


def program(name: str) -> str:
    found = shutil.which(name, path=PATH)
    if found is None:
        pytest.skip(f"{name} is not installed here")
    return found


@pytest.fixture(autouse=True)
def _probe() -> None:
    if why := why_no_bpf():
        missing(why)


def connected(path: Path) -> socket.socket:
    """By a unix socket: no other program can take its name, as it can a free port's."""
    client = socket.socket(socket.AF_UNIX)
    try:
        client.connect(str(path))
    except OSError:
        client.close()
        raise
    return client


def answers(path: Path) -> bool:
    with contextlib.suppress(OSError), connected(path):
        return True
    return False


@contextlib.contextmanager
def started(*command: str, log: Path) -> Iterator[subprocess.Popen[bytes]]:
    with (
        log.open("wb") as output,
        subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=output, stderr=output
        ) as process,
    ):
        try:
            yield process
        finally:
            process.kill()


def assert_no_engine(pid: int) -> None:
    # In a PID namespace of its own, `ps` cannot tell that the host has no server at all.
    listed = subprocess.run([POLLTRACE, "ps", "--json"], capture_output=True, check=False)
    if listed.returncode == 4 and hidden_processes():
        assert servers([pid]) == []
        return
    assert listed.returncode == 0, listed.stderr
    assert pid not in [each["pid"] for each in json.loads(listed.stdout)["sessions"]]


def java(folder: Path) -> list[str]:
    subprocess.run([program("javac"), "-d", str(folder), str(SOURCES / "Poller.java")], check=True)
    return [program("java"), "-cp", str(folder), "Poller"]


def go(folder: Path) -> list[str]:
    built = folder / "poller"
    environment = {**os.environ, "GOFLAGS": "-mod=mod"}
    command = [program("go"), "build", "-o", str(built), str(SOURCES / "poller.go")]
    subprocess.run(command, env=environment, check=True)
    return [str(built)]


LANGUAGES: dict[str, Callable[[Path], list[str]]] = {
    "python": lambda _: [sys.executable, str(SOURCES / "poller.py")],
    "node": lambda _: [program("node"), str(SOURCES / "poller.js")],
    "java": java,
    "go": go,
}


@pytest.mark.parametrize("language", list(LANGUAGES))
def test_a_program_that_polls_shows_no_check(language: str, tmp_path: Path) -> None:
    """Event loops that wait for nothing on sets that hold connected sockets, without an end."""
    command = LANGUAGES[language](tmp_path)
    with subprocess.Popen(command, stdout=subprocess.PIPE, bufsize=0) as running:
        try:
            assert "go" in read_line(running.stdout)
            with EbpfProbe([running.pid]) as probe:
                for record in probe.records():
                    if not isinstance(record, ProbeFrame):
                        continue
                    if record.processes and record.processes[0].other_polls > 100:
                        break
                totals = probe.stop().only()
            assert_no_engine(running.pid)
        finally:
            running.kill()
    assert totals.break_polls == 0
    assert totals.other_polls > 100


def redis(folder: Path, at: Path) -> list[str]:
    """Debian's tools have the server, under the name of a tool; it goes by its first argument."""
    name = folder / "redis-server"
    name.symlink_to(program("redis-check-rdb"))
    where = ["--port", "0", "--unixsocket", str(at), "--dir", str(folder)]
    return [str(name), *where, "--save", ""]


def nginx(folder: Path, at: Path) -> list[str]:
    settings = folder / "nginx.conf"
    settings.write_text(
        f"daemon off; master_process off; pid {folder}/pid; error_log {folder}/error;\n"
        "events {}\n"
        "http { access_log off; keepalive_requests 100000;\n"
        f"  server {{ listen unix:{at}; location / {{ return 200 ok; }} }} }}\n"
    )
    return [program("nginx"), "-c", str(settings), "-p", str(folder)]


def haproxy(folder: Path, at: Path) -> list[str]:
    settings = folder / "haproxy.cfg"
    settings.write_text(
        "defaults\n mode http\n timeout client 1h\n timeout connect 1h\n timeout server 1h\n"
        f"frontend here\n bind unix@{at}\n"
        " http-request return status 200 content-type text/plain string ok\n"
    )
    return [program("haproxy"), "-db", "-f", str(settings)]


def ask_redis(at: Path) -> None:
    with connected(at) as client, client.makefile("rb") as answer:
        for _ in range(REQUESTS):
            client.sendall(b"PING\r\n")
            assert answer.readline() == b"+PONG\r\n"


def ask_web(at: Path) -> None:
    with connected(at) as client, client.makefile("rb") as answer:
        for _ in range(REQUESTS):
            client.sendall(b"GET / HTTP/1.1\r\nHost: here\r\n\r\n")
            length = 0
            assert b" 200 " in answer.readline()
            while line := answer.readline().strip().lower():
                if line.startswith(b"content-length:"):
                    length = int(line.split(b":")[1])
            assert answer.read(length) == b"ok"


# One wait may find two things ready: the end of one request and the beginning of the next.
LEAST = REQUESTS // 2
# How each is started and asked, and what it polls at least.
SERVERS: dict[str, tuple[Callable[[Path, Path], list[str]], Callable[[Path], None], int]] = {
    "redis": (redis, ask_redis, LEAST),
    "nginx": (nginx, ask_web, LEAST),
    "haproxy": (haproxy, ask_web, LEAST),
}


def counted(pid: int, ask: Callable[[Path], None], at: Path) -> ProcessTotals:
    with EbpfProbe([pid]) as probe:
        ask(at)
        return probe.stop().only()


@pytest.mark.parametrize("name", list(SERVERS))
def test_a_server_that_waits_for_its_clients_shows_no_check(name: str, tmp_path: Path) -> None:
    command, ask, least = SERVERS[name]
    at = tmp_path / "socket"
    with started(*command(tmp_path, at), log=tmp_path / "log") as process:
        until(lambda: answers(at) or process.poll() is not None, f"{name} to listen")
        assert process.poll() is None, (tmp_path / "log").read_text(errors="replace")
        totals = counted(process.pid, ask, at)
        assert_no_engine(process.pid)
    assert totals.break_polls == 0
    assert totals.other_polls >= least
