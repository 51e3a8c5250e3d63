# SPDX-License-Identifier: GPL-2.0-or-later
"""Servers of ClickHouse and MariaDB: one process, a thread for each session; each test starts its
own on loopback."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import signal
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import POLLTRACE, missing
from tests.probes.conftest import why_no_bpf
from tests.probes.probe_process import read_line
from tests.waiting import until

# Debian's administrators' folder is not in every user's path.
PATH = f"{os.environ['PATH']}:/usr/sbin"
# Without an end that a test would see.
ENDLESS = "select count() from system.numbers_mt where not ignore(cityHash64(number))"
CONFIG = """<yandex>
<logger><level>error</level><log>{0}/log</log><errorlog>{0}/errors</errorlog></logger>
<tcp_port>{1}</tcp_port><listen_host>127.0.0.1</listen_host>
<path>{0}/data/</path><tmp_path>{0}/tmp/</tmp_path><users_config>users.xml</users_config>
<default_profile>default</default_profile><default_database>default</default_database>
<mark_cache_size>5368709</mark_cache_size>
</yandex>"""
USERS = """<yandex><profiles><default><max_threads>2</max_threads></default></profiles>
<users><default><password></password><networks><ip>127.0.0.1</ip></networks>
<profile>default</profile><quota>default</quota></default></users>
<quotas><default></default></quotas></yandex>"""


def program(name: str) -> str:
    path = shutil.which(name, path=PATH)
    if path is None:
        missing(f"{name} is not installed ('make setup' installs it on Debian)")
    return path


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
    return port


def accepts(port: int) -> bool:
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
        return True
    return False


@contextlib.contextmanager
def serving(command: list[str], port: int, folder: Path) -> Iterator[int]:
    """The PID of the server, once it accepts connections."""
    if why := why_no_bpf():
        missing(why)
    with (
        (folder / "output").open("wb") as output,
        subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=output) as server,
    ):
        try:
            until(lambda: accepts(port) or server.poll() is not None, "the server to listen")
            assert server.poll() is None, (folder / "output").read_text(errors="replace")
            yield server.pid
        finally:
            server.kill()


@pytest.fixture(scope="module")
def clickhouse(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[int, list[str]]]:
    """The server's PID, and the command of a client."""
    folder, port = tmp_path_factory.mktemp("clickhouse"), free_port()
    (folder / "config.xml").write_text(CONFIG.format(folder, port))
    (folder / "users.xml").write_text(USERS)
    client = [program("clickhouse-client"), "--host", "127.0.0.1", "--port", str(port)]
    command = [program("clickhouse-server"), f"--config-file={folder}/config.xml"]
    with serving(command, port, folder) as pid:
        yield pid, client


@pytest.fixture(scope="module")
def mariadb(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[int, list[str]]]:
    """The server's PID, and the command of a client."""
    folder, port = tmp_path_factory.mktemp("mariadb"), free_port()
    (folder / "data").mkdir()
    client = [program("mariadb"), "--no-defaults", "-h127.0.0.1", f"-P{port}", "-Nse"]
    command = [
        *(program("mariadbd"), "--no-defaults", "--skip-grant-tables", "--user=root"),
        *(f"--datadir={folder}/data", "--bind-address=127.0.0.1", f"--port={port}"),
        *(f"--socket={folder}/socket", f"--pid-file={folder}/pid"),
    ]
    with serving(command, port, folder) as pid:
        yield pid, client


@contextlib.contextmanager
def client_of(command: list[str]) -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, text=True
    ) as client:
        try:
            yield client
        finally:
            client.kill()


def polltrace(*words: str) -> str:
    ended = subprocess.run([POLLTRACE, *words], capture_output=True, text=True, check=True)
    shown: str = ended.stdout
    return shown


def listed_in(data: dict[str, Any], pid: int) -> dict[str, Any]:
    (session,) = [session for session in data["sessions"] if session["pid"] == pid]
    found: dict[str, Any] = session
    return found


@contextlib.contextmanager
def strace(pid: int, calls: str, path: Path) -> Iterator[subprocess.Popen[bytes]]:
    command = ["strace", "-f", "-p", str(pid), "-e", f"trace={calls}", "-o", str(path)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, bufsize=0) as tracer:
        assert "attached" in read_line(tracer.stderr)
        yield tracer
        tracer.terminate()


