# SPDX-License-Identifier: GPL-2.0-or-later
"""polltrace-calibrate measures the cost of a poll on this host."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from polltrace.executables import find_executable
from polltrace.overhead.calibration import calibrate
from tests.waiting import until

pytestmark = pytest.mark.usefixtures("calibrator")


@pytest.mark.parametrize("kind", ["tcp", "tcp6", "unix"])
def test_a_poll_takes_some_hundred_nanoseconds(kind: str) -> None:
    if kind == "tcp6" and not Path("/proc/net/if_inet6").exists():
        pytest.skip("this kernel has no IPv6")

    def is_the_order_of_magnitude() -> bool:
        # On whatever machine: a system call, and no more than a slow one.
        found = calibrate([10e-6], kind, threaded=kind == "unix").at(10e-6)
        assert found.low <= found.value <= found.high
        return found.low > 20e-9 and found.high < 50e-6

    # While others take the processor the interval may be too wide to be of use.
    until(is_the_order_of_magnitude, "a calibration")


def test_a_frequent_poll_costs_little_more_than_one_in_a_closed_loop(tmp_path: Path) -> None:
    # GIVEN the cost of a poll in a closed loop, by the process's CPU time
    hot = tmp_path / "hot"
    source = Path(__file__).parent / "targets" / "hot_polls.c"
    subprocess.run(["gcc", "-O1", "-Wall", "-Werror", str(source), "-o", str(hot)], check=True)
    done = subprocess.run([hot], capture_output=True, check=True)
    hot_s = 1e-9 * float(done.stdout)
    # THEN one every microsecond costs a session that, and what the model has for slower work
    assert 0.6 < calibrate([1e-6]).at(1e-6).value / hot_s < 2.6


def test_its_output_is_by_interval_and_footprint() -> None:
    executable = find_executable("polltrace-calibrate")
    out = subprocess.run([executable, "-r", "6", "5", "400"], capture_output=True, check=True)
    quick, slow = json.loads(out.stdout)
    assert (quick["interval_us"], slow["interval_us"]) == (5, 400)
    assert [len(values) for values in quick["poll_ns"]] == [2, 2, 2]
    assert [len(values) for values in slow["poll_ns"]] == [2, 2, 2]


@pytest.mark.parametrize("words", [["-r", "0"], ["x"], ["-1"], ["100001"]])
def test_nonsense_is_refused(words: list[str]) -> None:
    executable = find_executable("polltrace-calibrate")
    assert subprocess.run([executable, *words], capture_output=True, check=False).returncode == 2
    odd = subprocess.run([executable, "-s", "sctp"], capture_output=True, text=True, check=False)
    assert odd.returncode == 4
    assert "no sctp socket" in odd.stderr
