# SPDX-License-Identifier: GPL-2.0-or-later
"""One session through every command that says what its polls cost: from the same data the same
figure, from what each could measure of a live one intervals that have a value in common."""

from __future__ import annotations

import json
import subprocess
import urllib.request
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pytest

from polltrace.exporter.counter_totals import CounterTotals
from polltrace.intervals import Estimate
from polltrace.overhead.advice import advice
from polltrace.overhead.load import SessionLoad
from polltrace.overhead.poll_cost import constant
from polltrace.profiles.frames import PollRate
from tests.conftest import POLLTRACE
from tests.waiting import PATIENCE_S, until
from tests.watch.samples import row, server, snapshot

Run = Callable[..., subprocess.CompletedProcess[str]]
# They do not measure in the same second, and what a calibration sees on a busy host is dearer than
# what the session sees. A figure four times too high or too low is further off.
_HOST = 2.0
# An upper end below which an interval says something, per cent. On a busy host the session is
# measured for a few moments only, and an interval may stay wider: then it says less, and is right.
_OF_USE = 40.0


class Share(NamedTuple):
    """What break checking takes of the session's CPU time, per cent."""

    value: float
    low: float
    high: float


def of_advise(run: Run, pid: int) -> Share:
    data = json.loads(run("advise", "-p", str(pid), "--json", "-d", "2").stdout)
    return Share(data["cpu_pct"], *data["cpu_pct_ci95"])


def of_recording(run: Run, pid: int, folder: Path) -> dict[str, Share]:
    """What a report on a recording says, and its advice."""
    file = folder / "a.polltrace"
    assert run("record", "-p", str(pid), "-d", "6", "-o", str(file)).returncode == 0
    data = json.loads(run("report", str(file), "--json").stdout)
    (session,) = (each for each in data["sessions"] if each["pid"] == pid)
    said = {"a report": session, "its advice": session["advice"]}
    return {name: Share(each["cpu_pct"], *each["cpu_pct_ci95"]) for name, each in said.items()}


def of_top(pid: int) -> Share:
    """The fourth screen, or the first after it whose cost is known well enough to be of use: polls
    are timed for a moment now and then, and a moment of which another process took a part makes the
    interval wide."""
    argv = [POLLTRACE, "top", "--json", "--filter", str(pid), "-n", "60"]
    known = None
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True) as top:
        assert top.stdout is not None
        for number, line in enumerate(top.stdout, 1):
            (row,) = json.loads(line)["servers"]
            if row["lost_pct"]:
                known = Share(row["lost_pct"], *row["lost_pct_ci95"])
            if number >= 4 and known and known.high < _OF_USE:
                break
        top.kill()
    assert known is not None
    return known


def of_the_exporter() -> Share:
    argv = [POLLTRACE, "export", "prometheus", "--listen", "127.0.0.1:0", "-d", "0.5"]
    with subprocess.Popen(argv, stderr=subprocess.PIPE, text=True) as exporter:
        assert exporter.stderr is not None
        url = exporter.stderr.readline().split()[-1]
        names = [f"polltrace_break_poll_cpu_{end}seconds_total" for end in ("", "low_", "high_")]
        used = "polltrace_server_cpu_seconds_total"

        def metrics() -> dict[str, float]:
            with urllib.request.urlopen(url, timeout=PATIENCE_S) as answer:
                lines = answer.read().decode().splitlines()
            return {
                line.partition("{")[0]: float(line.rpartition(" ")[2])
                for line in lines
                if 'break_mode="in-band"' in line
            }

        try:
            # Until the cost of a poll is known, the metric is there and 0.
            first = until(lambda: found if (found := metrics()).get(names[0]) else None, "a cost")
            last = until(
                lambda: found if (found := metrics())[used] > first[used] + 0.5 else None,
                "half a second of CPU",
            )
        finally:
            exporter.kill()
    used_s = last[used] - first[used]
    return Share(*(100 * (last[name] - first[name]) / used_s for name in names))


def test_the_same_data_make_the_same_figure() -> None:
    # GIVEN a session half of its time on CPU, its rate and its cost hardly known
    rate, cost = PollRate(50_000, 20_000, 90_000), Estimate(600e-9, 400e-9, 900e-9)
    load = SessionLoad(0.5, rate)
    shown = replace(row(102, polls=1.0, cpu=50.0), rate=rate, poll_cost_s=cost)
    advised = advice(server(102), load, poll_cost=constant(cost), stacks=())
    # THEN top and advise have one figure with one interval
    assert shown.lost_pct == advised.counted
    assert shown.lost_pct.value == pytest.approx(6.075)
    assert shown.lost_pct.low < 2.5
    assert shown.lost_pct.high > 11
    # AND the exporter sums it up
    totals = CounterTotals()
    totals.take(snapshot([replace(shown, cpu_s=2.0, polls=200_000)]))
    (sums,) = totals.copy().values()
    lost = (sums.lost_s, sums.lost_low_s, sums.lost_high_s)
    assert [50 * each for each in lost] == pytest.approx(
        [shown.lost_pct.value, shown.lost_pct.low, shown.lost_pct.high]
    )


@pytest.mark.usefixtures("probe", "lab", "quick_calibration")
def test_every_command_has_the_same_figure(run: Run, busy_server: int, tmp_path: Path) -> None:
    found = {
        "advise": of_advise(run, busy_server),
        **of_recording(run, busy_server, tmp_path),
        "top": of_top(busy_server),
        "the exporter": of_the_exporter(),
    }
    for share in found.values():
        assert 0 < share.low < share.value < share.high, found
    assert max(each.low for each in found.values()) <= _HOST * min(
        each.high for each in found.values()
    ), found
