# SPDX-License-Identifier: GPL-2.0-or-later
"""A count by time, divided among what ran then."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polltrace.statements.attribution import OUTSIDE, Busy, Readings, Share, attribute
from polltrace.statements.clock_alignment import align
from polltrace.statements.scheduler import SchedulerSample
from polltrace.statements.statement_costs import MeasuredProcess, TracedCall, join
from polltrace.statements.whereabouts import Interval, OnCpuSamples, blocked_in, on_cpu_in

READINGS = Readings([0, 100, 200, 300], [0.0, 7.0, 7.0, 20.0])


def test_a_span_that_one_statement_has_is_its_own() -> None:
    calls = [Busy("a", 10, 90), Busy("b", 210, 290)]
    assert attribute(calls, READINGS) == {"a": Share(7, 7, 7), "b": Share(13, 13, 13)}


def test_a_span_that_two_share_is_divided_by_their_time() -> None:
    calls = [Busy("a", 10, 90), Busy("a", 210, 230), Busy("b", 230, 290)]
    assert attribute(calls, READINGS) == {
        "a": Share(7 + 13 * 20 / 80, 7, 20),
        "b": Share(13 * 60 / 80, 0, 13),
    }


def test_a_waiting_statement_has_less_of_a_span() -> None:
    calls = [Busy("a", 200, 250, weight=0.25), Busy("b", 250, 300, weight=0.75)]
    shares = attribute(calls, READINGS)
    assert shares["a"].value == pytest.approx(13 / 4)
    assert shares[OUTSIDE] == Share(7, 7, 7)


def test_clocks_that_may_differ_widen_the_bounds() -> None:
    """Call `b` may have been in the first span, if its clock is 20 us ahead."""
    calls = [Busy("a", 10, 90), Busy("b", 110, 190)]
    shares = attribute(calls, READINGS, error_us=20)
    assert shares["a"] == Share(7, 0, 7)
    assert shares["b"].high == 7 + 13
    assert shares["b"].value == 0


@given(
    st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 900), st.integers(1, 300))),
    st.lists(st.integers(0, 50), min_size=11, max_size=11),
    st.integers(0, 40),
)
def test_the_shares_add_up_to_the_count(
    calls: list[tuple[str, int, int]], counts: list[int], error_us: int
) -> None:
    totals = [float(sum(counts[:i])) for i in range(11)]
    readings = Readings(list(range(0, 1100, 100)), totals)
    busy = [Busy(name, begin, begin + length) for name, begin, length in calls]
    shares = attribute(busy, readings, error_us)
    assert sum(each.value for each in shares.values()) == pytest.approx(totals[-1])
    for each in shares.values():
        assert each.low <= each.value + 1e-9
        assert each.value <= each.high + 1e-9


def test_the_same_clock_within_its_bounds() -> None:
    alignment = align(requested_us=1_000_000, first_tim_us=1_004_000, lag_us=300)
    assert alignment.is_same
    assert (alignment.offset_us, alignment.error_us) == (0, 300)


def test_another_clock_has_the_least_lag() -> None:
    alignment = align(requested_us=5_000_000, first_tim_us=1_004_000, lag_us=3_997_000)
    assert not alignment.is_same
    assert (alignment.offset_us, alignment.low_us) == (3_997_000, 3_996_000)


def test_bounds_that_contradict_each_other() -> None:
    with pytest.raises(ValueError, match="of another host"):
        align(requested_us=5_000_000, first_tim_us=1_004_000, lag_us=-3_000_000)


def call(statement: str, began_us: int, ended_us: int) -> TracedCall:
    return TracedCall(statement, "", "EXEC", ended_us, ended_us - began_us, 1, 0, 0)


def test_what_comes_after_the_last_call_is_not_between_calls() -> None:
    readings = Readings([0, 100, 200, 300, 400, 500], [0.0, 3.0, 5.0, 12.0, 25.0, 42.0])
    measured = MeasuredProcess(readings, [], OnCpuSamples([], []), None)
    calls = [call("a", 10, 60), call("b", 210, 250)]
    joined = join(calls, [], measured, align(0, 0, 0), ["why"])
    assert joined.outside.polls == Share(2, 2, 2)
    # The span in which the last call ended is most likely its own.
    assert [each.polls.value for each in joined.statements] == pytest.approx([3, 7], rel=1e-4)
    assert joined.statements[1].polls.low == 0
    assert joined.trailing.polls.value == pytest.approx(30, rel=1e-4)
    assert (joined.trailing.polls.low, joined.trailing.polls.high) == (30, 37)
    assert joined.trailing_s == pytest.approx(250e-6)
    assert joined.missing == ("why",)


def test_samples_on_cpu_are_of_the_calls_of_their_span() -> None:
    calls = [Busy("a", 10, 90), Busy("a", 210, 230), Busy("b", 230, 290)]
    samples = OnCpuSamples([0, 100, 200, 300], [{"f": 4}, {"g": 9}, {"f": 8, "h": 4}])
    found = on_cpu_in(calls, samples, 0)
    assert found == {"a": {"f": 4 + 8 * 20 / 80, "h": 1}, "b": {"f": 6, "h": 3}}


def test_blocked_samples_are_of_the_call_that_they_are_in_but_for_its_traced_waits() -> None:
    def sample(at_us: int, blocked: str) -> SchedulerSample:
        return SchedulerSample(at_us, 0, 0, 0, 0, blocked)

    calls = [Busy("b", 300, 400), Busy("a", 100, 200)]
    samples = [sample(at, "read") for at in (50, 99, 201, 250, 401)]  # between calls
    samples += [sample(at, "fdatasync") for at in (110, 200, 300)]
    samples += [sample(at, "poll") for at in (120, 140)]  # a wait of the trace
    samples += [sample(at, "") for at in (150, 160)]  # it runs
    found = blocked_in(calls, [Interval(310, 320), Interval(115, 140)], samples)
    assert found == {"a": {"fdatasync": 2}, "b": {"fdatasync": 1}}
