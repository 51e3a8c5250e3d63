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
from typing import Any, NamedTuple

import pytest

from polltrace.exporter.counter_totals import CounterTotals
from polltrace.intervals import Estimate
from polltrace.overhead.advice import advice
from polltrace.overhead.poll_cost import constant
from polltrace.overhead.session_load import SessionLoad
from polltrace.profiles.frames import PollRate
from tests.conftest import POLLTRACE
from tests.waiting import PATIENCE_S, until
from tests.watch.samples import row, server, snapshot

Run = Callable[..., subprocess.CompletedProcess[str]]
# The skips whose forecasts are compared; the first is in force.
SKIPS = (3, 10, 30, 100, 1000)
# An upper end below which an interval says something, per cent. On a busy host the session is
# measured for a few moments only, and an interval may stay wider: then it says less, and is right.
_OF_USE = 40.0


class CpuShare(NamedTuple):
    """What break checking takes of the session's CPU time, per cent."""

    value: float
    low: float
    high: float


def share(data: dict[str, Any]) -> CpuShare:
    return CpuShare(data["cpu_pct"], *data["cpu_pct_ci95"])


def of_advice(data: dict[str, Any]) -> dict[int, CpuShare]:
    """The forecast of advice by skip."""
    forecasts = {each["break_poll_skip"]: each for each in data["forecast"]}
    # The figure of now is that of the forecast at the skip in force.
    assert share(forecasts[3]) == share(data)
    return {skip: share(forecasts[skip]) for skip in SKIPS}


def of_recording(run: Run, pid: int, file: Path) -> dict[str, Any]:
    """The advice on a recording of the session, the same in a report and by `advise FILE`."""
    assert run("record", "-p", str(pid), "-d", "6", "-o", str(file)).returncode == 0
    data = json.loads(run("report", str(file), "--json").stdout)
    (session,) = (each for each in data["sessions"] if each["pid"] == pid)
    advice: dict[str, Any] = json.loads(run("advise", str(file), "--json").stdout)
    assert session["advice"] == advice
    assert share(session) == share(advice)
    # One name, one value in one document.
    assert session["polls_per_s"] == advice["polls_per_s"]
    assert session["polls_per_cpu_s"] == advice["polls_per_cpu_s"]
    return advice


def of_top(pid: int) -> CpuShare:
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
                known = CpuShare(row["lost_pct"], *row["lost_pct_ci95"])
            if number >= 4 and known and known.high < _OF_USE:
                break
        top.kill()
    assert known is not None
    return known


def of_the_exporter() -> CpuShare:
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
            # Until the cost of a poll is known, the metric is absent.
            first = until(lambda: found if (found := metrics()).get(names[0]) else None, "a cost")
            last = until(
                lambda: found if (found := metrics())[used] > first[used] + 0.5 else None,
                "half a second of CPU",
            )
        finally:
            exporter.kill()
    used_s = last[used] - first[used]
    return CpuShare(*(100 * (last[name] - first[name]) / used_s for name in names))


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
    # GIVEN one session, measured live and recorded
    live = json.loads(run("advise", "-p", str(busy_server), "--json", "-d", "2").stdout)
    recorded = of_recording(run, busy_server, tmp_path / "a.polltrace")
    # THEN its figure now and its forecasts lie in each other's intervals, whatever the command
    at_skip = {
        skip: {"advise": one, "a recording": other}
        for (skip, one), other in zip(
            of_advice(live).items(), of_advice(recorded).values(), strict=True
        )
    }
    at_skip[3] |= {"top": of_top(busy_server), "the exporter": of_the_exporter()}
    for figures in at_skip.values():
        for figure in figures.values():
            assert 0 < figure.low < figure.value < figure.high, at_skip
        lowest_end = min(figure.high for figure in figures.values())
        assert max(figure.low for figure in figures.values()) <= lowest_end, at_skip
    # AND both recommend within the same limits, which they name
    assert recorded["max_cancel_waiting_s"] == live["max_cancel_waiting_s"]
    assert recorded["max_cancel_waiting_because"]
    assert live["max_cancel_waiting_because"]
