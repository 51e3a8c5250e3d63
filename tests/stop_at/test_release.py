# SPDX-License-Identifier: GPL-2.0-or-later
"""Whatever happens to us, the process runs on."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from polltrace.stop_at import ptrace
from polltrace.stop_at.capture import HELD_UP, Capture, CaptureOutcome, Refused, StopCondition
from polltrace.stop_at.guard import stop_at
from polltrace.stop_at.threads import state, status
from polltrace.stop_at.tracing import Limits
from tests.stop_at.stopped_target import StoppedTarget
from tests.waiting import PATIENCE_S, until

POLLTRACE = str(Path(sys.executable).with_name("polltrace"))
BREAK_POLLS = StopCondition(frozenset({7, 271}), True)
PATIENT = Limits(wait_s=60.0, stop_s=10.0)  # this machine may be busy


def stopped(target: StoppedTarget, watch: Limits = PATIENT) -> CaptureOutcome:
    return stop_at(target.pid, BREAK_POLLS, watch)


@pytest.mark.parametrize("after", [False, True])
def test_killed_at_every_step(
    poller: StoppedTarget, monkeypatch: pytest.MonkeyPatch, after: bool
) -> None:
    # GIVEN a holder that is killed before, or after, its n-th request to the kernel
    request: Callable[..., None] = ptrace._request
    steps = 0
    for fatal in range(1, 100):
        made = 0

        def counted(*arguments: Any, fatal: int = fatal) -> None:
            nonlocal made
            made += 1
            if made == fatal and not after:
                os.kill(os.getpid(), signal.SIGKILL)
            request(*arguments)
            if made == fatal:
                os.kill(os.getpid(), signal.SIGKILL)

        monkeypatch.setattr(ptrace, "_request", counted)
        outcome = stopped(poller)
        # THEN the process runs on, wherever that was
        poller.assert_free()
        if isinstance(outcome, Capture):
            break
        assert outcome == Refused(0, HELD_UP)
        steps += 1
    # seize, interrupt, resume, and registers and detach at the poll
    assert steps >= 5
    assert fatal < 99


LOOKS = """
import sys
from polltrace.stop_at.capture import StopCondition
from polltrace.stop_at.guard import stop_at
from polltrace.stop_at.tracing import Limits
print("ready", flush=True)
while True:
    condition = StopCondition(frozenset({int(sys.argv[2])}), False)
    stop_at(int(sys.argv[1]), condition, Limits(60.0, 10.0))
"""


def test_we_are_killed_at_any_time(poller: StoppedTarget) -> None:
    # GIVEN someone who stops the process at every system call that it never makes
    for delay_ms in range(0, 26, 2):
        with subprocess.Popen(
            [sys.executable, "-c", LOOKS, str(poller.pid), str(7 if delay_ms % 4 else 39)],
            stdout=subprocess.PIPE,
        ) as process:
            assert process.stdout is not None
            process.stdout.readline()
            # WHEN they are killed after some while (the sleep is what is tested, not a handshake)
            time.sleep(delay_ms / 1000)
            process.kill()
        # THEN it is let go, and runs
        until(lambda: status(poller.pid, "TracerPid") == 0)
        poller.assert_free()


@pytest.mark.parametrize("hang", ["stopped", "sleeping"])
def test_a_holder_that_hangs_is_ended(
    poller: StoppedTarget, monkeypatch: pytest.MonkeyPatch, hang: str
) -> None:
    def hanging(_tid: int) -> dict[int, int]:
        if hang == "stopped":
            os.kill(os.getpid(), signal.SIGSTOP)
        time.sleep(600)
        raise AssertionError("not reached")

    monkeypatch.setattr(ptrace, "kept_registers", hanging)
    assert stopped(poller, Limits(60.0, 0.05)) == Refused(0, HELD_UP)
    poller.assert_free()


def test_signals_reach_it_all_the_same(target: StoppedTarget) -> None:
    # GIVEN a storm of signals, stopping and continuing among them
    target.poll_for_ever()
    storm = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import os, signal, sys\n"
            "print('ready', flush=True)\n"
            "numbers = (signal.SIGURG, signal.SIGWINCH, signal.SIGSTOP, signal.SIGCONT)\n"
            "while True:\n"
            "    for number in numbers: os.kill(int(sys.argv[1]), number)\n",
            str(target.pid),
        ],
        stdout=subprocess.PIPE,
    )
    try:
        assert storm.stdout is not None
        storm.stdout.readline()
        for _ in range(5):
            assert isinstance(stopped(target), Capture)
    finally:
        storm.kill()
        storm.communicate()
    os.kill(target.pid, signal.SIGCONT)
    until(lambda: state(target.pid, target.pid) == "R")
    target.assert_free()
    # AND a signal that kills still does
    os.kill(target.pid, signal.SIGTERM)
    assert target.process.wait(PATIENCE_S) == -signal.SIGTERM


def test_a_stopped_process_stays_stopped(poller: StoppedTarget) -> None:
    os.kill(poller.pid, signal.SIGSTOP)
    until(lambda: state(poller.pid, poller.pid) == "T")
    # WHEN it is seized all the same (the verb itself does not: see test_refusals)
    assert isinstance(stopped(poller, Limits(0.1, 10.0)), Refused)
    # THEN the kernel puts it back to where it was
    until(lambda: state(poller.pid, poller.pid) == "T")
    os.kill(poller.pid, signal.SIGCONT)
    poller.assert_free()


def test_it_makes_every_poll_it_would_have_made(target: StoppedTarget) -> None:
    # The result of an interrupted call would show as an early end of its wait.
    fd = target.do("open tcp")
    began = time.monotonic()
    target.begin(f"poll {fd} 1 300")
    assert isinstance(stopped(target, Limits(0.1, 10.0)), Refused)
    target.finish()
    assert time.monotonic() - began >= 0.3


def test_a_full_disk_does_not_hold_it(poller: StoppedTarget) -> None:
    command = [
        POLLTRACE,
        "stop-at",
        "poll",
        "-p",
        str(poller.pid),
        "-d",
        "60",
        "--longest-stop",
        "10s",
    ]
    with open("/dev/full", "w") as full:
        ended = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, check=False)
    assert ended.returncode != 0
    poller.assert_free()
