# SPDX-License-Identifier: GPL-2.0-or-later
"""`polltrace top` without a terminal, on the lab."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Callable, Iterator

import pytest

from scenarios.client import DriverClient
from scenarios.demo import LOTSLIOS
from scenarios.lab_server import LabServer

Run = Callable[..., subprocess.CompletedProcess[str]]
Start = Callable[..., subprocess.Popen[str]]

pytestmark = pytest.mark.usefixtures("lab")


@pytest.fixture(scope="module")
def busy_server() -> Iterator[int]:
    """The PID of a dedicated server that executes lotslios, in-band, until the end."""
    with LabServer() as lab, DriverClient() as client:
        lab.connect(client, break_poll_skip=3, disable_oob=True)
        spid = client.query("select spid from v$process where rownum <= 1")[1][0][0]
        client.begin(LOTSLIOS, {"n": 10**9})
        yield int(spid)


def test_json_has_the_server_with_its_loss(run: Run, busy_server: int) -> None:
    ended = run("top", "--json", "-n", "3", "--filter", str(busy_server))
    assert ended.returncode == 0, ended.stderr
    objects = [json.loads(line) for line in ended.stdout.splitlines()]
    assert len(objects) == 3
    (server,) = objects[-1]["servers"]
    assert (server["pid"], server["break_mode"]) == (busy_server, "in-band")
    assert server["break_polls_per_s"] > 1000
    assert server["lost_cores"] == pytest.approx(
        1e-9 * server["break_polls_per_s"] * server["price_ns"]
    )
    assert server["lost_pct"] == pytest.approx(1e4 * server["lost_cores"] / server["cpu_pct"])
    assert 0 < server["lost_pct"] < 50
    assert objects[-1]["sessions"]["in-band"] >= 1
    assert objects[-1]["own_cost"]["probe_pct"] < 50


def test_batch_prints_a_table_an_iteration(run: Run, busy_server: int) -> None:
    ended = run("top", "-b", "-n", "2", "--filter", str(busy_server))
    assert ended.returncode == 0, ended.stderr
    tables = ended.stdout.split("\n\n")
    assert len(tables) == 2
    for table in tables:
        lines = table.splitlines()
        assert lines[0].startswith("polltrace top")
        assert lines[4].split()[:2] == ["PID", "INSTANCE"]
        assert lines[5].split()[0] == str(busy_server)
    assert "\x1b" not in ended.stdout


def test_no_terminal_means_batch_and_an_interrupt_is_its_usual_end(
    start: Start, busy_server: int
) -> None:
    top = start("top", "-d", "0.5")
    assert top.stdout is not None
    assert top.stdout.readline().startswith("polltrace top")
    top.send_signal(signal.SIGINT)
    _, errors = top.communicate(timeout=30)
    assert (top.returncode, errors) == (0, "")


def test_a_reader_that_has_enough_ends_it_in_silence(start: Start, busy_server: int) -> None:
    top = start("top", "-b", "-d", "0.5")
    assert top.stdout is not None
    top.stdout.readline()
    top.stdout.close()
    assert top.stderr is not None
    assert top.stderr.read() == ""
    assert top.wait(30) == 141  # 128 + SIGPIPE, as of any program in a pipe


def test_a_probe_that_is_killed_is_an_error_in_one_line(start: Start, busy_server: int) -> None:
    top = start("top", "-b", "-d", "0.5", "--no-gaps")  # which are timed by a probe of their own
    assert top.stdout is not None
    top.stdout.readline()
    with open(f"/proc/{top.pid}/task/{top.pid}/children") as file:
        children = [int(pid) for pid in file.read().split()]
    (probe,) = [pid for pid in children if _command(pid) == "polltrace-probe"]
    os.kill(probe, signal.SIGKILL)
    _, errors = top.communicate(timeout=30)
    assert top.returncode == 4
    assert errors == "polltrace: polltrace-probe was killed by signal 9; its counts are lost\n"


@pytest.mark.parametrize("wrong", [["-d", "0"], ["-n", "0"], ["--sort", "colour"]])
def test_wrong_usage(run: Run, wrong: list[str]) -> None:
    assert run("top", *wrong).returncode == 2


def _command(pid: int) -> str:
    with open(f"/proc/{pid}/comm") as file:
        return file.read().strip()


def test_the_database_says_whom_they_serve(run: Run) -> None:
    with LabServer() as lab, DriverClient() as client:
        lab.connect(client, break_poll_skip=3, disable_oob=True)
        spid = int(client.query("select spid from v$process where rownum <= 1")[1][0][0])
        password = {"POLLTRACE_PASSWORD": lab.oralab.password}
        connect = ("--connect", f"{lab.oralab.user}@{lab.oralab.dsn}")
        ended = run("top", "-b", "--json", "-n", "1", *connect, prefix=environment(password))
        assert ended.returncode == 0, ended.stderr
        (server,) = [s for s in json.loads(ended.stdout)["servers"] if s["pid"] == spid]
        assert server["sid"] is not None
        assert server["user"].upper() == lab.oralab.user.upper()
        refused = run("top", "-b", *connect, prefix=environment({"POLLTRACE_PASSWORD": "wrong"}))
        assert refused.returncode == 7
        assert refused.stderr.count("\n") == 1


def environment(variables: dict[str, str]) -> tuple[str, ...]:
    return ("env", *(f"{name}={value}" for name, value in variables.items()))
