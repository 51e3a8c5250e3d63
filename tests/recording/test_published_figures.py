# SPDX-License-Identifier: GPL-2.0-or-later
"""Every figure that a report or a diff publishes, against a calculation by hand: two sessions of
unlike load, skewed intervals, losses of the probe, and periods in which gaps were timed."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from polltrace.intervals import Estimate
from polltrace.overhead.cancel import CancelLatency
from polltrace.overhead.forecast import SkipForecast
from polltrace.overhead.skip import measured_skip
from polltrace.profiles.frames import Burst
from polltrace.recording import read
from polltrace.recording.difference import difference
from polltrace.recording.summary import RecordingSummary, summary
from polltrace.recording_report.data import report_data
from polltrace.recording_report.diff import diff_data, diff_text
from polltrace.recording_report.diff_page import diff_page
from polltrace.recording_report.figures import forecast_plot
from polltrace.recording_report.page import report_page
from polltrace.recording_report.plots import LEFT, RIGHT, WIDTH
from polltrace.recording_report.text import report_text
from tests.recording.samples import (
    frame,
    probe,
    probe_header,
    process,
    server,
    story,
    totals,
    trailer,
    written,
)

SECONDS = 10
# CPU seconds a second, break polls a second
BUSY, CALM = (0.9, 90_000), (0.3, 6_000)
# 600 ns a poll, hardly more and perhaps half as much
COST = {"type": "poll_cost", "at_s": 0.5, "interval_us": 8, "cost_s": [6e-7, 3e-7, 6.6e-7]}
CHECK_S, CHECK_HIGH_S = 2.5e-9, 10e-9  # of the plain model


def two_sessions(path: Path, **lost: int) -> RecordingSummary:
    """A busy and a calm session in-band, without samples, and their losses."""
    records: list[dict[str, Any]] = [probe(probe_header(), 0.0), COST]
    for pid in (100, 200):
        records += [probe(process(pid, 7), 0.0), server(pid, 7)]
    for second in range(1, SECONDS + 1):
        processes = [
            totals(pid, 7, cpu_s * second, polls * second)
            for pid, (cpu_s, polls) in ((100, BUSY), (200, CALM))
        ]
        records.append(probe(frame(second, *processes, **lost), second))
    end = trailer(SECONDS)
    return summary(read(written(path, *records, {**end, "lost": {**end["lost"], **lost}})))


def lost_s(polls: float) -> tuple[float, float, float]:
    """CPU seconds of that many polls at skip 3, with the checks that do not poll."""
    checks = 3 * CHECK_S
    low, high = 3e-7, 3 * (CHECK_HIGH_S - CHECK_S)
    value = 6e-7 + checks
    return (
        polls * value,
        polls * (value - math.hypot(low, checks)),
        polls * (value + math.hypot(6e-8, high)),
    )


def test_the_first_sentence_has_cpus_their_ends_and_their_share(tmp_path: Path) -> None:
    found = two_sessions(tmp_path / "a")
    ends = [sum(both) for both in zip(lost_s(90_000), lost_s(6_000), strict=True)]
    lost = found.lost_cores
    assert [lost.value, lost.low, lost.high] == pytest.approx(ends, rel=0.002)
    assert lost.high - lost.value < 0.5 * (lost.value - lost.low)
    assert found.used_cores == pytest.approx(1.2)
    share = 100 * ends[0] / 1.2
    sentence = (
        f"Break polling takes {lost.value:.3f} CPUs [{lost.low:.3f}, {lost.high:.3f}] of the 1.20 "
        f"that are used ({share:.1f} %): 2 in-band."
    )
    for text in (report_text(found), re.sub(r"<[^>]*>", " ", report_page(found))):
        assert sentence in " ".join(text.split())
    data = report_data(found)
    assert data["lost_cores"] == lost.value
    assert data["lost_cores_ci95"] == [lost.low, lost.high]


def test_each_session_has_its_own_share_and_seconds(tmp_path: Path) -> None:
    busy, calm = report_data(two_sessions(tmp_path / "a"))["sessions"]
    for session, (cpu_s, polls) in ((busy, BUSY), (calm, CALM)):
        ends = lost_s(polls * SECONDS)
        assert session["lost_cpu_s"] == pytest.approx(ends[0], rel=0.002)
        assert session["lost_cpu_s_ci95"] == pytest.approx(ends[1:], rel=0.002)
        assert session["cpu_pct"] == pytest.approx(100 * ends[0] / SECONDS / cpu_s, rel=0.002)
        assert session["polls_per_s"] == pytest.approx(polls)
        assert session["polls_per_cpu_s"] == pytest.approx(polls / cpu_s)


def test_what_the_probe_lost_is_in_every_report(tmp_path: Path) -> None:
    clean, lossy = two_sessions(tmp_path / "a"), two_sessions(tmp_path / "b", runs=17)
    for view in (report_text, report_page):
        assert "Nothing lost." in view(clean)
        assert "LOST," not in view(clean)
        assert "Nothing lost." not in view(lossy)
        assert re.search(r"LOST, so counts are low: [^.]*17", view(lossy))
    data = report_data(lossy)
    assert data["quality"]["lost"]["runs"] == 17
    assert re.search(r"LOST, so counts are low: [^.]*17", diff_page_text(clean, lossy))


def diff_page_text(earlier: RecordingSummary, later: RecordingSummary) -> str:
    return re.sub(r"<[^>]*>", " ", diff_page(difference(earlier, later)))


def test_a_diff_weights_sessions_by_their_cpu_time(tmp_path: Path) -> None:
    found = two_sessions(tmp_path / "a")
    change = next(each for each in difference(found, found).changes if each.name == "lost")
    assert change.earlier is not None
    total = lost_s(90_000)[0] + lost_s(6_000)[0]
    assert change.earlier.value == pytest.approx(100 * total / 1.2, rel=0.002)
    low = 100 * (lost_s(90_000)[1] + lost_s(6_000)[1]) / 1.2
    assert change.earlier.low == pytest.approx(low, rel=0.002)


def test_a_recording_compared_with_itself_has_no_certain_change(tmp_path: Path) -> None:
    found = two_sessions(tmp_path / "a")
    changes = difference(found, found).changes
    assert all(each.change.value == 0 for each in changes if each.change)
    assert not any(each.change.excludes_zero for each in changes if each.change)
    assert "cannot be told from noise" in diff_text(difference(found, found))


def test_a_rate_that_drifts_as_recordings_do_is_noise_and_a_third_is_not(tmp_path: Path) -> None:
    def rate(factor: float, name: str) -> RecordingSummary:
        path = tmp_path / name
        records: list[dict[str, Any]] = [probe(probe_header(), 0.0), probe(process(100, 7), 0.0)]
        records += [server(100, 7), COST]
        for second in range(1, SECONDS + 1):
            polls = round(90_000 * factor * second)
            records.append(probe(frame(second, totals(100, 7, 0.9 * second, polls)), second))
        return summary(read(written(path, *records, trailer(SECONDS))))

    def certain(factor: float) -> bool:
        (change,) = (
            each
            for each in difference(
                rate(1.0, f"before {factor}"), rate(factor, f"after {factor}")
            ).changes
            if each.name == "break polls a CPU second"
        )
        return change.change is not None and change.change.excludes_zero

    assert not certain(1.05)
    assert certain(1.4)


def test_many_comparisons_make_one_less_certain(tmp_path: Path) -> None:
    change = difference(two_sessions(tmp_path / "a"), two_sessions(tmp_path / "b")).changes[3]
    alone, among = (replace(change, comparisons=n).change for n in (1, 5))
    assert alone is not None
    assert among is not None
    # Student's 1.96 becomes 2.58 for five.
    assert (among.high - among.value) / (alone.high - alone.value) == pytest.approx(1.314, rel=0.01)
    assert change.comparisons > 1


def test_the_plot_has_the_99th_percentile_of_cancels() -> None:
    forecasts = [
        SkipForecast(
            break_poll_skip=skip,
            polls_per_cpu_s=1e5 / skip,
            cpu_pct=Estimate(9.0 / skip, 8.0 / skip, 10.0 / skip),
            saved_pct=Estimate(0.0, 0.0, 0.0),
            cancel_ms=CancelLatency(median=0.01 * skip, p99=skip, worst=100 * skip),
            cancel_waiting_s=3 * skip,
        )
        for skip in (1, 10, 100)
    ]
    svg = forecast_plot("BREAK_POLL_SKIP", forecasts, 1, None)
    across = [float(x) for x in re.findall(r'<circle[^>]*cx="([\d.]+)"', svg)]
    # The axis of 1, 10 and 100 ms: from one end over its middle to the other.
    right = WIDTH - RIGHT
    assert across == pytest.approx([LEFT, (LEFT + right) / 2, right], abs=0.1)


@pytest.mark.parametrize(
    ("checks", "polls", "skip"), [(2_980, 1_000, 3), (3_020, 1_000, 3), (9_700, 100, 97)]
)
def test_the_skip_in_force_is_rounded_to_the_nearest(checks: int, polls: int, skip: int) -> None:
    found = measured_skip(Burst(checks, polls, 0.1))
    assert found is not None
    assert found.value == skip


def test_functions_that_chance_may_have_changed_are_left_out_of_a_diff(tmp_path: Path) -> None:
    # 400 samples each: 10 and 12 % in the check are noise, 10 and 30 % are not.
    ten, twelve, thirty = (
        summary(read(written(tmp_path / f"{checks}", *story(checks=checks))))
        for checks in (10, 12, 30)
    )
    noise, change = diff_text(difference(ten, twelve)), diff_text(difference(ten, thirty))
    assert "2 functions more, whose change cannot be told from noise" in noise
    assert "points  work" not in noise
    assert "points  work" in change
    assert "cannot be told from noise" not in change.partition("Functions, own share")[2]
    certain = {
        each["name"]: each["certain"] for each in diff_data(difference(ten, thirty))["functions"]
    }
    assert certain["work"] is True
    assert {each["certain"] for each in diff_data(difference(ten, twelve))["functions"]} == {False}
