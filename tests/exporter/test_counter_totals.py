# SPDX-License-Identifier: GPL-2.0-or-later
"""Sums that never fall, whatever the processes do."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from polltrace.breaks.break_mode import BreakMode
from polltrace.exporter.counter_totals import CounterTotals, Group
from polltrace.exporter.metrics import HostReading, families
from polltrace.profiles.frames import PollRate
from polltrace.watch.snapshot import ServerRow
from tests.watch.samples import row, snapshot

IN_BAND = Group("Oracle Database", "ORCL", BreakMode.IN_BAND)
OUT_OF_BAND = Group("Oracle Database", "ORCL", BreakMode.OUT_OF_BAND)


def seen(
    pid: int, cpu_s: float, polls: float, *, calibrated: bool = True, start: int = 7
) -> ServerRow:
    made = row(pid, polls=polls, cpu=50.0, mode=BreakMode.IN_BAND, calibrated=calibrated)
    return replace(made, cpu_s=cpu_s, polls=polls, start_ticks=start)


def after(*snapshots: list[ServerRow]) -> CounterTotals:
    totals = CounterTotals()
    for rows in snapshots:
        totals.take(snapshot(rows))
    return totals


def test_a_process_that_ends_leaves_what_it_did() -> None:
    sums = after([seen(1, 2.0, 1000), seen(2, 3.0, 500)], [seen(1, 2.5, 1100)]).copy()[IN_BAND]
    assert sums.cpu_s == pytest.approx(5.5)
    assert sums.polls == pytest.approx(1600)
    # A poll and the checks before it, and by how much both may be more or less.
    assert sums.lost_s == pytest.approx(1600 * 507.5e-9)
    assert sums.lost_low_s == pytest.approx(1600 * (507.5e-9 - math.hypot(50e-9, 7.5e-9)))
    assert sums.lost_high_s == pytest.approx(1600 * (507.5e-9 + math.hypot(50e-9, 22.5e-9)))


def test_what_is_not_known_of_the_rate_is_in_the_bounds() -> None:
    known, vague = seen(1, 2.0, 1000), seen(2, 2.0, 1000)
    vague = replace(vague, rate=PollRate(1000, 250, 2000))
    narrow, wide = (after([each]).copy()[IN_BAND] for each in (known, vague))
    assert wide.lost_s == narrow.lost_s
    # Three quarters less at least, and as much again at most.
    assert wide.lost_low_s < 0.26 * narrow.lost_s
    assert wide.lost_high_s > 1.98 * narrow.lost_s
    assert narrow.lost_low_s > 0.85 * narrow.lost_s


def test_a_reused_pid_begins_anew() -> None:
    sums = after([seen(1, 9.0, 1000)], [seen(1, 0.5, 10, start=8)]).copy()[IN_BAND]
    assert sums.cpu_s == pytest.approx(9.5)
    assert sums.polls == pytest.approx(1010)


def test_polls_are_costed_once_the_cost_per_poll_is_known() -> None:
    totals = after([seen(1, 1.0, 1000, calibrated=False)])
    assert totals.copy()[IN_BAND].lost_s == 0
    totals.take(snapshot([seen(1, 2.0, 3000)]))
    assert totals.copy()[IN_BAND].lost_s == pytest.approx(3000 * 507.5e-9)
    totals.take(snapshot([]))
    assert totals.copy()[IN_BAND].without_cost == 0


def test_polls_without_a_cost_per_poll_are_counted_apart() -> None:
    assert after([seen(1, 1.0, 1000, calibrated=False)], []).copy()[IN_BAND].without_cost == 1000


def test_a_session_that_turns_in_band_counts_there_from_then_on() -> None:
    before = replace(row(1), cpu_s=4.0)
    sums = after([before], [seen(1, 5.0, 300)]).copy()
    assert sums[OUT_OF_BAND].cpu_s == pytest.approx(4.0)
    assert sums[IN_BAND].cpu_s == pytest.approx(1.0)
    assert sums[IN_BAND].polls == pytest.approx(300)


def test_titles_cannot_make_series_without_end() -> None:
    rows = [replace(seen(pid, 1.0, 10), instance=f"S{pid}") for pid in range(1000)]
    sums = after(rows).copy()
    assert len(sums) == 65
    assert sum(each.cpu_s for each in sums.values()) == pytest.approx(1000)


def published(totals: CounterTotals) -> dict[str, float]:
    """The samples of the counters, by name."""
    reading = HostReading(snapshot([]), totals.copy(), {}, {}, (), 0.0)
    return {
        sample.name: sample.value
        for family in families(reading)
        for sample in family.samples
        if sample.labels.get("break_mode") == BreakMode.IN_BAND.value
    }


def test_an_unknown_cost_is_absent_and_not_zero() -> None:
    lost = [f"polltrace_break_poll_cpu_{end}seconds_total" for end in ("", "low_", "high_")]
    totals = after([seen(1, 2.0, 1000, calibrated=False)])
    assert published(totals)["polltrace_break_polls_total"] == 1000
    assert not published(totals).keys() & set(lost)
    # Once it is known, the polls so far have it too.
    totals.take(snapshot([seen(1, 2.0, 1000)]))
    assert [published(totals)[name] > 0 for name in lost] == [True] * 3
    assert published(totals)[lost[0]] == pytest.approx(1000 * 507.5e-9)
    # A session without polls loses nothing, which is known.
    assert [published(after([seen(2, 2.0, 0)]))[name] for name in lost] == [0.0] * 3
