# SPDX-License-Identifier: GPL-2.0-or-later
"""Figures of top and the exporter for a process, against what the process itself counted.

Polls are compared per second of the process's CPU time, and the processor's share by itself: on a
busy host the share changes from one moment to the next, and the two sides are not asked at once.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import POLLTRACE, Run
from tests.waiting import PATIENCE_S, until

TITLE = "oracleTRUTH (LOCAL=NO)"
# Counted in windows: a hundredth of the time. A figure that is twice or half as high is wrong.
FACTOR = 1.6
# The process takes its own cost with an interpreter around each poll, which a busy host slows too.
COST_FACTOR = 3.5


class PacedPoller:
    """paced_poller.py under a dedicated server's title."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process

    def reported(self) -> dict[str, float]:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        found: dict[str, float] = json.loads(self.process.stdout.readline())
        return found


@pytest.fixture
def poller(tmp_path: Path) -> Iterator[PacedPoller]:
    program = shutil.copy(os.path.realpath(sys.executable), tmp_path / "oracle")
    script = Path(__file__).with_name("paced_poller.py").read_text()
    process = subprocess.Popen(
        [TITLE, "-ISc", script],
        executable=program,
        env={**os.environ, "PYTHONHOME": sys.base_prefix},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    yield PacedPoller(process)
    process.kill()
    process.communicate()


@contextlib.contextmanager
def started(*argv: str, **streams: Any) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen([POLLTRACE, *argv], text=True, **streams)
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def rate(before: dict[str, float], after: dict[str, float]) -> float:
    """Polls per second of its CPU time."""
    return (after["polls"] - before["polls"]) / (after["cpu_s"] - before["cpu_s"])


def close(shown: float, truth: float, factor: float) -> bool:
    return truth / factor < shown < truth * factor


@pytest.mark.usefixtures("probe")
def test_top_shows_the_rate_and_the_cost_that_the_process_has(poller: PacedPoller) -> None:
    pid = poller.process.pid
    options = ("--json", "--no-gaps", "--filter", str(pid))
    with started("top", *options, stdout=subprocess.PIPE) as top:
        assert top.stdout is not None
        before = None
        for line in top.stdout:
            seen, after = json.loads(line), poller.reported()
            rows = [each for each in seen["servers"] if each["pid"] == pid]
            if not rows or rows[0]["lost_cores"] is None:
                continue
            before = before or after
            # The figures are over the last five seconds.
            if after["at_s"] > before["at_s"] + 6:
                break
        assert before is not None
    (server,) = rows
    per_cpu_s = rate(before, after)
    share = server["cpu_pct"] / 100
    assert close(server["break_polls_per_s"] / share, per_cpu_s, FACTOR), (server, per_cpu_s)
    assert close(1e-9 * server["cost_ns"], after["cost_s"], COST_FACTOR), (server, after)
    lost = per_cpu_s * after["cost_s"]
    assert close(server["lost_cores"] / share, lost, FACTOR * COST_FACTOR), (server, lost)


@pytest.mark.usefixtures("probe", "quick_calibration")
def test_advise_has_the_rate_of_all_its_measurements_together(
    poller: PacedPoller, run: Run
) -> None:
    """It counts in eight parts: one of them alone, or in the time of one, is eight times off."""
    before = poller.reported()
    ended = run("advise", "-p", str(poller.process.pid), "--json", "-d", "1")
    after = poller.reported()
    assert ended.returncode == 0, ended.stderr
    truth = (after["polls"] - before["polls"]) / (after["at_s"] - before["at_s"])
    assert close(json.loads(ended.stdout)["polls_per_s"], truth, 2.5)


@pytest.mark.usefixtures("probe")
def test_the_exporter_counts_the_polls_and_their_cpu_time(poller: PacedPoller) -> None:
    options = ("export", "prometheus", "--listen", "127.0.0.1:0", "-d", "0.5")
    with started(*options, stderr=subprocess.PIPE) as exporter:
        assert exporter.stderr is not None
        url = exporter.stderr.readline().split()[-1]

        def metrics() -> dict[str, float]:
            """Of this instance, by metric."""
            with urllib.request.urlopen(url, timeout=PATIENCE_S) as answer:
                lines = answer.read().decode().splitlines()
            return {
                line.partition("{")[0]: float(line.rpartition(" ")[2])
                for line in lines
                if 'sid="TRUTH"' in line and 'break_mode="in-band"' in line
            }

        cpu, used = "polltrace_break_poll_cpu_seconds_total", "polltrace_server_cpu_seconds_total"
        # Its cost is known from here on.
        until(lambda: metrics().get(cpu), "a cost")
        first, before = metrics(), poller.reported()
        until(lambda: poller.reported()["at_s"] > before["at_s"] + 8, "eight seconds")
        last, after = metrics(), poller.reported()
    counted = last["polltrace_break_polls_total"] - first["polltrace_break_polls_total"]
    used_s = last[used] - first[used]
    assert close(counted / used_s, rate(before, after), FACTOR), (counted, used_s, before, after)
    cost = (last[cpu] - first[cpu]) / counted
    assert close(cost, after["cost_s"], COST_FACTOR), (cost, after)
    low, high = (
        last[name] - first[name]
        for name in (cpu.replace("cpu_", "cpu_low_"), cpu.replace("cpu_", "cpu_high_"))
    )
    assert low < last[cpu] - first[cpu] < high
