# SPDX-License-Identifier: GPL-2.0-or-later
"""`polltrace diff`: which changes between two recordings are certain, and which may be noise."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from polltrace.recording.difference import difference
from polltrace.recording.fold import read
from polltrace.recording.summary import summary
from polltrace.recording_report.diff import diff_data, diff_page, diff_text
from tests.recording.samples import header, story, written

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def costly(tmp_path: Path) -> Path:
    return written(tmp_path / "costly", *story(polls_per_s=100_000))


@pytest.fixture
def cheap(tmp_path: Path) -> Path:
    return written(tmp_path / "cheap", *story(polls_per_s=1000), head=header(host="<i>"))


def test_less_is_lost(costly: Path, cheap: Path, run: Run) -> None:
    data = json.loads(run("diff", str(costly), str(cheap), "--json").stdout)
    changes = {each["name"]: each for each in data["changes"]}
    rate = changes["break polls a CPU second"]
    assert rate["before"][0] == pytest.approx(100_000 / 0.9)
    assert rate["after"][0] == pytest.approx(1000 / 0.9)
    # It was on CPU for 0.9 of each second; 100,000 polls of 600 ns are 0.06 of one.
    assert changes["CPUs used"]["before"][0] == pytest.approx(0.9)
    assert changes["CPUs lost to break polling"]["before"][0] == pytest.approx(0.06)
    assert changes["CPUs lost to break polling"]["after"][0] == pytest.approx(0.0006)
    lost = changes["lost, counted"]
    # 6e-7 s a poll: 111,111 of them a CPU second are 6.67 %.
    assert lost["before"][0] == pytest.approx(100 * 6e-7 * 100_000 / 0.9, rel=0.01)
    assert lost["certain"]
    assert data["sessions_by_break_mode"] == {"in-band": [1, 1]}
    assert data["sessions_by_skip"] == {"3": [1, 1]}
    # Both have the same stacks.
    assert changes["lost, sampled"]["change"][0] == 0
    assert all(each["own_before"] == each["own_after"] for each in data["functions"])
    text = run("diff", str(costly), str(cheap)).stdout
    assert "Break polling takes 6.60 points of the CPU time less: 0.07 % after 6.67 %" in text


def test_the_same_twice_is_noise(costly: Path) -> None:
    one = summary(read(costly))
    found = difference(one, one)
    assert "cannot be told from noise" in diff_text(found)
    certain = {each["name"]: each["certain"] for each in diff_data(found)["changes"]}
    assert certain["lost, counted"] is False
    assert certain["CPUs used"] is None  # no interval, no verdict


def test_a_torn_recording_is_reported_at_the_head(costly: Path, tmp_path: Path) -> None:
    torn = written(tmp_path / "torn", *story()[:-1])
    head = diff_text(difference(summary(read(costly)), summary(read(torn)))).splitlines()[:3]
    assert head[2].startswith("after:  The file is not whole: ")


def test_the_page_is_safe_and_has_a_differential_graph(costly: Path, cheap: Path) -> None:
    page = diff_page(difference(summary(read(costly)), summary(read(cheap))))
    assert "<i>" not in page
    assert page.count("<iframe") == 1
    assert "larger share" in page
    assert "<script" not in page  # except for the escaped one in the frame
    assert "default-src &#x27;none&#x27;" in page


def test_no_such_file(run: Run, costly: Path, tmp_path: Path) -> None:
    ended = run("diff", str(costly), str(tmp_path / "none"))
    assert ended.returncode == 8
    assert "No such file" in ended.stderr
    assert ended.stderr.count("\n") == 1
