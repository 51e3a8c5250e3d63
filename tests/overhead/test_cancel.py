# SPDX-License-Identifier: GPL-2.0-or-later
"""How long a cancel waits, held against breaks drawn at random moments."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence

import pytest

from polltrace.overhead import cancel
from polltrace.overhead.cancel import Gaps, cancel_latency, on_cpu_gaps
from polltrace.profiles.frames import Bucket


def waits(lengths_ms: Sequence[float], skip: int, order: random.Random) -> list[float]:
    """Waits of breaks at random moments for the next poll, if one gap in `skip` ends in one."""
    ends, now = [], 0.0
    for at, length in enumerate(lengths_ms, 1):
        now += length
        if at % skip == 0:
            ends.append(now)
    moments = sorted(order.uniform(0, ends[-1]) for _ in range(20_000))
    at, found = 0, []
    for moment in moments:
        while ends[at] < moment:
            at += 1
        found.append(ends[at] - moment)
    return sorted(found)


# A check in 10 us, now and then an interrupt, seldom another process's turn.
LENGTHS = [(0.009, 800), (0.011, 800), (0.2, 8), (4.0, 1)]


@pytest.mark.parametrize("ratio", [1, 3, 10, 100])
def test_waits_at_every_skip_are_those_of_breaks_at_random_moments(ratio: int) -> None:
    order = random.Random(7)
    lengths = order.choices([ms for ms, _ in LENGTHS], [n for _, n in LENGTHS], k=160_000)
    seen = Gaps([(ms, float(n)) for ms, n in sorted(Counter(lengths).items())])
    truth = waits(lengths, ratio, order)
    found = cancel_latency(seen, 3, 3 * ratio)
    assert found is not None
    assert found.median == pytest.approx(truth[len(truth) // 2], rel=0.08)
    assert found.p99 == pytest.approx(truth[len(truth) * 99 // 100], rel=0.08)
    # The worst of these breaks falls into the longest gap, almost at its beginning; that two of
    # those come one after the other is not foreseen.
    assert truth[-1] * 0.5 < found.worst < 2 * truth[-1]


def test_a_long_gap_is_in_a_sum_of_its_own() -> None:
    # GIVEN gaps of which ten make one: a hundred sums of 10 ms, and one with the long gap in it
    found = cancel_latency(Gaps([(1.0, 1000.0), (500.0, 1.0)]), 3, 30)
    assert found is not None
    # THEN half of the time has passed within the short ones, and 99 % of it late in the long one
    mean = 1500 / 1001
    assert (found.median, found.p99, found.worst) == pytest.approx(
        (750 / 100.1, 0.99 * 1500 - 10 * 99.1, 9 * mean + 500)
    )


def test_no_more_gaps_are_singled_out_than_a_tenth_of_the_sums() -> None:
    # GIVEN eleven sums in a hundred for the longest gaps, and too few for the next
    found = cancel_latency(Gaps([(1.0, 1000.0), (50.0, 100.0), (500.0, 10.5)]), 3, 30)
    assert found is not None
    # THEN sums of the others have none, one, two of 50 ms, by the binomial distribution
    assert found.median == pytest.approx(88, rel=0.05)
    assert found.p99 == pytest.approx(500 + 9 * 6000 / 1100 - 0.01 * 11_250 / 10.5, rel=0.02)


def test_as_many_as_a_tenth_are_singled_out() -> None:
    # GIVEN ten long gaps for a hundred sums
    found = cancel_latency(Gaps([(1.0, 990.0), (500.0, 10.0)]), 3, 30)
    assert found is not None
    # THEN each is in a sum of its own, so none is left to chance: ninety of 10 ms, ten of 509
    assert found.median == pytest.approx((0.5 * (90 * 10 + 10 * 509) - 90 * 10) / 10)


def test_a_gap_at_a_skip_that_is_no_multiple_has_a_part_of_one_more() -> None:
    # GIVEN checks that come in pairs, 1 ms apart, and of five every two gaps are made
    found = cancel_latency(Gaps([(0.0, 1000.0), (1.0, 1000.0)]), 2, 5)
    assert found is not None
    # THEN a gap is two of these and a half of a third: 2.5 ms in one of eight
    assert found.worst == 2.5
    assert found.p99 == pytest.approx(2.5 - 8 * 0.01 * 1.25, abs=0.015)
    # Of one and a half, 0, 0.5, 1 and 1.5 ms are as likely.
    fewer = cancel_latency(Gaps([(0.0, 1000.0), (1.0, 1000.0)]), 2, 3)
    assert fewer is not None
    assert (fewer.median, fewer.worst) == pytest.approx((0.5, 1.5), abs=0.015)
    even = cancel_latency(Gaps([(2.0, 1000.0)]), 3, 10)
    assert even is not None
    assert (even.median, even.worst) == pytest.approx((20 / 6, 20 / 3))


def test_the_same_gaps_have_the_same_answer() -> None:
    def found() -> object:
        cancel._cancel_latency.cache_clear()
        return cancel_latency(Gaps([(1.0, 1000.0), (3.0, 700.0), (4.0, 300.0)]), 3, 10)

    assert found() == found()


def test_a_lower_skip_shares_out_the_usual_and_leaves_an_interruption_whole() -> None:
    seen = Gaps([(0.03, 1000.0), (4.0, 1.0)])
    found = cancel_latency(seen, 3, 1)
    assert found is not None
    assert found.worst == pytest.approx(4.0 - 0.03 + 0.01)
    usual = cancel_latency(Gaps([(0.03, 1000.0)]), 3, 1)
    assert usual is not None
    assert usual.median == pytest.approx(0.005)
    assert usual.worst == pytest.approx(0.01)


def test_a_lower_skip_polls_so_many_times_in_every_gap() -> None:
    seen = Gaps([(0.01, 100.0), (0.03, 100.0), (0.05, 10.0)])
    # Three polls for one: the usual gap is 30 us, and what is beyond stays in one piece.
    finer = Gaps([(0.01 / 3, 300.0), (0.01, 300.0 + 20.0), (0.03, 10.0)])
    found, expected = cancel_latency(seen, 3, 1), cancel_latency(finer, 1, 1)
    assert found is not None
    assert expected is not None
    assert (found.median, found.p99, found.worst) == pytest.approx(
        (expected.median, expected.p99, expected.worst)
    )


def test_without_gaps_there_is_no_latency() -> None:
    assert cancel_latency(Gaps([]), 3, 10) is None


def test_gaps_are_kept_up_to_the_time_on_cpu_and_a_little_more() -> None:
    # A second on CPU, two hundredths for the histogram's error, and a millisecond for the clocks.
    found = on_cpu_gaps([Bucket(1_000_000, 1_000_000, 2000)], on_cpu_s=1.0)
    assert found == Gaps([(1.0, 1021)], 979)
    several = [Bucket(3_000_000, 3_000_000, 4), Bucket(1_000_000, 1_000_000, 10)]
    several += [Bucket(2_000_000, 2_000_000, 10), Bucket(0, 0, 7)]
    assert on_cpu_gaps(several).spans == [(0.0, 7), (1.0, 10), (2.0, 10), (3.0, 4)]
    found = on_cpu_gaps(several, on_cpu_s=0.0196)
    assert found == Gaps([(0.0, 7), (1.0, 10), (2.0, 5)], 9)


def test_waits_for_the_client_are_no_gaps_on_cpu() -> None:
    # GIVEN a second in which 10 ms of gaps were on CPU and the rest were waits
    buckets = [Bucket(9_900, 10_100, 1000), Bucket(330_000_000, 330_000_001, 3)]
    assert on_cpu_gaps(buckets).dropped == 0
    found = on_cpu_gaps(buckets, on_cpu_s=0.01)
    assert found.dropped == 3
    assert found.spans == [(0.01, 1000)]
    # WHEN it was on CPU, or ready to be, all the while, THEN all are gaps
    assert on_cpu_gaps(buckets, on_cpu_s=1.0).dropped == 0
