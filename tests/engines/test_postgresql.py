# SPDX-License-Identifier: GPL-2.0-or-later
"""Debian's PostgreSQL: every check is counted, and every report says what it means."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from polltrace.backends.ebpf import EbpfProbe, ProbeOptions
from polltrace.engines import check_options
from polltrace.profiles.sampled import AT_POLL, introduced, named_stacks
from polltrace.scenarios.run.servers.postgresql_cluster import PostgresqlCluster
from polltrace.stacks import Symbolizer
from tests.conftest import POLLTRACE, missing
from tests.engines.conftest import StartSession, executing
from tests.probes.probe_process import Probe, read_line, total
from tests.waiting import PATIENCE_S, is_asleep, until

LABELS = 'break_mode="checking",engine="PostgreSQL",sid="postgres"'
# A check in strace's words: any wait for nothing at all; PostgreSQL 14 polls.
NOW = re.compile(r"^(epoll_wait|poll)\(.*, 0\) +=", re.MULTILINE)

pytestmark = pytest.mark.usefixtures("quick_calibration")


class Strace:
    """A process's waits by another observer, with a file for each process (-ff): in one file calls
    of several would interrupt each other's lines."""

    def __init__(self, pid: int, output: Path) -> None:
        self._output = output
        self._process = subprocess.Popen(
            ["strace", "-ff", "-e", "trace=epoll_wait,poll", "-o", str(output), "-p", str(pid)],
            stderr=subprocess.PIPE,
            bufsize=0,
        )
        assert "attached" in read_line(self._process.stderr)

    def checks(self) -> int:
        self._process.terminate()
        self._process.communicate()
        files = self._output.parent.glob(f"{self._output.name}.*")
        return sum(len(NOW.findall(file.read_text())) for file in files)


class PerfStatRun:
    """The same waits of a process and its children to come, counted by the kernel for perf."""

    def __init__(self, pid: int, output: Path) -> None:
        if shutil.which("perf") is None:
            missing("perf is not installed")
        self._output = output
        commands, self._commands = os.pipe()
        self._answers, answers = os.pipe()
        self._process = subprocess.Popen(
            [
                *("perf", "stat", "-x", ";", "-o", str(output), "-p", str(pid)),
                *("-e", "syscalls:sys_enter_epoll_wait", "--filter", "timeout == 0"),
                *("-e", "syscalls:sys_enter_poll", "--filter", "timeout_msecs == 0"),
                *("--delay", "-1", "--control", f"fd:{commands},{answers}"),
            ],
            pass_fds=(commands, answers),
        )
        os.close(commands)
        os.close(answers)
        os.write(self._commands, b"enable\n")
        assert os.read(self._answers, 8).startswith(b"ack\n")

    def checks(self) -> int:
        self._process.send_signal(signal.SIGINT)
        self._process.wait()
        os.close(self._commands)
        os.close(self._answers)
        lines = [line.split(";") for line in self._output.read_text().splitlines()]
        counts = [int(line[0]) for line in lines if len(line) > 2]
        assert len(counts) == 2
        return sum(counts)


@pytest.mark.parametrize(
    ("interval_ms", "rows"), [(1, 1_000_000), (10, 4_000_000), (100, 9_000_000)]
)
def test_counts_equal_those_of_strace(
    interval_ms: int, rows: int, start_session: StartSession, tmp_path: Path
) -> None:
    client, pid = start_session(interval_ms)
    strace = Strace(pid, tmp_path / "trace")
    with EbpfProbe([pid]) as probe:
        client.execute(f"select count(*) from generate_series(1, {rows})")
        totals = probe.stop().only()
    checks = strace.checks()
    assert totals.break_polls == checks > 0
    (socket,) = totals.sockets
    assert (socket.kind, socket.polls) == ("tcp", checks)


def test_a_session_without_an_interval_makes_no_checks(start_session: StartSession) -> None:
    client, pid = start_session(0)
    with EbpfProbe([pid]) as probe:
        client.execute("select count(*) from generate_series(1, 1000000)")
        # A statement that is there already is read without a wait.
        until(lambda: is_asleep(pid), "a server that waits for its client")
        client.execute("select 1")
        totals = probe.stop().only()
    assert totals.break_polls == 0
    assert totals.other_polls >= 1  # it waited for its client


@pytest.mark.parametrize(("interval_ms", "rows"), [(1, 100_000), (10, 200_000), (100, 500_000)])
def test_fifty_sessions_that_come_and_go(
    interval_ms: int, rows: int, cluster: PostgresqlCluster, tmp_path: Path
) -> None:
    import psycopg  # noqa: PLC0415 - only where there is a cluster

    at = cluster.address

    def session(_number: int) -> None:
        with psycopg.connect(
            host=at.host,
            port=at.port,
            user=at.user,
            password=at.password,
            dbname=at.database,
            options=f"-c client_connection_check_interval={interval_ms}",
        ) as connection:
            connection.execute(f"select count(*) from generate_series(1, {rows})")

    perf = PerfStatRun(cluster.pid, tmp_path / "perf")
    probe = Probe.start("-p", str(cluster.pid), "-f", *check_options())
    with ThreadPoolExecutor(50) as pool:
        list(pool.map(session, range(50)))
    while len(probe.of("exit")) < 50:
        probe.read_until("exit")
    # An exit is told before the kernel adds what perf counted of the process to its parent's count.
    ended = [Path("/proc", str(each["pid"])) for each in probe.of("exit")]
    until(lambda: not any(each.exists() for each in ended), "an end of all sessions")
    probe.stop()
    assert total(probe) == perf.checks() > 50


