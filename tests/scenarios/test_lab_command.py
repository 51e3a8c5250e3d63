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

from tests.conftest import WITHOUT_CAPABILITIES
from tests.waiting import PATIENCE_S, cpu_s, until

NOBODY = 65534
Lab = Callable[..., subprocess.CompletedProcess[str]]
Run = Callable[..., subprocess.CompletedProcess[str]]
Start = Callable[..., subprocess.Popen[str]]


@pytest.fixture
def background(lab: None, run: Run, tmp_path: Path) -> Iterator[Lab]:
    """`polltrace lab`, with a state of its own; what it left running is stopped."""

    def lab_(*words: str) -> subprocess.CompletedProcess[str]:
        return run("lab", *words, prefix=("env", f"XDG_STATE_HOME={tmp_path}"))

    yield lab_
    for name in ("lab", "east", "west_2"):
        lab_("stop", "--name", name)


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
    assert ended.stderr.startswith(
        f"polltrace: cannot note the lab in {tmp_path}/polltrace/lab.json"
    )
    assert len(ended.stderr.splitlines()) == 1


def test_a_second_one_is_refused(background: Lab) -> None:
    lab = started(background)
    ended = background("start")
    assert ended.returncode == 6
    assert f"PID {lab['pid']}" in ended.stderr


def test_labs_side_by_side(background: Lab) -> None:
    """Each has its own instance, port, password and directory, and ends alone."""
    names = {"lab": "LAB", "east": "EAST", "West_2": "WEST_2"}
    labs = {name: started(background, "--name", name) for name in names}
    for name, instance in names.items():
        lab = labs[name]
        assert lab["name"] == name
        with connect(lab) as connection:
            row = connection.cursor().execute("select instance_name from v$instance").fetchone()
        assert row == (instance,)
        assert json.loads(background("status", "--json", "--name", name).stdout) == lab
    for key in ("pid", "port", "local_port", "dsn", "password", "directory"):
        assert len({lab[key] for lab in labs.values()}) == 3, key
    # The one without a name is not the only one that status shows.
    text = background("status").stdout
    assert labs["lab"]["dsn"] in text
    assert f"Lab east runs as well, on port {labs['east']['port']}" in text
    # A name in another case is the same instance.
    again = background("start", "--name", "EAST")
    assert again.returncode == 6
    assert f"PID {labs['east']['pid']}" in again.stderr
    assert background("stop", "--name", "east").returncode == 0
    assert not Path(labs["east"]["directory"]).exists()
    assert background("status", "--name", "east").returncode == 1
    assert json.loads(background("status", "--json", "--name", "west_2").stdout) == labs["West_2"]
    assert json.loads(background("status", "--json").stdout) == labs["lab"]


def test_a_load_of_a_lab_with_a_name(background: Lab) -> None:
    ended = background("load", "--name", "east", "-d", "100ms", "--json")
    assert (ended.returncode, ended.stderr) == (0, "")
    assert len(json.loads(ended.stdout)["sessions"]) == 2
    assert background("status", "--name", "east").returncode == 1


@pytest.mark.parametrize("name", ["", "2nd", "a b", "../x", "a" * 17, "é"])
def test_no_name_for_a_lab(background: Lab, name: str) -> None:
    ended = background("start", "--name", name)
    assert ended.returncode == 2
    assert "is not a lab's name" in ended.stderr


def test_one_that_was_killed_is_not_running(background: Lab) -> None:
    lab = started(background)
    pidfd = os.pidfd_open(lab["pid"])
    os.kill(lab["pid"], signal.SIGKILL)
    assert select.select([pidfd], [], [], PATIENCE_S)[0]
    os.close(pidfd)
    assert background("status").returncode == 1
    assert started(background)["pid"] != lab["pid"]


