# SPDX-License-Identifier: GPL-2.0-or-later
"""`polltrace stat --cross-check`: other tools count the same process at the same time."""

from __future__ import annotations

import json
import shutil
import signal
from pathlib import Path
from typing import Any

import pytest

from polltrace.cross_check.readings import BREAK_POLLS, CALLS, Bounds, Reading, bounds
from polltrace.cross_check.run import compared
from polltrace.cross_check.tool import ToolCounts
from polltrace.cross_check.tool_process import ToolCost
from tests.conftest import Run, Start, missing
from tests.probes.probe_process import PROBE, Target

# A probe that counts every break poll twice.
DOUBLING = f"""#!/usr/bin/env python3
import re, signal, subprocess, sys
probe = subprocess.Popen(["{PROBE}", *sys.argv[1:]], stdout=subprocess.PIPE, text=True)
signal.signal(signal.SIGINT, lambda *_: probe.send_signal(signal.SIGINT))
for line in probe.stdout:
    doubled = re.sub(r'"break_polls":(\\d+)', lambda m: f'"break_polls":{{2 * int(m[1])}}', line)
    print(doubled, end="", flush=True)
sys.exit(probe.wait())
"""


@pytest.fixture
def tools() -> None:
    for command, package in (("perf", "linux-perf"), ("bpftrace", "bpftrace")):
        if shutil.which(command) is None:
            missing(f"{command} is not installed: apt-get install {package}")
    if not Path("/usr/sbin/syscount").exists():
        missing("syscount is not installed: apt-get install libbpf-tools")


def checked(
    start: Start, target: Target, polls: int, **environment: str
) -> tuple[int, dict[str, Any]]:
    """Exit code and report of a cross-check during which the target makes `polls` break polls."""
    fd = target.do("open tcp")
    words = ("stat", "--cross-check", "-p", str(target.pid), "-d", "10m", "--json")
    process = start(*words, **environment)
    assert process.stderr is not None
    line = process.stderr.readline()
    assert "attached" in line, line + process.stderr.read()
    target.do(f"poll {fd} {polls} 0")
    process.send_signal(signal.SIGINT)
    output, _ = process.communicate()
    return process.returncode, json.loads(output)


def figure(report: dict[str, Any], tool: str, name: str) -> dict[str, Any]:
    (row,) = [
        figure
        for item in report["tools"]
        if item["name"] == tool
        for figure in item["figures"]
        if figure["figure"] == name
    ]
    return dict(row)


def test_other_tools_agree_on_a_known_count(
    target: Target, root: None, tools: None, start: Start
) -> None:
    code, report = checked(start, target, 100_003)
    assert set(report["unused"]) <= {"bcc syscount"}, report["unused"]
    assert not report["differs"], json.dumps([report["tools"], report["polltrace"]["lost"]])
    assert code == 0
    assert report["polltrace"]["processes"][0]["break_polls"] == 100_003
    by_perf = figure(report, "perf stat", BREAK_POLLS)
    assert by_perf["count"] == 100_003
    assert by_perf["agrees"]
    assert by_perf["polltrace"][1] == 100_003
    for tool in ("bpftrace", "syscount"):
        assert figure(report, tool, "polls")["agrees"]
    # AND each window and each cost is stated
    for item in report["tools"]:
        assert 0 < item["from_s"][1] <= item["to_s"][0]
        assert item["cpu_s"] > 0
        assert (item["program_ns"] is None) == (item["name"] == "perf stat")


def test_a_wrong_count_of_polltrace_is_reported(
    target: Target, root: None, tools: None, start: Start, tmp_path: Path
) -> None:
    probe = tmp_path / "doubling-probe"
    probe.write_text(DOUBLING)
    probe.chmod(0o755)
    code, report = checked(start, target, 100_003, POLLTRACE_PROBE=str(probe))
    assert code == 1
    assert report["differs"]
    by_perf = figure(report, "perf stat", BREAK_POLLS)
    assert by_perf["count"] == 100_003
    assert by_perf["polltrace"][1] == 200_006
    # AND the figures that are right are not blamed
    assert figure(report, "perf stat", "polls")["agrees"]


def test_a_host_without_other_tools(target: Target, root: None, run: Run) -> None:
    words = ("stat", "--cross-check", "-p", str(target.pid), "-d", "100ms")
    done = run(*words, prefix=("env", "PATH=/nonexistent"))
    assert done.returncode == 4, done.stderr
    assert "perf stat       left out: not installed (Debian: apt-get install" in done.stdout
    assert done.stdout.endswith("Cannot tell: no other tool counted here.\n")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("-p", "1,2"), "--cross-check takes one process, not 2"),
        (("-p", "1", "--backend", "bcc"), "--cross-check is of one running process"),
        (("--", "true"), "--cross-check is of one running process"),
    ],
)
def test_refused_combinations(run: Run, words: tuple[str, ...], message: str) -> None:
    done = run("stat", "--cross-check", *words)
    assert done.returncode == 2
    assert message in done.stderr


def readings(*rows: tuple[float, float, int]) -> list[Reading]:
    return [
        Reading(earliest, latest, dict.fromkeys((BREAK_POLLS, CALLS), total))
        for earliest, latest, total in rows
    ]


def test_bounds_enclose_the_count_of_a_window() -> None:
    ours = readings((0, 1, 0), (1, 2, 10), (2, 3, 20), (3, 4, 30), (4, 5, 40), (5, 6, 50))
    start, end = readings((1.5, 1.6, 0), (4.1, 4.5, 0))
    assert bounds(ours, start, end, BREAK_POLLS) == Bounds(10, 50)
    # AND without readings on both sides there are none
    assert bounds(ours[2:], start, end, BREAK_POLLS) is None
    assert bounds(ours[:-1], start, end, BREAK_POLLS) is None


@pytest.mark.parametrize(
    ("count", "slack", "is_complete", "agrees"),
    [
        (10, 0, True, True),
        (50, 0, True, True),
        (9, 0, True, False),
        (51, 0, True, False),
        (51, 1, True, True),
        (9, 1, True, True),
        (9, 0, False, None),
        (51, 0, False, False),
    ],
)
def test_a_count_outside_of_the_bounds_differs(
    count: int, slack: int, is_complete: bool, agrees: bool | None
) -> None:
    start, end = readings((0, 0, 0), (1, 1, count))
    counts = ToolCounts("tool", start, end, ToolCost(0, None, None), slack, is_complete)
    assert compared(counts, CALLS, Bounds(10, 50)).agrees is agrees
    if slack:  # no break poll is under way at an edge
        assert compared(counts, BREAK_POLLS, Bounds(10, 50)).agrees is False