def test_stacks_are_recognised_as_the_client_check(start_session: StartSession) -> None:
    client, pid = start_session(1)
    names = Symbolizer()
    with EbpfProbe([pid], ProbeOptions(stack_every=1)) as probe:
        client.execute("select count(*) from generate_series(1, 3000000)")
        probe.detach()
        for _ in introduced(probe.records(), names):
            pass
        found = named_stacks(probe.profile(), names, AT_POLL)
    assert found
    assert all(stack.is_break_check for stack in found)
    assert all("pq_check_connection" in [f.name for f in stack.frames] for stack in found)


def polltrace(*words: str) -> str:
    ended = subprocess.run([POLLTRACE, *words], capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def test_dump_knows_which_wait_is_for_the_client(start_session: StartSession) -> None:
    """A backend waits for its client, and for all else, in epoll_wait."""
    client, pid = start_session(10)
    until(lambda: is_asleep(pid), "the end of the query")
    idle = json.loads(polltrace("dump", "-p", str(pid), "--json"))
    assert idle["time"]["waiting_for_client"]["value"] > 0.5
    assert idle["time"]["blocked"] == []
    # WHEN another session's lock keeps its statement waiting
    holder, _ = start_session(0)
    holder.execute("select pg_advisory_lock(4711)")
    client.begin("select pg_advisory_lock(4711)")
    waits = "select count(*) from pg_stat_activity where wait_event_type = 'Lock' and pid = "
    until(lambda: holder.query(f"{waits}{pid}")[1] == [[1]], "the wait for the lock")
    held = json.loads(polltrace("dump", "-p", str(pid), "--json"))
    text = polltrace("dump", "-p", str(pid))
    holder.execute("select pg_advisory_unlock(4711)")
    client.finish()
    assert held["time"]["waiting_for_client"]["value"] == 0
    assert held["time"]["blocked"][0]["in"].startswith("epoll_")
    assert (held["break_mode"], held["parameter"]) == (
        "checking",
        "client_connection_check_interval",
    )
    assert "checks of its client a second" in text


def test_ps_and_why_say_what_it_means(start_session: StartSession) -> None:
    checking, pid = start_session(10)
    other, quiet = start_session(0)
    with executing(checking, other):
        seen = json.loads(polltrace("ps", "-d", "1s", "--json"))
        text = polltrace("why", "-p", str(quiet), "-d", "500ms")
    sessions = {each["pid"]: each for each in seen["sessions"]}
    modes = {p: (sessions[p]["engine"], sessions[p]["break_mode"]) for p in (pid, quiet)}
    assert modes == {pid: ("PostgreSQL", "checking"), quiet: ("PostgreSQL", "not checking")}
    assert 1 <= sessions[pid]["break_polls_per_s"] <= 150  # of 100
    assert sessions[pid]["client"].startswith("127.0.0.1:")
    assert sessions[pid]["configured_skip"] is sessions[pid]["configured_disable_oob"] is None

    assert "SHOW client_connection_check_interval" in text
    for oracle in ("sqlnet", "OOB", "BREAK_POLL_SKIP", "in-band", "SIGURG"):
        assert oracle not in text


def test_backends_that_know_poll_alone_refuse_it(start_session: StartSession) -> None:
    _, pid = start_session(10)
    for backend in ("ptrace", "bcc"):
        ended = subprocess.run(
            [POLLTRACE, "stat", "-p", str(pid), "-d", "1s", "--backend", backend],
            capture_output=True,
            text=True,
            check=False,
        )
        assert (ended.returncode, ended.stdout) == (2, "")
        last = ended.stderr.splitlines()[-1]
        assert f"process {pid} (PostgreSQL) may check by poll or epoll_wait" in last


def test_stop_at_stops_at_the_check(start_session: StartSession) -> None:
    client, pid = start_session(10)
    with executing(client):
        # On a busy host it is stopped for as long as another process has the processor.
        found = json.loads(polltrace("stop-at", "-p", str(pid), "--longest-stop", "10s", "--json"))
    names = [frame["function"] for frame in found["frames"]]
    assert "pq_check_connection" in names
    assert found["socket"]["kind"] == "tcp"


def test_advise_measures_the_interval_in_force(start_session: StartSession) -> None:
    client, pid = start_session(10)
    with executing(client, paced=False):
        advice = json.loads(polltrace("advise", "-p", str(pid), "-d", "1s", "--json"))
    assert advice["break_mode"] == "checking"
    assert advice["interval_s"] == pytest.approx(0.01, rel=0.2)
    by_interval = {each["interval_s"]: each for each in advice["forecast"]}
    assert by_interval[0.001]["cpu_pct"] > by_interval[0.1]["cpu_pct"] > 0
    assert by_interval[1.0]["found_median_s"] == 0.5
    assert advice["recommended_interval_s"] in by_interval


def test_a_recording_has_the_cost_of_whole_checks(
    start_session: StartSession, tmp_path: Path
) -> None:
    client, pid = start_session(1)
    path = str(tmp_path / "pg.polltrace")
    with executing(client):
        # A rate, and with it a cost, is known from the probe's third window on, a second each.
        polltrace("record", "-o", path, "-p", str(pid), "-d", "6s")
    report = json.loads(polltrace("report", path, "--json"))
    (session,) = report["sessions"]
    advice = json.loads(polltrace("advise", path, "-p", str(pid), "--json"))
    assert advice == session["advice"]
    # One cost: of the lost time, the share of CPU, the advice, and what was calibrated.
    cost_us = advice["check_cost_us"]
    assert session["lost_cpu_s"] == pytest.approx(1e-6 * cost_us * session["break_polls"])
    assert session["cpu_pct"] == advice["cpu_pct"]
    assert session["cpu_pct"] == pytest.approx(1e-4 * cost_us * session["polls_per_cpu_s"])
    costs = [each for each in report["poll_costs"] if each["trigger"] == "interval"]
    costs_us = [1e-3 * each["cost_ns"] for each in costs]
    assert min(costs_us) - 1e-9 <= cost_us <= max(costs_us) + 1e-9
    polltrace("report", path, "--html", str(tmp_path / "page.html"))
    page = (tmp_path / "page.html").read_text()
    for text in (page, polltrace("report", path), polltrace("top", path, "-b")):
        assert "checking" in text
        assert "BREAK_POLL_SKIP" not in text
    assert ">client_connection_check_interval</th>" in page


def test_top_costs_a_check_as_a_whole(start_session: StartSession) -> None:
    client, pid = start_session(10)
    command = [POLLTRACE, "top", "-b", "--json", "--no-gaps", "--filter", str(pid)]
    with (
        executing(client),
        subprocess.Popen(command, stdout=subprocess.PIPE, bufsize=0) as top,
    ):
        row: dict[str, Any] = {"cost_ns": None}
        try:
            while row["cost_ns"] is None:
                seen = json.loads(read_line(top.stdout))
                row = next((each for each in seen["servers"] if each["pid"] == pid), row)
        finally:
            top.kill()
    assert row["break_mode"] == "checking"
    costs = {each["interval_us"]: each for each in seen["costs"] if each["trigger"] == "interval"}
    assert row["cost_ns"] == costs[row["interval_us"]]["cost_ns"]
    lost = 1e-7 * row["cost_ns"] * row["break_polls_per_s"] / (row["cpu_pct"] / 100)
    assert row["lost_pct"] == pytest.approx(lost)


def test_the_exporter_names_engine_mode_and_trigger(start_session: StartSession) -> None:
    client, _ = start_session(10)
    command = [POLLTRACE, "export", "prometheus", "--listen", "127.0.0.1:0", "-d", "0.5"]
    names = ("polltrace_break_polls_total", "polltrace_break_poll_cpu_seconds_total")
    with (
        executing(client),
        subprocess.Popen(command, stderr=subprocess.PIPE, bufsize=0) as exporter,
    ):
        try:
            url = read_line(exporter.stderr).split()[-1]

            def metrics() -> dict[str, float] | None:
                with urllib.request.urlopen(url, timeout=PATIENCE_S) as answer:
                    lines = answer.read().decode().splitlines()
                pairs = [line.rpartition(" ") for line in lines if line[0] != "#"]
                found = {name: float(value) for name, _, value in pairs}
                # The cost of a check is measured once it is known how often one comes.
                cost = found.get(f"{names[1]}{{{LABELS}}}")
                return found if cost else None

            found = until(metrics, "the cost of its checks")
        finally:
            exporter.kill()
    polls, cost_s = (found[f"{name}{{{LABELS}}}"] for name in names)
    costs = [
        value
        for name, value in found.items()
        if name.startswith("polltrace_break_poll_cost_seconds") and 'trigger="interval"' in name
    ]
    # Each check that was counted costs as much as one that was calibrated.
    assert 0 < cost_s <= polls * max(costs) * 1.0001
    assert not any('break_mode="in-band"' in name for name in found)


def test_a_cluster_ends_with_its_owner() -> None:
    """Also with kill -9."""
    program = (
        "import time\n"
        "from polltrace.scenarios.run.servers.postgresql_cluster import PostgresqlCluster\n"
        "with PostgresqlCluster() as c:\n"
        "    print(c.pid, c.folder, flush=True)\n"
        "    time.sleep(1000)\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, bufsize=0
    ) as owner:
        pid, folder = read_line(owner.stdout).split()
        assert Path(f"/proc/{pid}").exists()
        owner.send_signal(signal.SIGKILL)
    until(lambda: not Path(f"/proc/{pid}").exists(), "the end of the cluster")
    shutil.rmtree(folder)  # all that is left
