# SPDX-License-Identifier: GPL-2.0-or-later
"""The recording that comes with polltrace: what it shows, and that it shows it anywhere."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from polltrace.commands.recorded import recording_path
from polltrace.recording.fold import read
from polltrace.recording.scan import Scan
from polltrace.recording.summary import summary
from polltrace.recording_report.data import report_data
from tests.waiting import PATIENCE_S

Run = Callable[..., subprocess.CompletedProcess[str]]
ELSEWHERE = Path(__file__).with_name("elsewhere.py")
DEMO = recording_path("demo")


def test_it_is_small_whole_and_covers_the_story() -> None:
    assert DEMO.stat().st_size < 200_000
    recording = read(DEMO)
    assert recording.tear == ""
    assert recording.unknown == {}
    assert len(recording.identities) == 3
    assert recording.quality is not None
    assert recording.quality.unnamed == 0
    assert recording.gaps


def test_it_names_no_place_but_its_own() -> None:
    modules = {
        module
        for record in Scan(DEMO)
        if record["type"] == "symbols"
        for module in record["modules"]
    }
    assert modules
    for module in modules:
        assert module.startswith(("/tmp/polltrace-demo-", "/usr/lib", "[")) or not module, module


def elsewhere(*argv: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(ELSEWHERE), *argv], capture_output=True, text=True,
        timeout=PATIENCE_S, check=False,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (["report", "demo"], "Break polling takes"),
        (["report", "demo", "--json"], '"break_mode": "in-band"'),
        (["stacks", "demo"], "nsmore2recv"),
        (["advise", "demo"], "With cancels within 1 s"),
        (["advise", "demo", "--json"], '"recommended_skip"'),
        (["stacks", "demo", "--at", "cpu", "--format", "svg"], "<svg"),
        (["diff", "demo", "demo"], "cannot be told from noise"),
        (["diff", "demo", "demo", "--json"], '"certain": false'),
    ],
)
def test_without_linux(argv: list[str], words: str) -> None:
    ended = elsewhere(*argv)
    assert ended.returncode == 0, ended.stderr
    assert words in ended.stdout


def test_a_page_without_linux(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    ended = elsewhere("report", "demo", "--html", str(page))
    assert ended.returncode == 0, ended.stderr
    assert "<iframe" in page.read_text()


def test_elsewhere_is_another_machine(tmp_path: Path) -> None:
    # A module that needs Linux fails there: the tests above would notice.
    ended = elsewhere("record", "-o", str(tmp_path / "a"), "-p", "1")
    assert ended.returncode != 0
    assert "no module fcntl" in ended.stderr


def test_a_file_that_is_called_demo_comes_first(run: Run, tmp_path: Path) -> None:
    (tmp_path / "demo").write_text("mine\n")
    ended = run("report", "demo", prefix=("env", "-C", str(tmp_path)))
    assert ended.returncode == 8
    assert "demo is no recording" in ended.stderr


def test_stacks_of_both_kinds(run: Run) -> None:
    for at, share in (("poll", 1.0), ("cpu", 0.0)):
        data = json.loads(run("stacks", "demo", "--at", at, "--format", "json").stdout)
        assert data["samples"] > 50
        assert share <= data["break_checks"] / data["samples"] <= 1
    ended = run("stacks", "demo", "-p", "1")
    assert ended.returncode == 2
    assert "not both" in ended.stderr


def test_advice_is_of_the_session_that_is_asked_for(run: Run) -> None:
    recording = read(DEMO)
    by_mode = {each["pid"]: each for each in report_data(summary(recording))["sessions"]}
    for pid, session in by_mode.items():
        data = json.loads(run("advise", "demo", "-p", str(pid), "--json").stdout)
        assert (data["pid"], data["break_mode"]) == (pid, session["break_mode"])
    ended = run("advise", "demo", "-p", "1")
    assert ended.returncode == 5
    assert "process 1 is not in" in ended.stderr


def test_advice_from_a_torn_file_says_so(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "torn"
    file.write_bytes(DEMO.read_bytes()[:20_000])
    ended = run("advise", str(file), "--json")
    assert ended.returncode == 0
    assert json.loads(ended.stdout)["break_mode"] == "in-band"
    (line,) = ended.stderr.splitlines()
    assert line.startswith("polltrace: The file is not whole: ")
    assert run("advise", "demo").stderr == ""
