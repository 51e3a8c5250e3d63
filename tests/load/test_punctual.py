# SPDX-License-Identifier: GPL-2.0-or-later
"""Load clients are woken on time, and nothing else of polltrace is changed by that."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import WITHOUT_CAPABILITIES, missing
from tests.waiting import PATIENCE_S, until

Start = Callable[..., subprocess.Popen[str]]

# In a process of its own, so that another test's threads are not asked.
ASK = """
import ctypes, os, subprocess, sys
from polltrace.scenarios.load.punctual import _attributes, punctual_children
def own():
    slack_ns = ctypes.CDLL(None).prctl(30, 0, 0, 0, 0)
    return slack_ns, os.sched_getscheduler(0), (_attributes() or [0] * 6)[5]
if sys.argv[1] == "child":
    print(*own())
else:
    before = own()
    with punctual_children(real_time=sys.argv[1] == "real time"):
        print(subprocess.check_output([sys.executable, __file__, "child"], text=True).strip())
    print(own() == before)
"""


def asked(folder: Path, how: str, prefix: tuple[str, ...] = ()) -> tuple[int, int, int]:
    """A child's timer slack in ns, its scheduling policy and its slice in ns."""
    program = folder / "ask.py"
    program.write_text(ASK)
    command = [*prefix, sys.executable, str(program), how]
    child, same = subprocess.run(
        command, capture_output=True, text=True, check=True
    ).stdout.splitlines()
    assert same == "True"
    slack_ns, policy, slice_ns = map(int, child.split())
    return slack_ns, policy, slice_ns


def test_children_sleep_without_slack_and_run_at_once(tmp_path: Path) -> None:
    slack_ns, policy, slice_ns = asked(tmp_path, "with others")
    assert (slack_ns, policy) == (1000, os.SCHED_OTHER)
    # 0: a kernel before 6.12, which has no slice of a process's own.
    assert slice_ns in (0, 100_000)


def test_children_that_run_before_all_others(tmp_path: Path) -> None:
    if os.geteuid():
        missing("needs root")
    slack_ns, policy, _ = asked(tmp_path, "real time")
    assert slack_ns in (0, 1000)  # 0: a newer kernel, which tells that real time has none
    assert policy == os.SCHED_RR


def test_real_time_takes_root(tmp_path: Path) -> None:
    with pytest.raises(subprocess.CalledProcessError) as failed:
        asked(tmp_path, "real time", WITHOUT_CAPABILITIES)
    assert "CAP_SYS_NICE" in failed.value.stderr


@pytest.mark.parametrize(
    ("words", "policy"), [(["--real-time"], os.SCHED_RR), ([], os.SCHED_OTHER)], ids=str
)
def test_an_open_loop_s_clients_run_before_others_where_asked_to(
    words: list[str], policy: int, start: Start, built_lab: None, tmp_path: Path
) -> None:
    if os.geteuid() or len(os.sched_getaffinity(0)) < 2:
        missing("needs root and two processors")
    (tmp_path / "w.toml").write_text('[[statements]]\nsql = "select 1 from dual"\n')
    path = tmp_path / "w.load.jsonl"
    words = [str(tmp_path / "w.toml"), "--seconds", "100s", "--rate", "20", *words]
    load = start("load", *words, "-o", str(path))
    until(lambda: path.exists() and '"second"' in path.read_text(), "its first second")
    found = {("load.py" in command(pid), os.sched_getscheduler(pid)) for pid in children(load.pid)}
    load.send_signal(signal.SIGINT)
    load.communicate(timeout=PATIENCE_S)
    # The lab and all else stay what they are.
    assert found == {(True, policy), (False, os.SCHED_OTHER)}


def children(pid: int) -> list[int]:
    found = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [each for child in map(int, found) for each in (child, *children(child))]


def command(pid: int) -> str:
    return Path(f"/proc/{pid}/cmdline").read_bytes().decode()
