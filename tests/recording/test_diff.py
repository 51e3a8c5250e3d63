# SPDX-License-Identifier: GPL-2.0-or-later
"""`polltrace diff`: which changes between two recordings are certain, and which may be noise."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from polltrace.profiles.sampled import ON_CPU
from polltrace.recording.difference import difference
from polltrace.recording.fold import read
from polltrace.recording.summary import summary
from polltrace.recording_report import diff
from polltrace.recording_report.diff import diff_data, diff_text, folded_pair
from polltrace.recording_report.diff_page import diff_page
from tests.recording.samples import header, story, written

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def costly(tmp_path: Path) -> Path:
    return written(tmp_path / "costly", *story(polls_per_s=100_000))


@pytest.fixture
def cheap(tmp_path: Path) -> Path:
    return written(tmp_path / "cheap", *story(polls_per_s=1000, checks=0), head=header(host="<i>"))


def test_less_is_lost(costly: Path, cheap: Path, run: Run) -> None:
    data = json.loads(run("diff", str(costly), str(cheap), "--json").stdout)
    changes = {each["name"]: each for each in data["changes"]}
    rate = changes["break polls a CPU second"]
    assert rate["before"][0] == pytest.approx(100_000 / 0.9)
    assert rate["after"][0] == pytest.approx(1000 / 0.9)
    assert changes["CPUs used"]["before"][0] == pytest.approx(0.9)
    # What each recording's own report has.
    lost, certain = changes["lost"], changes["lost"]["certain"]
    for side, file in (("before", costly), ("after", cheap)):
        (session,) = json.loads(run("report", str(file), "--json").stdout)["sessions"]
        assert lost[side] == pytest.approx([session["cpu_pct"], *session["cpu_pct_ci95"]])
        cpus = changes["CPUs lost to break polling"][side]
        lost_s = [session["lost_cpu_s"], *session["lost_cpu_s_ci95"]]
        assert cpus == pytest.approx([each / 4 for each in lost_s])
        assert cpus == pytest.approx([0.9 * each / 100 for each in lost[side]])
    # 111,111 polls a CPU second at 6e-7 s each, and a tenth of the samples; one poll for a hundred.
    assert 6.67 <= lost["before"][0] <= 15
    assert lost["after"][0] == pytest.approx(0.067, rel=0.5)
    assert certain
    assert data["sessions_by_break_mode"] == {"in-band": [1, 1]}
    assert data["sessions_by_skip"] == {"3": [1, 1]}
    assert changes["samples in the check"]["before"][0] == pytest.approx(10)
    assert changes["samples in the check"]["after"][0] == 0
    # What is the check's in one is not there in the other.
    grew = {each["name"] for each in data["functions"] if each["own_after"] > each["own_before"]}
    assert grew == {"work"}
    text = run("diff", str(costly), str(cheap)).stdout
    assert f"less: {lost['after'][0]:.2f} % after {lost['before'][0]:.2f} %, by polls" in text


def test_the_same_twice_is_noise(costly: Path) -> None:
    one = summary(read(costly))
    found = difference(one, one)
    assert "cannot be told from noise" in diff_text(found)
    certain = {each["name"]: each["certain"] for each in diff_data(found)["changes"]}
    assert certain["lost"] is False
    assert certain["CPUs used"] is None  # no interval, no verdict


def test_the_page_collapses_figures_that_are_noise(costly: Path, cheap: Path) -> None:
    one, other = summary(read(costly)), summary(read(cheap))
    same = diff_page(difference(one, one))
    noise = same.partition('<details class="noise">')[2].partition("</details>")[0]
    assert "figures whose change cannot be told from noise" in noise
    assert "lost, % of CPU" in noise
    # A figure without an interval is never called noise, and a certain change stays in sight.
    assert "CPUs used" not in noise
    changed = diff_page(difference(one, other))
    assert "lost, % of CPU" not in changed.partition("<details")[2].partition("</details>")[0]
    assert "lost, % of CPU" in changed


def test_samples_in_bpf_programs_are_left_out_and_counted(
    costly: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = summary(read(costly))
    own = difference(one, one)
    _, plain, _ = folded_pair(own)
    observed = {
        **plain,
        ("main", "poll", "__x64_sys_poll", "bpf_trampoline_6442", "bpf_prog_af1_fentry_poll"): 7,
    }
    monkeypatch.setattr(diff, "folded_stacks", lambda _recording, _kind: observed)
    assert folded_pair(own) == (ON_CPU, plain, plain)
    assert diff_data(own)["samples_in_bpf_left_out"] == [7, 7]
    assert "Left out: 7 and 7 samples in BPF programs" in diff_text(own)
    assert "Left out: 7 and 7 samples in BPF programs" in diff_page(own)


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
