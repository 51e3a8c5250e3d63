# SPDX-License-Identifier: GPL-2.0-or-later
"""`polltrace lab`: one lab in the background, and `polltrace ps` on its sessions."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import oracledb
import pytest

from tests.waiting import PATIENCE_S

Lab = Callable[..., subprocess.CompletedProcess[str]]
Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def background(lab: None, run: Run, tmp_path: Path) -> Iterator[Lab]:
    """`polltrace lab`, with a state of its own; what it left running is stopped."""

    def lab_(*words: str) -> subprocess.CompletedProcess[str]:
        return run("lab", *words, prefix=("env", f"XDG_STATE_HOME={tmp_path}"))

    yield lab_
    lab_("stop")


def started(background: Lab, *options: str) -> dict[str, Any]:
    ended = background("start", "--json", *options)
    assert ended.returncode == 0, ended.stderr
    data: dict[str, Any] = json.loads(ended.stdout)
    return data


def connect(lab: dict[str, Any], **options: Any) -> oracledb.Connection:
    return oracledb.connect(user=lab["user"], password=lab["password"], dsn=lab["dsn"], **options)


def test_start_status_stop(background: Lab, tmp_path: Path) -> None:
    assert background("status").returncode == 1
    lab = started(background, "--skip", "7")
    assert Path(lab["sqlnet_ora"]).read_text().startswith("BREAK_POLL_SKIP = 7\n")
    assert json.loads(background("status", "--json").stdout) == lab
    with connect(lab) as connection:
        assert connection.cursor().execute("select 1 from dual").fetchone() == (1,)
    text = background("status").stdout
    assert lab["dsn"] in text
    assert lab["sqlnet_ora"] in text
    # The file that remembers it holds a password.
    assert (tmp_path / "polltrace" / "lab.json").stat().st_mode & 0o777 == 0o600
    assert background("stop").returncode == 0
    assert background("status").returncode == 1
    assert not Path(lab["sqlnet_ora"]).parent.exists()
    assert background("stop").returncode == 0


def test_it_is_not_started_where_it_could_not_be_noted(run: Run, tmp_path: Path) -> None:
    (tmp_path / "polltrace").write_text("no folder")
    ended = run("lab", "start", prefix=("env", f"XDG_STATE_HOME={tmp_path}"))
    assert ended.returncode == 6
    assert ended.stderr.startswith(f"polltrace: cannot note in {tmp_path}/polltrace/lab.json")
    assert len(ended.stderr.splitlines()) == 1


def test_a_second_one_is_refused(background: Lab) -> None:
    lab = started(background)
    ended = background("start")
    assert ended.returncode == 6
    assert f"PID {lab['pid']}" in ended.stderr


def test_one_that_was_killed_is_not_running(background: Lab) -> None:
    lab = started(background)
    pidfd = os.pidfd_open(lab["pid"])
    os.kill(lab["pid"], signal.SIGKILL)
    assert select.select([pidfd], [], [], PATIENCE_S)[0]
    os.close(pidfd)
    assert background("status").returncode == 1
    assert started(background)["pid"] != lab["pid"]


@pytest.mark.parametrize("skip", ["0", "-3", "x", "1000001"])
def test_bad_skip(background: Lab, skip: str) -> None:
    ended = background("start", f"--skip={skip}")
    assert ended.returncode == 2
    assert "is not a break_poll_skip" in ended.stderr


def test_ps_tells_break_modes_and_why(background: Lab, run: Run) -> None:
    # GIVEN an out-of-band session, and one whose client did not ask for it
    lab = started(background)
    with connect(lab) as oob, connect(lab, disable_oob=True) as inband:
        # WHEN the server itself is told never to allow it, for a third
        Path(lab["sqlnet_ora"]).write_text("disable_oob=on\nbreak_poll_skip=10\n")
        with connect(lab) as refused:
            pids = [spid(each) for each in (oob, inband, refused)]
            sessions = {
                each["pid"]: each for each in json.loads(run("ps", "--json").stdout)["sessions"]
            }
    # THEN ps tells them apart without a poll having been made
    first, second, third = (sessions[pid] for pid in pids)
    assert first["break_mode"] == "out-of-band"
    assert first["reason"] is None
    assert second["break_mode"] == third["break_mode"] == "in-band"
    assert third["configured_skip"] == 10
    assert third["reason"].endswith("says DISABLE_OOB=ON")
    assert first["client"].startswith("127.0.0.1:")
    assert {each["instance"] for each in (first, second, third)} == {"LAB"}


def spid(connection: oracledb.Connection) -> int:
    row = connection.cursor().execute(
        "select p.spid from v$process p, v$session s"
        " where p.addr = s.paddr and s.sid = sys_context('userenv', 'sid')"
    )
    return int(row.fetchone()[0])
