# SPDX-License-Identifier: GPL-2.0-or-later
"""polltrace-calibrate measures the cost of a poll on this host."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
from pathlib import Path
from statistics import median

import pytest

from polltrace.executables import find_executable
from polltrace.overhead.calibration import calibrate

pytestmark = pytest.mark.usefixtures("calibrator")


@pytest.mark.parametrize("kind", ["tcp", "tcp6", "unix"])
def test_a_poll_takes_some_hundred_nanoseconds(kind: str) -> None:
    if kind == "tcp6" and not Path("/proc/net/if_inet6").exists():
        pytest.skip("this kernel has no IPv6")

    found = calibrate([10e-6], kind, threaded=kind == "unix").at(10e-6)
    # On whatever machine, however busy: a system call, and no sleep.
    assert found.low <= found.value <= found.high
    assert 20e-9 < found.value < 1e-3


def test_its_output_is_by_interval_and_footprint() -> None:
    executable = find_executable("polltrace-calibrate")
    out = subprocess.run([executable, "-r", "6", "5", "400"], capture_output=True, check=True)
    quick, slow = json.loads(out.stdout)
    assert (quick["interval_us"], slow["interval_us"]) == (5, 400)
    assert [len(values) for values in quick["poll_ns"]] == [2, 2, 2]
    assert [len(values) for values in slow["poll_ns"]] == [2, 2, 2]


def test_checks_by_a_timer_take_longer_than_polls() -> None:
    """They make four more system calls, and take an interrupt and a signal: in most rounds."""
    executable = find_executable("polltrace-calibrate")
    command = [executable, "-i", "-r", "9", "1024"]
    out = subprocess.run(command, capture_output=True, check=True)
    (found,) = json.loads(out.stdout)
    assert found["interval_us"] == 1024
    assert [len(values) for values in found["poll_ns"]] == [3, 3, 3]
    assert median(itertools.chain(*found["poll_ns"])) > 100


def test_other_processes_do_not_count_in_a_timers_check() -> None:
    (here, *_) = os.sched_getaffinity(0)
    busy = [sys.executable, "-Sc", f"import os; os.sched_setaffinity(0, {{{here}}})\nwhile 1: pass"]
    others = [subprocess.Popen(busy) for _ in range(4)]
    try:
        command = ["taskset", "-c", str(here), find_executable("polltrace-calibrate")]
        out = subprocess.run(
            [*command, "-i", "-r", "9", "1024"], capture_output=True, check=True
        ).stdout
    finally:
        for each in others:
            each.kill()
            each.wait()
    (found,) = json.loads(out)
    # A turn of another process takes milliseconds.
    assert median(itertools.chain(*found["poll_ns"])) < 1e6


def test_the_wait_for_a_processor_is_reported() -> None:
    here = str(min(os.sched_getaffinity(0)))
    command = ["taskset", "-c", here, find_executable("polltrace-calibrate"), "-r", "3000"]
    others = [
        subprocess.Popen(["taskset", "-c", here, "sh", "-c", "while :; do :; done"])
        for _ in range(3)
    ]
    try:
        out = subprocess.run([*command, "5", "9"], capture_output=True, check=True).stdout
    finally:
        for each in others:
            each.kill()
            each.wait()
    waited = {each["waited"] for each in json.loads(out)}
    # Three others had it three quarters of the time.
    assert 0.3 < min(waited) == max(waited) < 1


@pytest.mark.parametrize("words", [["-r", "0"], ["x"], ["-1"], ["100001"]])
def test_invalid_arguments_are_refused(words: list[str]) -> None:
    executable = find_executable("polltrace-calibrate")
    assert subprocess.run([executable, *words], capture_output=True, check=False).returncode == 2
    odd = subprocess.run([executable, "-s", "sctp"], capture_output=True, text=True, check=False)
    assert odd.returncode == 4
    assert "no sctp socket" in odd.stderr


def test_a_timer_faster_than_its_handler_is_refused() -> None:
    ended = subprocess.run(
        [find_executable("polltrace-calibrate"), "-r", "8", "-i", "1"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr == "polltrace-calibrate: 1 is not a whole number from 100 to 100000\n"


@pytest.mark.parametrize("by_signal", [False, True])
def test_a_declared_check_makes_the_declared_calls(by_signal: bool) -> None:
    """A throw-away epoll set is four calls, each made as often as the others."""
    executable = find_executable("polltrace-calibrate")
    calls = ["epoll_create1", "epoll_ctl", "epoll_wait", "close"]
    options = ["-r", "6", "-c", ",".join(calls), *(["-i"] if by_signal else []), "200"]
    command = ["strace", "-f", "-c", "-U", "name,calls", executable, *options]
    ended = subprocess.run(command, capture_output=True, text=True, check=True)
    rows = [line.split() for line in ended.stderr.splitlines()]
    counts = {row[0]: int(row[1]) for row in rows if len(row) == 2 and row[1].isdecimal()}
    (checks,) = {counts["epoll_create1"] - 1, counts["epoll_ctl"] - 1, counts["epoll_wait"]}
    # Each round times at least one check; libc and the loader close files too.
    assert checks >= 6
    assert checks <= counts["close"] < checks + 30


def test_a_list_of_unknown_calls_is_refused() -> None:
    executable = find_executable("polltrace-calibrate")
    for calls in ("nix", "", "poll,", ",".join(["poll"] * 9)):
        command = [executable, "-c", calls]
        ended = subprocess.run(command, capture_output=True, text=True, check=False)
        assert ended.returncode == 2
        assert ended.stderr == f"polltrace-calibrate: -c {calls}: no list of calls of a check\n"
