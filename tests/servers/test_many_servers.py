# SPDX-License-Identifier: GPL-2.0-or-later
"""Hosts with more dedicated servers than the probe's tables have by default: above 2,048 here, and
10,000 in `make soak`."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from polltrace.backends.ebpf import EbpfProbe, ProbeOptions
from polltrace.errors import NoSuchProcessError
from tests.servers.crowd import build_crowd, crowd

pytestmark = pytest.mark.usefixtures("probe")

Run = Callable[..., subprocess.CompletedProcess[str]]
SERVERS = int(os.environ.get("POLLTRACE_SERVERS", "2100"))


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_crowd(tmp_path_factory.mktemp("crowd"))


@pytest.fixture(scope="module")
def many_servers(program: Path) -> Iterator[None]:
    with crowd(program, SERVERS):
        yield


@pytest.mark.usefixtures("many_servers")
def test_ps_lists_every_server(run: Run) -> None:
    ended = run("ps", "--json")
    assert (ended.returncode, ended.stderr) == (0, "")
    sessions = json.loads(ended.stdout)["sessions"]
    assert len({session["pid"] for session in sessions}) == SERVERS + 1
    assert {session["instance"] for session in sessions} == {"CROWD"}


@pytest.mark.usefixtures("many_servers")
def test_stat_counts_in_every_server(run: Run) -> None:
    ended = run("stat", "--all", "-d", "0.2", "--json")
    assert ended.returncode == 0, ended.stderr
    assert len(json.loads(ended.stdout)["processes"]) == SERVERS + 1


@pytest.mark.usefixtures("many_servers")
@pytest.mark.parametrize("place", ["poll", "cpu", "offcpu"])
def test_stacks_are_taken_of_every_server(run: Run, place: str) -> None:
    ended = run("stacks", "--all", "--at", place, "-d", "0.2")
    assert ended.returncode == 0, ended.stderr


@pytest.mark.usefixtures("root")
def test_processes_that_have_ended_are_left_out_only_where_the_caller_wants_it() -> None:
    running, ended = (subprocess.Popen(["sleep", "600"]) for _ in range(2))
    try:
        ended.send_signal(signal.SIGKILL)
        ended.wait()
        pids = [ended.pid, running.pid]
        with EbpfProbe(pids, ProbeOptions(duration_s=0.1, skip_ended=True)) as probe:
            assert [totals.pid for totals in probe.profile().totals] == [running.pid]
        with (
            pytest.raises(NoSuchProcessError, match=f"no process {ended.pid}"),
            EbpfProbe(pids, ProbeOptions(duration_s=0.1)),
        ):
            pass
        with (
            pytest.raises(NoSuchProcessError, match="all processes given have ended"),
            EbpfProbe([ended.pid], ProbeOptions(duration_s=0.1, skip_ended=True)),
        ):
            pass
    finally:
        running.kill()
        running.wait()
