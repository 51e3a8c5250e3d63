# SPDX-License-Identifier: GPL-2.0-or-later
"""`polltrace diff`: what changed between two recordings, and what cannot be told from noise."""

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
def dear(tmp_path: Path) -> Path:
    return written(tmp_path / "dear", *story(polls_per_s=100_000))


@pytest.fixture
def cheap(tmp_path: Path) -> Path:
    return written(tmp_path / "cheap", *story(polls_per_s=1000), head=header(host="<i>"))


def test_less_is_lost(dear: Path, cheap: Path, run: Run) -> None:
    data = json.loads(run("diff", str(dear), str(cheap), "--json").stdout)
    changes = {each["name"]: each for each in data["changes"]}
    rate = changes["break polls a CPU second"]
    assert rate["before"][0] == pytest.approx(100_000 / 0.9)
    assert rate["after"][0] == pytest.approx(1000 / 0.9)
    lost = changes["lost, counted"]
    # 6e-7 s a poll: 111,111 of them a CPU second are 6.67 %.
    assert lost["before"][0] == pytest.approx(100 * 6e-7 * 100_000 / 0.9, rel=0.01)
    assert lost["certain"]
    assert data["sessions_by_break_mode"] == {"in-band": [1, 1]}
    assert data["sessions_by_skip"] == {"3": [1, 1]}
    # Both have the same stacks.
    assert changes["lost, sampled"]["change"][0] == 0
    assert all(each["own_before"] == each["own_after"] for each in data["functions"])
    text = run("diff", str(dear), str(cheap)).stdout
    assert "Break polling takes 6.60 points of the CPU time less: 0.07 % after 6.67 %" in text


def test_the_same_twice_is_noise(dear: Path) -> None:
    one = summary(read(dear))
    found = difference(one, one)
    assert "cannot be told from noise" in diff_text(found)
    certain = {each["name"]: each["certain"] for each in diff_data(found)["changes"]}
    assert certain["lost, counted"] is False
    assert certain["CPUs used"] is None  # no interval, no verdict


def test_a_torn_one_is_said_to_be_at_the_head(dear: Path, tmp_path: Path) -> None:
    torn = written(tmp_path / "torn", *story()[:-1])
    head = diff_text(difference(summary(read(dear)), summary(read(torn)))).splitlines()[:3]
    assert head[2].startswith("after:  The file is not whole: ")


def test_the_page_is_safe_and_has_a_differential_graph(dear: Path, cheap: Path) -> None:
    page = diff_page(difference(summary(read(dear)), summary(read(cheap))))
    assert "<i>" not in page
    assert page.count("<iframe") == 1
    assert "larger share" in page
    assert "<script" not in page  # but for the escaped one in the frame
    assert "default-src &#x27;none&#x27;" in page


def test_no_such_file(run: Run, dear: Path, tmp_path: Path) -> None:
    ended = run("diff", str(dear), str(tmp_path / "none"))
    assert ended.returncode == 2
    assert "No such file" in ended.stderr
    assert ended.stderr.count("\n") == 1
