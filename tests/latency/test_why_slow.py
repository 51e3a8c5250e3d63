# SPDX-License-Identifier: GPL-2.0-or-later
"""`polltrace why --slow`: sessions whose time is known to go to one of the three."""

from __future__ import annotations

import collections
import contextlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from polltrace.latency.round_trip_budget import SessionObservation, session_time
from polltrace.latency.round_trip_report import advice
from polltrace.latency.tcp_info import TcpInfo
from polltrace.latency.time_budget import ClientDescriptors, ServerUse
from polltrace.latency.wait_sampler import Waits
from polltrace.scenarios.plan.network_path import NetworkPath
from polltrace.scenarios.run.client import DriverClient
from polltrace.scenarios.run.network.namespaces import SERVER, server_namespace
from polltrace.scenarios.run.network.tun import clients_behind_tun, tun_refused
from polltrace.scenarios.run.servers.lab_server import LabServer
from polltrace.scenarios.run.servers.oralab import Oralab
from polltrace.scenarios.run.servers.session_views import OracleViews
from tests.busy import begin_lotslios
from tests.conftest import Run, Start
from tests.waiting import PATIENCE_S, until

# A session that executes a short statement, then waits; prints its server's PID first.
PACED = """
import oracledb, sys, time
user, password, dsn, wait_s = sys.argv[1:]
cursor = oracledb.connect(user=user, password=password, dsn=dsn).cursor()
cursor.execute("select p.spid from v$process p, v$session s where p.addr = s.paddr"
               " and s.sid = sys_context('userenv', 'sid')")
print(cursor.fetchone()[0], flush=True)
while True:
    cursor.execute("select 1 from dual").fetchone()
    time.sleep(float(wait_s))
"""
INFO = TcpInfo(0.004, 0.001, 0.002, 0, 0, 10, 20, 100, 200, 1460)


