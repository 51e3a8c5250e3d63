# SPDX-License-Identifier: GPL-2.0-or-later
"""A process whose arguments wait for ever is left out, and nothing else waits for it.

What it does is in targets/hung_title.c. Planted, and seen here: a plain read of its command line
hangs until it is killed.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from polltrace import procfs
from polltrace.executables import find_executable
from polltrace.stop_at.threads import state
from tests.conftest import missing
from tests.waiting import PATIENCE_S, until

Run = Callable[..., subprocess.CompletedProcess[str]]
SOURCE = Path(__file__).parent / "targets" / "hung_title.c"


def waits_in(pid: int, function: str) -> bool:
    """Whether the process sleeps in this function of the kernel, out of reach of its handlers."""
    return state(pid, pid) == "D" and function in Path(f"/proc/{pid}/stack").read_text()


@pytest.fixture
def hung(tmp_path: Path, root: None) -> Iterator[int]:
    """The PID of such a process."""
    if shutil.which("gcc") is None:
        pytest.skip("the target is C: gcc is missing")
    if not Path("/dev/fuse").exists():
        missing("there is no /dev/fuse")
    program = tmp_path / "oracle"
    subprocess.run(
        ["gcc", "-std=gnu11", "-O1", "-Wall", "-Werror", str(SOURCE), "-o", str(program)],
        check=True,
    )
    (tmp_path / "mount").mkdir()
    command = [str(program.rename(tmp_path / "server")), str(tmp_path / "mount"), str(program)]
    shutil.copy(command[0], program)
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
        assert server.stdout is not None
        pid = int(server.stdout.readline())
        until(lambda: waits_in(pid, "vm_mmap_pgoff"), "a process that waits for its own mappings")
        yield pid
        server.kill()


def assert_hung(pid: int) -> None:
    """The attack works: nobody reads its command line."""
    with subprocess.Popen(["cat", f"/proc/{pid}/cmdline"], stdout=subprocess.PIPE) as reader:
        until(lambda: waits_in(reader.pid, "proc_pid_cmdline_read"))
        reader.kill()


def test_a_title_that_cannot_be_read_is_empty(hung: int) -> None:
    assert_hung(hung)
    assert procfs.title(hung) == ""
    others = dict(procfs.titles([1, hung, 2]))
    assert list(others) == [1, hung, 2]
    assert others[1]


def test_targets_are_chosen_without_a_hung_process(hung: int, run: Run, probe: None) -> None:
    ended = run("stat", "-n", "no such title", "-d", "100ms")
    assert (ended.returncode, ended.stdout) == (5, "")
    ended = run("ps", "--json")
    assert ended.returncode == 0, ended.stderr
    assert hung not in [each["pid"] for each in json.loads(ended.stdout)["sessions"]]


def test_the_program_of_a_hung_process_cannot_be_examined(hung: int, run: Run, probe: None) -> None:
    ended = run("doctor", "-p", str(hung))
    assert "frame pointers" in ended.stdout
    assert "no answer in 10 s" in ended.stdout


def test_stacks_of_a_hung_process_end_in_time(hung: int, run: Run, probe: None) -> None:
    ended = run("stacks", "-p", str(hung), "-d", "1")
    assert ended.returncode in (0, 1, 5), ended.stderr
    assert "Traceback" not in ended.stderr


@pytest.mark.parametrize("choice", ["by name", "by PID"])
def test_the_probe_continues_beside_a_hung_process(hung: int, probe: None, choice: str) -> None:
    options = ["-n", "oracleHUNG"] if choice == "by name" else ["-p", str(hung)]
    ended = subprocess.run(
        [find_executable("polltrace-probe"), *options, "-d", "0.5"],
        capture_output=True,
        timeout=PATIENCE_S,
        check=True,
    )
    records = [json.loads(line) for line in ended.stdout.splitlines()]
    assert records[-1]["reason"] == "duration"
    processes = {each["pid"]: each for each in records if each["type"] == "process"}
    assert hung not in processes if choice == "by name" else processes[hung]["cmdline"] == []


@pytest.mark.parametrize("words", ["why -p PID", "advise -p PID"])
def test_a_server_that_does_not_answer_is_not_called_none(
    hung: int, run: Run, probe: None, words: str
) -> None:
    ended = run(*words.replace("PID", str(hung)).split())
    assert (ended.returncode, ended.stdout) == (4, "")
    assert ended.stderr.startswith(f"polltrace: process {hung} does not answer, so whether it is")
    assert len(ended.stderr.splitlines()) == 1


@pytest.mark.parametrize("words", ["ps", "stat --all -d 100ms"])
def test_a_server_that_does_not_answer_is_named(
    hung: int, run: Run, probe: None, words: str
) -> None:
    ended = run(*words.split())
    assert ended.returncode == 0
    assert ended.stderr.splitlines()[0] == (
        f"polltrace: process {hung} does not answer: whether it is a dedicated server cannot be "
        "told"
    )
