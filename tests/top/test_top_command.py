# SPDX-License-Identifier: GPL-2.0-or-later
"""`polltrace top` without a terminal, on the lab."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Callable

import pytest

from polltrace.scenarios.run.client import DriverClient
from polltrace.scenarios.run.servers.lab_server import LabServer
from tests.waiting import PATIENCE_S, children

Run = Callable[..., subprocess.CompletedProcess[str]]
Start = Callable[..., subprocess.Popen[str]]

pytestmark = pytest.mark.usefixtures("lab", "quick_calibration")


def test_json_has_the_server_with_its_loss(start: Start, busy_server: int) -> None:
    top = start("top", "--json", "--filter", str(busy_server))
    assert top.stdout is not None
    # On a busy host measuring a cost takes longer than the first snapshots are held back for.
    for line in top.stdout:
        seen = json.loads(line)
        (server,) = seen["servers"]
        if server["lost_pct"]:
            break
    assert (server["pid"], server["break_mode"]) == (busy_server, "in-band")
    assert server["break_polls_per_s"] > 0
    # By polls, and a little in checks that do not poll.
    by_polls = 1e-9 * server["break_polls_per_s"] * server["cost_ns"]
    assert by_polls < server["lost_cores"] < 1.1 * by_polls
    low, high = server["break_polls_per_s_ci95"]
    assert low < server["break_polls_per_s"] < high
    assert server["lost_pct"] == pytest.approx(1e4 * server["lost_cores"] / server["cpu_pct"])
    assert 0 < server["lost_pct"] < 100
    low, high = server["lost_pct_ci95"]
    assert low < server["lost_pct"] < high
    assert seen["sessions"]["in-band"] >= 1
    assert 0 < seen["own_cost"]["probe_pct"] < 100


def test_json_has_as_many_objects_as_iterations(run: Run, busy_server: int) -> None:
    ended = run("top", "--json", "-n", "3", "-d", "0.5")
    assert ended.returncode == 0, ended.stderr
    assert len([json.loads(line) for line in ended.stdout.splitlines()]) == 3


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
    _, errors = top.communicate(timeout=PATIENCE_S)
    assert (top.returncode, errors) == (0, "")


def test_a_closed_pipe_ends_it_silently(start: Start, busy_server: int) -> None:
    top = start("top", "-b", "-d", "0.5")
    assert top.stdout is not None
    top.stdout.readline()
    top.stdout.close()
    assert top.stderr is not None
    assert top.stderr.read() == ""
    assert top.wait(PATIENCE_S) == 141  # 128 + SIGPIPE, as of any program in a pipe


def test_a_probe_that_is_killed_is_an_error_in_one_line(start: Start, busy_server: int) -> None:
    top = start("top", "-b", "-d", "0.5", "--no-gaps")  # which are timed by a probe of their own
    assert top.stdout is not None
    top.stdout.readline()
    (probe,) = children(top.pid, "polltrace-probe")
    os.kill(probe, signal.SIGKILL)
    _, errors = top.communicate(timeout=PATIENCE_S)
    assert top.returncode == 4
    assert errors == "polltrace: polltrace-probe was killed by signal 9; its counts are lost\n"


@pytest.mark.parametrize("wrong", [["-d", "0"], ["-n", "0"], ["--sort", "colour"]])
def test_wrong_usage(run: Run, wrong: list[str]) -> None:
    assert run("top", *wrong).returncode == 2


def test_the_database_names_the_users(run: Run) -> None:
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