@contextlib.contextmanager
def paced(lab: Oralab, wait_s: float, start: tuple[str, ...] = ()) -> Iterator[str]:
    words = [*start, sys.executable, "-c", PACED, lab.user, lab.password, lab.dsn, str(wait_s)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
        process.kill()


def why(run: Run, pid: str, *options: str) -> dict[str, Any]:
    ended = run("why", "--slow", "-p", pid, "--json", "-d", "700ms", *options)
    assert (ended.returncode, ended.stderr) == (0, "")
    data: dict[str, Any] = json.loads(ended.stdout)
    assert sum(each["share"] for each in data["parts"]) == pytest.approx(1, abs=0.01)
    return data


def share(data: dict[str, Any], name: str) -> float:
    return next(float(each["share"]) for each in data["parts"] if each["name"] == name)


@pytest.mark.usefixtures("lab")
def test_a_client_that_waits(run: Run) -> None:
    with LabServer() as server, paced(server.oralab, 0.2) as pid:
        found = why(run, pid)
        assert share(found, "client") > 0.5
        assert 1 <= found["round_trips"] <= found["seconds"] / 0.2 + 1
        text = run("why", "--slow", "-p", pid, "-d", "300ms").stdout
    assert "advice: the client takes its time" in text


@pytest.mark.usefixtures("lab")
def test_a_server_that_executes(run: Run) -> None:
    with LabServer() as server, DriverClient() as client:
        server.connect(client, break_poll_skip=3, disable_oob=True)
        pid = begin_lotslios(client)
        until(lambda: share(why(run, str(pid)), "server") > 0.9, "a busy server")
        found = why(run, str(pid))
    assert (found["round_trips"], found["ms_per_trip"]) == (0, None)
    assert share(found, "client") < 0.1


@pytest.mark.usefixtures("lab")
def test_a_path_that_delays(run: Run) -> None:
    if refused := tun_refused():
        pytest.skip(refused)
    with (
        server_namespace(),
        LabServer(address=SERVER) as server,
        clients_behind_tun(0, NetworkPath(0.15)) as start,
        paced(server.oralab, 0.0, start) as pid,
    ):
        found = why(run, pid)
    assert found["network_ms_at_most"] >= 150
    assert share(found, "network") > 0.5


@pytest.mark.usefixtures("lab")
def test_a_local_session_has_no_network(run: Run) -> None:
    with LabServer() as server, DriverClient() as client:
        lab = server.oralab
        client.connect(lab.local_dsn, lab.user, lab.password, disable_oob=False)
        ended = run("why", "--slow", "-p", str(OracleViews().spid(client)))
    assert ended.returncode == 5
    assert "a local session has no network" in ended.stderr


@pytest.mark.usefixtures("lab")
def test_a_session_that_ends_meanwhile(start: Start) -> None:
    with LabServer() as server, paced(server.oralab, 0.01) as pid:
        process = start("why", "--slow", "-p", pid, "-d", "60s")
        until(lambda: reads_state_of(process.pid, pid), "the first sample")
        os.kill(int(pid), signal.SIGKILL)
        _, errors = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 5
    assert f"process {pid} ended while it was observed" in errors


def reads_state_of(reader: int, pid: str) -> bool:
    with contextlib.suppress(OSError):
        return any(
            str(each.readlink()) == f"/proc/{pid}/syscall"
            for each in Path(f"/proc/{reader}/fd").iterdir()
        )
    return False


def window(waits: Waits, cpu_s: float = 0.5, queued_s: float = 0.5) -> SessionObservation:
    """Ten seconds with 100 round trips."""
    after = replace(INFO, segments_in=110, segments_out=150, retransmits=3)
    return SessionObservation(
        10.0, ClientDescriptors(frozenset({7})), INFO, after, ServerUse(cpu_s, queued_s), waits
    )


def sampled(**calls: int) -> Waits:
    waits = Waits()
    texts = {"idle": "45 0x7 0", "disk": "17 0x9 0", "send": "44 0x7 0", "on": "running"}
    for name, count in calls.items():
        for _ in range(count):
            waits.add(texts[name])
    return waits


def test_the_arithmetic() -> None:
    found = session_time(window(sampled(idle=600, disk=300, send=100, on=17)))
    assert found.trips == 100
    assert found.trip_s == pytest.approx(0.1)
    assert (found.cpu, found.queued) == (0.05, 0.05)
    # Of the nine seconds that the kernel does not count, by the samples.
    assert found.idle.value == pytest.approx(0.54)
    assert found.blocked[0][0] == "pread64"
    assert found.blocked[0][1].value == pytest.approx(0.27)
    # 100 round trips of at most 2 ms, and what the server waited to send.
    assert found.network.value == pytest.approx(0.02 + 0.09)
    assert found.client.value == pytest.approx(0.54 - 0.02)
    assert found.server.value == pytest.approx(0.05 + 0.05 + 0.27)
    assert found.network.value + found.client.value + found.server.value == pytest.approx(1)
    assert found.retransmits == 3


@pytest.mark.parametrize(
    ("cpu_s", "queued_s", "words"),
    [
        (0.5, 0.5, "the client takes its time"),
        (6.0, 0.5, "'polltrace stacks' shows"),
        (1.0, 8.0, "the server waits for a processor"),
        (3.0, 1.0, ""),
    ],
)
def test_the_advice_is_for_the_largest_part(cpu_s: float, queued_s: float, words: str) -> None:
    waits = sampled(idle=900, disk=100) if cpu_s != 3.0 else sampled(idle=500, send=500)
    text = "\n".join(advice(session_time(window(waits, cpu_s, queued_s)), "V$SESSION_EVENT"))
    assert words in text
    assert bool(words) == bool(text)


def test_the_network_is_no_longer_than_the_wait_for_the_client() -> None:
    found = session_time(window(sampled(idle=1, disk=999)))
    assert found.network.value <= found.idle.value
    assert found.client.value == 0


def test_a_wait_outside_system_calls_is_the_servers() -> None:
    waits = Waits()
    for text in ("-1 0x7ffe 0x7f", "45 0x8 0", "999 0x7 0"):
        waits.add(text)
    found = session_time(window(waits))
    assert found.idle.value == 0
    assert {name for name, _ in found.blocked} == {"no system call", "recvfrom", "syscall 999"}
    assert waits.calls == collections.Counter(
        {("no system call", -1): 1, ("recvfrom", 8): 1, ("syscall 999", 7): 1}
    )