def test_load_in_the_background_until_the_lab_is_stopped(background: Lab, tmp_path: Path) -> None:
    ended = background("load", "--background", "--json")
    assert (ended.returncode, ended.stderr) == (0, "")
    out_of_band, in_band = json.loads(ended.stdout)["sessions"]
    assert (out_of_band["break_mode"], in_band["break_mode"]) == ("out-of-band", "in-band")
    until(lambda: cpu_s(in_band["pid"]) > 0.1, "CPU time of the in-band session")
    # A second load is two more sessions of the same lab, named by the in-band one's PID.
    another = background("load", "--background", "--pid-only")
    assert another.stdout.strip().isdecimal()
    loads = [pid for pid in pids() if "load" in words(pid) and str(tmp_path) in state_home(pid)]
    assert len(loads) == 2
    assert background("stop").returncode == 0
    pids_ = [out_of_band["pid"], in_band["pid"], int(another.stdout), *loads]
    until(lambda: not any(map(alive, pids_)), "the end of the load")


def test_a_load_that_ends_leaves_a_later_lab_alone(
    background: Lab, start: Start, tmp_path: Path
) -> None:
    # GIVEN a load that has started its own lab
    load = start("lab", "load", "--json", XDG_STATE_HOME=str(tmp_path))
    assert load.stdout is not None
    assert load.stdout.readline()
    # WHEN it cannot notice before another lab runs that this one was stopped
    load.send_signal(signal.SIGSTOP)
    assert background("stop").returncode == 0
    lab = started(background)
    load.send_signal(signal.SIGCONT)
    _, errors = load.communicate(timeout=PATIENCE_S)
    # THEN the other lab stays
    assert (load.returncode, errors) == (0, "")
    assert json.loads(background("status", "--json").stdout) == lab


def test_load_in_the_foreground_takes_its_lab_along(background: Lab) -> None:
    ended = background("load", "-d", "500ms")
    assert (ended.returncode, ended.stderr) == (0, "")
    _, first, second, last = ended.stdout.splitlines()
    assert [line.split()[1] for line in (first, second)] == ["out-of-band", "in-band"]
    assert last == "Both execute the article's statement until 0.5 s are over."
    until(lambda: not any(alive(int(line.split()[0])) for line in (first, second)), "their end")
    assert background("status").returncode == 1


def test_ctrl_c_ends_a_load_and_leaves_the_lab_that_ran_before(
    background: Lab, start: Start, tmp_path: Path
) -> None:
    lab = started(background)
    load = start("lab", "load", "--json", XDG_STATE_HOME=str(tmp_path))
    assert load.stdout is not None
    sessions = json.loads(load.stdout.readline())["sessions"]
    load.send_signal(signal.SIGINT)
    _, errors = load.communicate(timeout=PATIENCE_S)
    assert (load.returncode, errors) == (0, "")
    until(lambda: not any(alive(each["pid"]) for each in sessions), "the end of the sessions")
    assert json.loads(background("status", "--json").stdout) == lab


def test_a_session_that_is_killed_is_an_error(
    background: Lab, start: Start, tmp_path: Path
) -> None:
    started(background)
    load = start("lab", "load", "--json", XDG_STATE_HOME=str(tmp_path))
    assert load.stdout is not None
    os.kill(json.loads(load.stdout.readline())["sessions"][0]["pid"], signal.SIGKILL)
    _, errors = load.communicate(timeout=PATIENCE_S)
    assert load.returncode == 7
    assert "a session has ended before its time" in errors


def test_load_reports_the_break_mode_that_is_not_the_one_that_was_wanted(background: Lab) -> None:
    started(background, "--disable-oob")
    ended = background("load", "-d", "100ms", "--json")
    modes = [each["break_mode"] for each in json.loads(ended.stdout)["sessions"]]
    assert modes == ["in-band", "in-band"]


