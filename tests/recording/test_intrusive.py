# SPDX-License-Identifier: GPL-2.0-or-later
"""When checks are counted again: a busy host may interrupt a count, and the next regular one is
five minutes away."""

from __future__ import annotations

from pathlib import Path

import pytest

from polltrace.recording import read
from polltrace.recording.intrusive import IntrusiveMeasurements
from polltrace.recording.pollers import Pollers
from polltrace.recording.stream import CHECKS, GAPS
from tests.recording.samples import (
    frame,
    probe,
    probe_header,
    process,
    totals,
    trailer,
    written,
)

INTERRUPTED = {"calls": 0, "break_polls": 0, "seconds": 0.0, "error": "interrupted"}
COUNTED = {"calls": 30, "break_polls": 10, "seconds": 0.1}


@pytest.mark.parametrize(
    ("bursts", "counts"),
    [([COUNTED], 1), ([INTERRUPTED, COUNTED], 2), ([INTERRUPTED] * 9, 3)],
)
def test_until_one_has_seen_polls_and_three_times_at_most(
    bursts: list[dict[str, object]], counts: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    # GIVEN a process that polls, whose gaps have been timed
    pollers = Pollers(None, {})
    pollers.frame(frame(1, totals(100, 7, 0.5, 50_000)))
    measurements = IntrusiveMeasurements(pollers, {})
    monkeypatch.setattr(measurements, "_checks", lambda: (CHECKS, []))
    for round_s in (10, 400):
        timed = measurements.due(round_s)
        assert timed is not None
        assert timed[0] == GAPS
        list(measurements.ended(GAPS, round_s))
        # WHEN its checks are counted as often as that is due
        made = 0
        for burst in bursts:
            if measurements.due(round_s) is None:
                break
            made += 1
            measurements.seen(frame(1, totals(100, 7, 0.5, 9, burst=burst)))
            list(measurements.ended(CHECKS, round_s))
        # THEN that is over once polls were seen, and begins anew with the next round
        assert made == counts
        assert measurements.due(round_s) is None


def test_an_interrupted_count_does_not_replace_one_with_polls(tmp_path: Path) -> None:
    records = [probe(probe_header(), 0.0), probe(process(100, 7), 0.0)]
    for at_s, burst in ((2.0, INTERRUPTED), (3.0, COUNTED), (300.0, INTERRUPTED)):
        seen = frame(1, totals(100, 7, 0.5, 9, burst=burst))
        end = {"type": "trailer", "t_s": 1.0, "reason": "duration", "lost": {}}
        records += [probe(each, at_s, CHECKS) for each in (probe_header(), seen, end)]
    recording = read(written(tmp_path / "a", *records, trailer(300)))
    assert recording.bursts[100, 7].break_polls == COUNTED["break_polls"]
