# SPDX-License-Identifier: GPL-2.0-or-later
"""The price of a poll by its pace: the curve, and that what measures it measures."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from polltrace.executables import find_executable
from polltrace.intervals import Estimate, exactly
from polltrace.price import PriceCurve, flat, price_curve


def test_between_knots_by_the_logarithm_and_beyond_them_the_last() -> None:
    curve = PriceCurve([(1e-6, exactly(4e-7)), (1e-4, Estimate(8e-7, 6e-7, 1e-6))])
    assert curve.at(1e-7).value == 4e-7
    assert curve.at(1e-5).value == pytest.approx(6e-7)
    assert curve.at(1e-5).high == pytest.approx(7e-7)
    assert curve.at(1.0).value == 8e-7
    assert flat(exactly(5e-7)).at(1e-3).value == 5e-7


@pytest.mark.parametrize("kind", ["tcp", "tcp6", "unix"])
def test_a_poll_takes_some_hundred_nanoseconds(kind: str) -> None:
    if kind == "tcp6" and not Path("/proc/net/if_inet6").exists():
        pytest.skip("this kernel has no IPv6")
    found = price_curve([10e-6], kind, threaded=kind == "unix").at(10e-6)
    # The order of magnitude, on whatever machine: a system call, and no more than a slow one.
    assert 20e-9 < found.low <= found.value <= found.high < 50e-6


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