def test_clickhouse_looks_by_time_as_often_as_strace_sees(
    clickhouse: tuple[int, list[str]], tmp_path: Path
) -> None:
    """Both are attached before the statement begins, and until it has ended."""
    pid, client = clickhouse
    stat = [POLLTRACE, "stat", "-p", str(pid), "--json"]
    with subprocess.Popen(
        stat, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0
    ) as counting:
        assert "attached" in read_line(counting.stderr)
        with strace(pid, "epoll_wait", tmp_path / "trace"):
            limits = ["--max_execution_time", "2", "--interactive_delay", "50000"]
            subprocess.run([*client, *limits, "-q", ENDLESS], capture_output=True, check=False)
        counting.terminate()
        out, _ = counting.communicate()
    (process,) = json.loads(out)["processes"]
    seen = re.findall(r", \d+, 0\)? += |, 0 <unfinished", (tmp_path / "trace").read_text())
    assert process["break_polls"] == len(seen) > 5
    (session,) = [each for each in process["sockets"] if each["polls"]]
    assert session["polls"] == process["break_polls"]


@pytest.mark.usefixtures("quick_calibration")
def test_clickhouse_has_a_row_for_each_connection(clickhouse: tuple[int, list[str]]) -> None:
    pid, client = clickhouse
    with client_of([*client, "-q", ENDLESS]):
        running = [*client, "-q", "select count() from system.processes"]
        until(
            lambda: subprocess.run(running, capture_output=True, check=True).stdout != b"1\n",
            "the statement to run",
        )
        listed = listed_in(json.loads(polltrace("ps", "-d", "1s", "--json")), pid)
        table = polltrace("ps", "-d", "1s")
        why = " ".join(polltrace("why", "-p", str(pid)).split())
        advice = " ".join(polltrace("advise", "-p", str(pid), "-d", "1s").split())
        stacks = " ".join(polltrace("stacks", "-p", str(pid), "-d", "2s").split())
    busy = [each for each in listed["connections"] if each["break_polls_per_s"]]
    assert (listed["engine"], listed["break_mode"], len(busy)) == ("ClickHouse", "checking", 1)
    assert busy[0]["client"].startswith("127.0.0.1:")
    assert re.search(rf"^ *{pid} clickh +{busy[0]['client']} ", table, re.MULTILINE)
    assert "notice within that time that its client cancels or is gone" in why
    assert "every 100 ms (interactive_delay)" in advice
    assert "SET interactive_delay = " in advice
    assert "(epoll_create1, epoll_ctl, epoll_wait, close)" in advice
    assert re.search(r"(\d+) of \1 stacks at a break poll are the break check", stacks)


def test_clickhouse_notices_a_cancel(clickhouse: tuple[int, list[str]]) -> None:
    """A signal makes the client send a packet of type Cancel."""
    _, client = clickhouse
    words = "select count() from system.processes where query like '%cityHash%'"
    counting = [*client, "-q", f"{words} and query not like '%processes%'"]

    def statements() -> int:
        return int(subprocess.run(counting, capture_output=True, check=True).stdout)

    before = statements()
    with client_of([*client, "-q", ENDLESS]) as session:
        until(lambda: statements() == before + 1, "the statement to run")
        session.send_signal(signal.SIGINT)
        until(lambda: statements() == before, "the server to notice it")


def test_mariadb_makes_no_check_while_it_computes(
    mariadb: tuple[int, list[str]], tmp_path: Path
) -> None:
    pid, client = mariadb
    busy = "select benchmark(2000000000, md5('a'))"
    with client_of([*client, busy]) as session:
        listing = [*client, "select count(*) from information_schema.processlist where info like"]
        listing[-1] += " 'select bench%'"
        until(
            lambda: subprocess.run(listing, capture_output=True, check=True).stdout == b"1\n",
            "the statement to run",
        )
        with strace(pid, "poll,ppoll,select,recvfrom,epoll_wait", tmp_path / "trace"):
            counted = json.loads(polltrace("stat", "-p", str(pid), "-d", "1s", "--json"))
        listed = listed_in(json.loads(polltrace("ps", "--json")), pid)
        why = " ".join(polltrace("why", "-p", str(pid)).split())
        advice = " ".join(polltrace("advise", "-p", str(pid), "-d", "500ms").split())
        session.kill()
        # Nobody waits for the answer, and the server works on.
        before_s = _cpu_s(pid)
        until(lambda: _cpu_s(pid) > before_s + 0.2, "the server to work for nobody")
        kill = "select concat('kill query ', id, ';') from information_schema.processlist where"
        words = [*client, f"{kill} info like 'select bench%'"]
        statement = subprocess.run(words, capture_output=True, check=True, text=True).stdout
        subprocess.run([*client, statement], check=True)
    assert counted["processes"][0]["break_polls"] == 0
    assert re.findall(r"(?:poll|recvfrom)\(", (tmp_path / "trace").read_text()) == []
    assert (listed["engine"], listed["break_mode"]) == ("MariaDB", "no check")
    assert listed["cause"] == "engine-never-checks"
    assert len(listed["connections"]) == 1
    assert "makes no checks" in why
    assert "it cannot see a lost client until it next writes or reads" in why
    assert "makes no checks, and there is nothing to set" in advice


def _cpu_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
