# SPDX-License-Identifier: GPL-2.0-or-later
"""Impossible requests: one line and its exit code each."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from polltrace.stop_at.threads import state, status
from tests.stop_at.stopped_target import StoppedTarget
from tests.waiting import PATIENCE_S, is_asleep, until

Run = Callable[..., subprocess.CompletedProcess[str]]
Start = Callable[..., subprocess.Popen[str]]
# A host that stalls us for as long as a stop may take by default is no reason to refuse here.
PATIENT = ("--longest-stop", "10s")


def refused(ended: subprocess.CompletedProcess[str]) -> tuple[int, str]:
    assert ended.stdout == ""
    (line,) = ended.stderr.splitlines()
    return ended.returncode, line


def stop(run: Run, pid: int | str, *options: str) -> tuple[int, str]:
    return refused(run("stop-at", "poll", "-p", str(pid), "-d", "0.2", *PATIENT, *options))


def test_it_makes_none(run: Run, target: StoppedTarget) -> None:
    until(lambda: is_asleep(target.pid), "a target that waits for a command")
    code, line = stop(run, target.pid)
    assert code == 1
    assert "did not make a break poll in 0.2 s: it sleeps" in line
    assert status(target.pid, "TracerPid") == 0
    assert target.do("getppid 0 3") == 0


@pytest.mark.parametrize(
    ("command", "words"),
    [("exit 3", "ended before it made a break poll"), ("exec x", "executed another program")],
)
def test_it_ends_or_becomes_another(
    start: Start, target: StoppedTarget, command: str, words: str
) -> None:
    process = start("stop-at", "poll", "-p", str(target.pid), "-d", "60", *PATIENT)
    until(lambda: status(target.pid, "TracerPid") != 0)
    target.begin(command)
    _, errors = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 5
    (line,) = errors.splitlines()
    assert words in line
    if command.startswith("exec"):
        assert target.finish() == target.pid  # it prints "ready" once more
        target.do("getppid 0 1")


def test_it_is_traced_already(run: Run, poller: StoppedTarget) -> None:
    if shutil.which("strace") is None:
        pytest.skip("strace is missing")
    strace = subprocess.Popen(
        ["strace", "-e", "trace=none", "-p", str(poller.pid)], stderr=subprocess.DEVNULL
    )
    try:
        until(lambda: status(poller.pid, "TracerPid") == strace.pid)
        code, line = stop(run, poller.pid)
    finally:
        strace.terminate()
        strace.wait()
    assert code == 3
    assert f"traced already, by {strace.pid} (strace" in line


def test_it_is_in_uninterruptible_sleep(run: Run, tmp_path: Path, pollers: object) -> None:
    executable = tmp_path / "vforks"
    source = Path(__file__).with_name("vforks.c")
    subprocess.run(["gcc", "-std=gnu11", str(source), "-o", str(executable)], check=True)
    with subprocess.Popen([executable], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        until(lambda: state(process.pid, process.pid) == "D")
        code, line = stop(run, process.pid)
        assert (code, state(process.pid, process.pid)) == (1, "D")
        assert "uninterruptible sleep" in line
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait(PATIENCE_S) == 0


def test_it_is_stopped_by_a_signal(run: Run, poller: StoppedTarget) -> None:
    os.kill(poller.pid, signal.SIGSTOP)
    until(lambda: state(poller.pid, poller.pid) == "T")
    code, line = stop(run, poller.pid)
    assert (code, state(poller.pid, poller.pid)) == (1, "T")
    assert f"'kill -CONT {poller.pid}'" in line
    os.kill(poller.pid, signal.SIGCONT)
    poller.assert_free()


def test_not_permitted(run: Run, poller: StoppedTarget) -> None:
    ended = run(
        *("stop-at", "poll", "-p", str(poller.pid)),
        prefix=("setpriv", "--reuid=65534", "--clear-groups"),
    )
    if "polltrace" not in ended.stderr:
        pytest.skip("an ordinary user may not read the checkout")
    code, line = refused(ended)
    assert code == 3
    assert "not permitted" in line
    poller.assert_free()


def test_it_is_gone(run: Run) -> None:
    with subprocess.Popen(["true"]) as process:
        until(lambda: state(process.pid, process.pid) == "Z")
        assert stop(run, process.pid) == (5, f"polltrace: {process.pid} has ended")
    assert stop(run, process.pid) == (5, f"polltrace: no process {process.pid}")


def test_a_thread_is_not_a_process(run: Run, target: StoppedTarget) -> None:
    fd = target.do("open tcp")
    target.begin(f"threads {fd} {10**12} 1")
    tasks = Path(f"/proc/{target.pid}/task")
    until(lambda: len(os.listdir(tasks)) == 2)
    thread = next(name for name in os.listdir(tasks) if name != str(target.pid))
    code, line = stop(run, thread)
    assert code == 2
    assert f"use -p {target.pid}" in line


def test_a_kernel_thread(run: Run) -> None:
    kthreadd = Path("/proc/2/comm")
    if not kthreadd.exists() or kthreadd.read_text() != "kthreadd\n":
        pytest.skip("no kernel threads are seen here")
    if os.geteuid() != 0:
        pytest.skip("needs root")
    assert stop(run, 2)[0] == 3


def test_usage(run: Run) -> None:
    assert stop(run, "1,2") == (2, "polltrace: one process at a time")
    code, line = stop(run, 1, "--syscall", "frobnicate")
    assert (code, "'frobnicate' is no system call" in line) == (2, True)