def test_a_load_that_cannot_start_reports_why_from_the_background_too(
    run: Run, lab: None, tmp_path: Path
) -> None:
    (tmp_path / "oracledb.py").write_text("raise ImportError('no driver here')\n")
    prefix = ("env", f"XDG_STATE_HOME={tmp_path}", f"PYTHONPATH={tmp_path}")
    ended = run("lab", "load", "--background", prefix=prefix)
    assert (ended.returncode, ended.stdout) == (7, "")
    assert "pip install oracledb" in ended.stderr
    assert run("lab", "status", prefix=prefix).returncode == 1


def test_options_of_load_go_with_load(background: Lab) -> None:
    ended = background("start", "--background")
    assert ended.returncode == 2
    assert "go with load, not start" in ended.stderr


@pytest.mark.parametrize("skip", ["0", "-3", "x", "1000001"])
def test_bad_skip(background: Lab, skip: str) -> None:
    ended = background("start", f"--skip={skip}")
    assert ended.returncode == 2
    assert "is not a break_poll_skip" in ended.stderr


def test_ps_shows_break_modes_and_reasons(background: Lab, run: Run) -> None:
    # GIVEN an out-of-band session, and one whose client did not ask for it
    lab = started(background)
    with connect(lab) as oob, connect(lab, disable_oob=True) as inband:
        # WHEN the server itself is configured never to allow it, for a third
        Path(lab["sqlnet_ora"]).write_text("disable_oob=on\nbreak_poll_skip=10\n")
        with connect(lab) as refused:
            pids = [spid(each) for each in (oob, inband, refused)]
            sessions = {
                each["pid"]: each for each in json.loads(run("ps", "--json").stdout)["sessions"]
            }
    # THEN ps distinguishes them before any poll was made
    first, second, third = (sessions[pid] for pid in pids)
    assert first["break_mode"] == "out-of-band"
    assert first["reason"] is None
    assert second["break_mode"] == third["break_mode"] == "in-band"
    assert third["configured_skip"] == 10
    assert third["reason"].endswith("sets DISABLE_OOB=ON")
    assert first["client"].startswith("127.0.0.1:")
    assert {each["instance"] for each in (first, second, third)} == {"LAB"}


@pytest.mark.parametrize("verb", ["lab status", "load w.toml"])
def test_a_home_of_another_user_is_said(root: None, run: Run, verb: str, tmp_path: Path) -> None:
    """As after setpriv, and some sudo."""
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    os.chown(home, NOBODY, NOBODY)
    (tmp_path / "w.toml").write_text(
        'client = "python-oracledb"\n[[statements]]\nsql = "select 1 from dual"\n'
    )
    prefix = ("env", "-u", "XDG_STATE_HOME", "-C", str(tmp_path), f"HOME={home}")
    ended = run(*verb.split(), prefix=(*prefix, *WITHOUT_CAPABILITIES))
    assert ended.returncode == 4
    assert ended.stderr.endswith("is not this user's: set XDG_STATE_HOME to a folder\n")
    assert ended.stderr.count("\n") == 1


def pids() -> list[int]:
    return [int(each.name) for each in Path("/proc").iterdir() if each.name.isdecimal()]


def words(pid: int) -> list[str]:
    """The command line of a process; empty for one that has ended."""
    return file_of(pid, "cmdline").split("\0")


def state_home(pid: int) -> str:
    """Of a process's environment, the directory of polltrace's notes."""
    found = [each for each in file_of(pid, "environ").split("\0") if "XDG_STATE_HOME=" in each]
    return found[0] if found else ""


def file_of(pid: int, name: str) -> str:
    try:
        return Path(f"/proc/{pid}/{name}").read_text()
    except (OSError, UnicodeDecodeError):
        return ""


def alive(pid: int) -> bool:
    try:
        return "State:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False


def spid(connection: oracledb.Connection) -> int:
    row = connection.cursor().execute(
        "select p.spid from v$process p, v$session s"
        " where p.addr = s.paddr and s.sid = sys_context('userenv', 'sid')"
    )
    return int(row.fetchone()[0])
