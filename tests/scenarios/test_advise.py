# SPDX-License-Identifier: GPL-2.0-or-later
"""`polltrace advise` on busy sessions of the lab."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable

import pytest

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.mark.usefixtures("lab")
def test_an_in_band_session_is_priced(run: Run, busy_server: int) -> None:
    ended = run("advise", "-p", str(busy_server), "--json", "-d", "4")
    assert ended.returncode == 0, ended.stderr
    data = json.loads(ended.stdout)
    assert (data["break_mode"], data["configured_skip"]) == ("in-band", 3)
    assert data["measured_skip"] is None  # said to be read, not measured
    assert data["polls_per_s"] > 1000
    low, high = data["cpu_pct_ci95"]
    assert 0 < low < data["cpu_pct"] < high < 50
    skips = {each["break_poll_skip"]: each for each in data["forecast"]}
    # The dearer the cancel, the cheaper the polling, at every step.
    shares = [skips[skip]["cpu_pct"] for skip in (1, 3, 10, 100, 1000)]
    assert shares == sorted(shares, reverse=True)
    worst = [skips[skip]["cancel_ms"]["worst"] for skip in (1, 3, 10, 100, 1000)]
    assert worst == sorted(worst)
    assert skips[3]["cpu_pct"] == pytest.approx(data["cpu_pct"])
    assert skips[1000]["cancel_waiting_s"] == 3000
    assert data["recommended_skip"] == 10  # the default limit is 30 s, a wait slice 3 s


@pytest.mark.usefixtures("lab")
def test_the_text_names_client_reason_and_both_estimates(run: Run, busy_server: int) -> None:
    ended = run("advise", "-p", str(busy_server), "-d", "4", "--max-cancel", "1")
    text = ended.stdout
    assert "is in-band: the client did not ask for out-of-band breaks" in text
    assert "client 127.0.0.1:" in text
    assert "on-CPU samples" in text
    assert "<- now" in text
    assert "No skip keeps every cancel within 1 s" in text


@pytest.mark.usefixtures("lab")
def test_an_out_of_band_session_costs_nothing(run: Run, busy_out_of_band: int) -> None:
    ended = run("advise", "-p", str(busy_out_of_band), "--json", "-d", "4")
    data = json.loads(ended.stdout)
    assert (data["break_mode"], data["reason"]) == ("out-of-band", None)
    assert (data["polls_per_s"], data["cpu_pct"]) == (0, 0)
    # It looks whether a signal came, in user mode: next to nothing, and no poll.
    assert data["sampled_pct"] < 1
    assert "makes no break polls" in run("advise", "-p", str(busy_out_of_band), "-d", "3").stdout


def test_a_process_that_is_no_server(run: Run) -> None:
    ended = run("advise", "-p", str(os.getpid()))
    assert ended.returncode == 5
    assert ended.stderr.startswith(f"polltrace: process {os.getpid()} is no dedicated server")


def test_one_process_at_a_time(run: Run) -> None:
    ended = run("advise", "-p", "1,2")
    assert ended.returncode == 2
    assert "advise takes one process" in ended.stderr
