# SPDX-License-Identifier: GPL-2.0-or-later
"""Latency distributions: moments and percentiles against their definitions, in constant memory."""

from __future__ import annotations

import itertools
import json
import math
import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polltrace.latency import distribution
from polltrace.latency.distribution import Distribution, LatencySummary

values = st.lists(st.floats(0, 1e3, allow_nan=False), min_size=1, max_size=300)


def summary(found: list[float]) -> LatencySummary:
    made = Distribution()
    made.extend(found)
    result = made.summary()
    assert result is not None
    return result


@given(values)
def test_figures_by_their_definitions(found: list[float]) -> None:
    result, ordered = summary(found), sorted(found)
    assert (result.samples, result.minimum, result.maximum) == (len(found), min(found), max(found))
    assert result.mean == pytest.approx(statistics.fmean(found), abs=1e-9)
    assert result.deviation == pytest.approx(statistics.pstdev(found), abs=1e-6)
    assert result.p50.value == pytest.approx(statistics.median(found))
    for share, got in ((0.9, result.p90), (0.95, result.p95), (0.99, result.p99)):
        assert got == ordered[math.ceil(share * len(found)) - 1]
    steps = [abs(b - a) for a, b in itertools.pairwise(found)]
    assert result.jitter == pytest.approx(statistics.fmean(steps) if steps else 0.0, abs=1e-9)


@given(values, values)
def test_merged_samples_equal_one_distribution(first: list[float], second: list[float]) -> None:
    both = Distribution()
    both.extend(first)
    other = Distribution()
    other.extend(second)
    # As it comes from another process.
    both.merge(Distribution.of(json.loads(json.dumps(other.data()))))
    merged, whole = both.summary(), summary([*first, *second])
    assert merged is not None
    assert (merged.samples, merged.p99, merged.maximum) == (
        whole.samples,
        whole.p99,
        whole.maximum,
    )
    assert merged.mean == pytest.approx(whole.mean, abs=1e-9)
    assert merged.deviation == pytest.approx(whole.deviation, abs=1e-6)


def test_without_samples_there_is_no_figure() -> None:
    assert Distribution().summary() is None


def test_memory_stays_constant(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(distribution, "KEPT", 512)
    many, other = Distribution(), Distribution()
    many.extend(n / 10_007 for n in range(10_007))
    other.extend(n / 10_007 for n in range(31))
    for each in (many, other):
        assert len(each.data()["values"]) <= 512
    other.merge(many)
    assert len(other.data()["values"]) <= 512
    for found, samples in ((many.summary(), 10_007), (other.summary(), 10_038)):
        assert found is not None
        assert found.samples == samples
        assert found.p50.value == pytest.approx(0.5, abs=0.01)
        assert found.p99 == pytest.approx(0.99, abs=0.01)
        assert (found.minimum, found.maximum) == (0, 10_006 / 10_007)
