# SPDX-License-Identifier: GPL-2.0-or-later
"""`polltrace dump` on sessions whose state is known: busy, waiting for a lock, at rest."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import Any

import pytest

from polltrace.scenarios.plan.lotslios import LOTSLIOS
from polltrace.scenarios.run.client import DriverClient
from polltrace.scenarios.run.locking import LockHolder
from polltrace.scenarios.run.servers.lab_server import LabServer
from polltrace.scenarios.run.servers.session_views import OracleViews
from polltrace.scenarios.run.session import LOCKING
from tests.busy import begin_lotslios
from tests.conftest import Run
from tests.waiting import is_asleep, until

ROW_LOCK = "enq: TX - row lock contention"
pytestmark = pytest.mark.usefixtures("lab")


@contextmanager
def session(lab: LabServer) -> Iterator[tuple[DriverClient, int]]:
    """An in-band session, and its server's PID."""
    with DriverClient() as client:
        lab.connect(client, break_poll_skip=3, disable_oob=True)
        pid = OracleViews().spid(client)
        assert pid is not None
        yield client, pid


def executes(watcher: DriverClient, pid: int, event: str = "") -> bool:
    """Whether the server is in a call, in which it waits for the event, where one is given."""
    found = watcher.query(
        "select s.status, s.state, s.event from v$session s, v$process p where s.paddr = p.addr"
        " and p.spid = :pid",
        {"pid": str(pid)},
    )[1]
    status, state, waits_for = found[0]
    return status == "ACTIVE" and (not event or (state, waits_for) == ("WAITING", event))


@contextmanager
def waiting(lab: LabServer) -> Iterator[int]:
    """The PID of a server that waits for a row lock, until the end."""
    with LockHolder(lab), session(lab) as (client, pid), session(lab) as (watcher, _):
        client.begin(LOCKING, {})
        until(lambda: executes(watcher, pid, ROW_LOCK), "the lock's wait")
        yield pid


def connect(lab: LabServer, patch: pytest.MonkeyPatch) -> tuple[str, str]:
    patch.setenv("POLLTRACE_PASSWORD", lab.oralab.password)
    return "--connect", f"{lab.oralab.user}@{lab.oralab.dsn}"


def dumped(run: Run, pid: int, *options: str) -> dict[str, Any]:
    ended = run("dump", "-p", str(pid), "--json", *options)
    assert (ended.returncode, ended.stderr) == (0, "")
    data: dict[str, Any] = json.loads(ended.stdout)
    return data


def test_a_busy_session(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    with LabServer() as lab, session(lab) as (watcher, _), session(lab) as (client, pid):
        begin_lotslios(client)
        until(lambda: executes(watcher, pid), "the call")
        found = dumped(run, pid, *connect(lab, monkeypatch))
        text = run("dump", "-p", str(pid), *connect(lab, monkeypatch)).stdout
    assert (found["break_mode"], found["cause"]) == ("in-band", "client-never-asked")
    assert found["polls_per_s"] > 0
    # It waits for nothing: all of its time is on CPU or ready for one.
    assert found["time"]["waiting_for_client"]["value"] == 0
    assert found["time"]["on_cpu"] > 0
    assert any("opifch2" in stack["frames"] for stack in found["stacks"])
    assert sum(stack["samples"] for stack in found["stacks"]) == found["on_cpu_samples"]
    activity = found["activity"]
    assert (activity["status"], activity["executing"]) == ("ACTIVE", True)
    assert activity["sql_text"] == " ".join(LOTSLIOS.split("\n")).strip()
    assert (activity["waits_for"], activity["not_read"]) == (None, [])
    assert activity["statistics"]["consistent gets"] > 0
    assert found["session"]["sid"] > 0
    assert "is in-band because the client did not ask" in " ".join(text.split())
    assert activity["sql_id"] in text
    assert "STAT  consistent gets" in text
    assert lab.oralab.password not in text


def test_a_session_that_waits_for_a_lock(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    with LabServer() as lab, waiting(lab) as pid:
        found = dumped(run, pid, *connect(lab, monkeypatch))
        text = run("dump", "-p", str(pid), *connect(lab, monkeypatch)).stdout
    activity = found["activity"]
    assert (activity["waits_for"], activity["sql_text"]) == (ROW_LOCK, LOCKING)
    assert activity["blocked_by_sid"] not in (None, found["session"]["sid"])
    assert activity["waits_since_s"] > 0
    # Neither its client's turn nor CPU: the lab sleeps between two tries.
    assert found["time"]["waiting_for_client"]["value"] == 0
    assert found["time"]["blocked"][0]["in"] == "clock_nanosleep"
    assert f"ACTIVE, waits for {ROW_LOCK}, " in text
    assert f"blocked by session {activity['blocked_by_sid']}" in text


def test_a_session_at_rest_waits_for_its_client(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    with LabServer() as lab, ExitStack() as ending:
        _, pid = ending.enter_context(session(lab))
        local = ending.enter_context(DriverClient())
        oralab = lab.oralab
        local.connect(oralab.local_dsn, oralab.user, oralab.password, disable_oob=False)
        local_pid = OracleViews().spid(local)
        assert local_pid is not None
        for each, mode in ((pid, "in-band"), (local_pid, "local")):
            until(partial(is_asleep, each), "the end of the query")
            found = dumped(run, each, *connect(lab, monkeypatch))
            assert found["break_mode"] == mode
            assert found["time"]["blocked"] == []
            assert found["time"]["waiting_for_client"]["value"] > 0.5
            assert (found["stacks"], found["break_check_pct"]) == ([], None)
            # The statement is the one that it executed last.
            assert found["activity"]["executing"] is False
            assert found["activity"]["waits_for"] == "SQL*Net message from client"
        assert "it was not on CPU" in run("dump", "-p", str(pid)).stdout


def test_a_database_that_does_not_know_the_process(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is known without it is shown, and the reason of what is not."""
    with LabServer() as lab, LabServer() as other, session(lab) as (_, pid):
        ended = run("dump", "-p", str(pid), "--json", *connect(other, monkeypatch))
        assert ended.returncode == 0
        assert json.loads(ended.stdout)["activity"] is None
        assert f"has no session of process {pid}" in ended.stderr
        monkeypatch.setenv("POLLTRACE_PASSWORD", "wrong")
        refused = run("dump", "-p", str(pid), "--connect", f"scott@{lab.oralab.dsn}")
    assert refused.returncode == 7
    assert "ORA-01017" in refused.stderr
    assert "wrong" not in refused.stderr


def test_by_sudo_it_shows_the_same(run: Run) -> None:
    """As another user than the server's, with the capabilities that polltrace keeps."""
    sudo = ("env", "SUDO_UID=65534", "SUDO_GID=65534", "SUDO_USER=nobody")
    with LabServer() as lab, session(lab) as (_, pid):
        until(partial(is_asleep, pid), "the end of the query")
        ended = run("dump", "-p", str(pid), "--json", prefix=sudo)
    assert (ended.returncode, ended.stderr) == (0, "")
    found = json.loads(ended.stdout)
    assert (found["break_mode"], found["cause"]) == ("in-band", "client-never-asked")
    assert found["configured_skip"] == 3
    assert found["time"]["waiting_for_client"]["value"] > 0.5


def test_one_server_at_a_time(run: Run) -> None:
    assert run("dump", "-p", "1,2").returncode == 2
    ended = run("dump", "-p", "1")
    assert ended.returncode == 5
    assert "is no dedicated server" in ended.stderr
