# SPDX-License-Identifier: GPL-2.0-or-later
"""`polltrace top FILE`: a recording of the lab, played."""

from __future__ import annotations

import json
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from polltrace.errors import FileError
from polltrace.overhead.advice import Advice
from polltrace.profiles.sampled import ON_CPU, named_stacks
from polltrace.recording import read
from polltrace.recording.summary import summary
from polltrace.scenarios.run.client import DriverClient
from polltrace.scenarios.run.servers.lab_server import LabServer
from polltrace.top.keys import press
from polltrace.top.player import Player
from polltrace.top.state import UIState
from tests.busy import begin_lotslios
from tests.conftest import POLLTRACE
from tests.waiting import until

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def recorded(
    lab: None, quick_calibration: None, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, int]:
    """A recording of some seconds with timed gaps, and the server in it that polled."""
    path = tmp_path_factory.mktemp("recorded") / "lab.polltrace"
    with LabServer() as server, DriverClient() as client:
        server.connect(client, break_poll_skip=3, disable_oob=True)
        spid = begin_lotslios(client)
        command = [POLLTRACE, "record", "-o", str(path), "-p", str(spid), "-i", "0.5"]
        with subprocess.Popen(command, stderr=subprocess.DEVNULL) as recording:
            until(lambda: has_enough(path), "five seconds, timed gaps and checks on CPU")
            recording.send_signal(signal.SIGINT)
        assert recording.returncode == 0
    return path, spid


def has_enough(path: Path) -> bool:
    try:
        found = summary(read(path))
    except (FileNotFoundError, FileError):  # it has only begun
        return False
    return found.recording.seconds > 5 and any(
        each.gaps and each.checks and each.break_polls for each in found.sessions
    )


@pytest.mark.usefixtures("lab")
def test_every_frame_is_shown_and_the_last_sums_up_the_count(
    run: Run, recorded: tuple[Path, int]
) -> None:
    path, pid = recorded
    ended = run("top", str(path), "-b", "--json")
    assert (ended.returncode, ended.stderr) == (0, "")
    snapshots = [json.loads(line) for line in ended.stdout.splitlines()]
    assert len(snapshots) >= 3  # of ten, where the host is not busy
    assert [each["t_s"] for each in snapshots] == sorted(each["t_s"] for each in snapshots)
    (server,) = snapshots[-1]["servers"]
    assert (server["pid"], server["break_mode"]) == (pid, "in-band")
    assert server["break_polls_per_s"] > 0
    assert server["cost_ns"] > 0
    assert server["worst_gap_ms"] > 0
    assert snapshots[-1]["own_cost"] is None


@pytest.mark.usefixtures("lab")
def test_polls_are_those_that_were_recorded_to_the_last(recorded: tuple[Path, int]) -> None:
    player = Player(recorded[0])
    while player.next_frame():
        pass
    (row,) = player.snapshot().rows
    assert player.recording.counted is not None
    assert round(row.polls) == player.recording.counted.only().break_polls


@pytest.mark.usefixtures("lab")
def test_any_moment_can_be_reached(recorded: tuple[Path, int]) -> None:
    player = Player(recorded[0])
    player.to(4.0)
    there = player.snapshot()
    player.to(1e9)
    assert player.at_s == player.length_s
    assert player.snapshot().rows[0].polls > there.rows[0].polls
    player.to(4.0)
    assert player.snapshot() == there
    player.to(-5.0)
    assert player.at_s == 0.0
    assert all(row.polls == 0 for row in player.snapshot().rows)


@pytest.mark.usefixtures("lab")
def test_an_open_session_has_its_stacks_and_forecast(recorded: tuple[Path, int]) -> None:
    from polltrace.top.session_view import session_view  # noqa: PLC0415

    player = Player(recorded[0])
    player.to(player.length_s)
    (identity,) = player.inspector.servers
    seen = player.session(identity)
    assert seen is not None
    stacks = named_stacks(seen[0], player.probe_host.names(), ON_CPU)
    shown = session_view(player.inspector.servers[identity], seen[0], stacks, player.costs, seen[1])
    assert isinstance(shown.advice, Advice)
    assert any(stack.is_break_check for stack in shown.stacks)
    assert shown.advice.forecast[0].cancel_ms is not None


def test_keys_of_a_recording() -> None:
    state = UIState(replays=True)
    for key in ("-", "-", "+", "]", "]", "["):
        state = press(state, key, (), 10)
    assert (state.speed, state.sought_s, state.refresh) == (1, 10.0, 0)
    for _ in range(30):
        state = press(state, "-", (), 10)
    assert state.speed == 10
    assert press(UIState(), "]", (), 10) == UIState()


def test_a_file_that_is_no_recording_is_reported_in_one_line(run: Run, tmp_path: Path) -> None:
    (tmp_path / "text").write_text("no recording\n")
    for wrong in (tmp_path / "text", tmp_path / "missing"):
        ended = run("top", str(wrong), "-b")
        assert ended.returncode == 8
        assert ended.stderr.count("\n") == 1
        assert str(wrong) in ended.stderr
    assert run("top", str(tmp_path / "text"), "--ssh", "dbhost").returncode == 2
