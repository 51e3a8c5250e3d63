# SPDX-License-Identifier: GPL-2.0-or-later
"""What measures the price of a poll, measures it: polltrace-price, on this host."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from polltrace.executables import find_executable
from polltrace.overhead.price import price_curve
from tests.waiting import until


@pytest.mark.parametrize("kind", ["tcp", "tcp6", "unix"])
def test_a_poll_takes_some_hundred_nanoseconds(kind: str) -> None:
    if kind == "tcp6" and not Path("/proc/net/if_inet6").exists():
        pytest.skip("this kernel has no IPv6")

    def is_the_order_of_magnitude() -> bool:
        # On whatever machine: a system call, and no more than a slow one.
        found = price_curve([10e-6], kind, threaded=kind == "unix").at(10e-6)
        assert found.low <= found.value <= found.high
        return found.low > 20e-9 and found.high < 50e-6

    # While others take the processor the interval may say next to nothing.
    until(is_the_order_of_magnitude, "a price")


def test_what_it_prints_is_by_pace_and_footprint() -> None:
    executable = find_executable("polltrace-price")
    out = subprocess.run([executable, "-r", "6", "5", "400"], capture_output=True, check=True)
    quick, slow = json.loads(out.stdout)
    assert (quick["pace_us"], slow["pace_us"]) == (5, 400)
    assert [len(values) for values in quick["poll_ns"]] == [2, 2, 2]
    assert slow["whole_ns"] == [[None] * 2] * 3  # too long to tell


@pytest.mark.parametrize("words", [["-r", "0"], ["x"], ["-1"], ["100001"]])
def test_nonsense_is_refused(words: list[str]) -> None:
    executable = find_executable("polltrace-price")
    assert subprocess.run([executable, *words], capture_output=True, check=False).returncode == 2
    odd = subprocess.run([executable, "-s", "sctp"], capture_output=True, text=True, check=False)
    assert odd.returncode == 4
    assert "no sctp socket" in odd.stderr
