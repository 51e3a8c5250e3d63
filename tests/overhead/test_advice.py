# SPDX-License-Identifier: GPL-2.0-or-later
"""The advice from a session's rate, its stacks and the cost per poll, by figures easy to check.

A session half of its time on CPU polls 50,000 times a second: 100,000 a CPU second, one in 10 us.
At 600 ns each that is 6 % of its CPU, and the 200,000 checks that do not poll could be 0.3 % more.
"""

from __future__ import annotations

from dataclasses import asdict, replace

import pytest

from polltrace.breaks.break_mode import BreakMode
from polltrace.breaks.why import Cause
from polltrace.intervals import Estimate, exactly, proportion
from polltrace.overhead import cost_model
from polltrace.overhead.advice import Advice, Extras, advice
from polltrace.overhead.advice_report import advice_data, advice_text
from polltrace.overhead.advice_report.units import ms
from polltrace.overhead.estimates import combined
from polltrace.overhead.forecast import CancelLimits
from polltrace.overhead.poll_cost import PollCost, constant
from polltrace.overhead.session_load import SessionLoad
from polltrace.profiles.frames import Bucket, Burst, PollRate
from polltrace.profiles.sampled import NamedStack
from polltrace.servers.servers import Server
from tests.plain_model import PLAIN
from tests.watch.samples import named_stack, server

LOAD = SessionLoad(busy=0.5, rate=PollRate(50_000, 49_000, 51_000))
IDLE = SessionLoad(busy=0.0, rate=PollRate(0.0, 0.0, 0.0))
COST = constant(Estimate(600e-9, 570e-9, 630e-9))
POLL = "poll sntpoltsts snttmoredata nsmore2recv nioqts kcbgtcr main"
CHECK = "nsmore2recv nioqts kcbgtcr main"
WORK = "sqlite3VdbeExec opifch2 main"
NAMELESS = "[oracle+0x10] [oracle+0x20]"


def samples(polling: int, checking: int, working: int) -> list[NamedStack]:
    return [
        named_stack(POLL, polling, check=True),
        named_stack(CHECK, checking, check=True),
        named_stack(WORK, working),
    ]


def advised(
    load: SessionLoad = LOAD,
    poll_cost: PollCost | None = COST,
    stacks: list[NamedStack] | None = None,
    extras: Extras = Extras(),
    of: Server | None = None,
) -> Advice:
    found = samples(60, 3, 937) if stacks is None else stacks
    return advice(of or server(102), load, poll_cost=poll_cost, stacks=found, extras=extras)


def test_counted_is_the_polls_by_their_cost_and_the_checks_between() -> None:
    found = advised()
    assert (found.server, found.mode) == (server(102), BreakMode.IN_BAND)
    assert (found.poll_cost_s, found.skip) == (Estimate(600e-9, 570e-9, 630e-9), 3)
    # Of the samples, 0.3 % [0.10, 0.88] are checks that do not poll; more they cannot be.
    seen = proportion(3, 1000)
    checks = found.checks
    assert (checks.value, checks.low, checks.high) == pytest.approx((0.3, seen.low, 0.3))
    assert found.counted.value == pytest.approx(6.3)
    # The polls' own interval is 5.4 % of 6 either way, and that of the checks 0.198 below.
    assert found.counted.high == pytest.approx(6.3 + 0.3231, abs=1e-3)
    assert found.counted.low == pytest.approx(6.3 - (0.3231**2 + 0.1979**2) ** 0.5, abs=1e-3)
    assert found.sampled is not None
    assert (found.sampled.value, found.sampled.high) == pytest.approx(
        (6.3, proportion(63, 1000).high)
    )
    assert (found.choice.agree, found.choice.trusted) == (True, "both")
    assert found.sampled is not None
    assert found.chosen == combined(found.counted, found.sampled)
    assert found.cpu_pct.value == pytest.approx(6.3)
    assert found.cpu_pct.low == pytest.approx(found.chosen.low, abs=0.1)
    assert found.cpu_pct.high == pytest.approx(found.chosen.high, abs=0.1)


def test_every_usual_skip_is_forecast_and_the_one_in_force() -> None:
    assert [each.break_poll_skip for each in advised().forecast] == [1, 3, 10, 30, 100, 300, 1000]
    burst = Burst(7_000, 1_000, 0.02)
    seven = advised(extras=Extras(burst=burst))
    assert (seven.skip, seven.skip_in_force.configured) == (7, 3)
    assert [each.break_poll_skip for each in seven.forecast][:4] == [1, 3, 7, 10]
    assert seven.cpu_pct == seven.forecast[2].cpu_pct
    assert seven.forecast[2].saved_pct.value == pytest.approx(0)
    # At one check in 1,000, polls cost next to nothing: only the cost of the checks remains.
    assert advised().forecast[-1].cpu_pct.value == pytest.approx((6 * 0.003 + 0.3) / 0.94, rel=1e-3)
    assert advised().forecast[0].cancel_waiting_s == 3
    # Out-of-band neither is left.
    assert advised().out_of_band_saved.value == pytest.approx(6.3)


def test_timed_gaps_give_the_cancel_latency() -> None:
    buckets = (Bucket(9_900, 10_100, 1000), Bucket(330_000_000, 330_000_001, 3))
    found = advised(extras=Extras(gaps=buckets, timed_cpu_s=0.01))
    assert found.gaps.dropped == 3
    waits = {each.break_poll_skip: each.cancel_ms for each in found.forecast}
    at_3, at_30 = waits[3], waits[30]
    assert at_3 is not None
    assert at_30 is not None
    assert at_3.worst == pytest.approx(0.01)
    assert at_30.worst == pytest.approx(0.1)
    assert {each.cancel_ms for each in advised().forecast} == {None}


def test_samples_are_chosen_where_they_show_more_than_was_counted() -> None:
    found = advised(stacks=samples(200, 3, 797))
    assert (found.choice.trusted, found.choice.agree) == ("sampled", False)
    assert found.sampled == proportion(203, 1000)
    # The forecast begins at the samples' estimate, and takes the checks off before it scales.
    assert found.cpu_pct.value == pytest.approx(20.3)
    assert found.cpu_pct.low == pytest.approx(found.sampled.low, abs=0.1)
    assert found.cpu_pct.high == pytest.approx(found.sampled.high, abs=0.1)
    assert found.out_of_band_saved.value == pytest.approx(20.3)
    # Without a forecast it is the estimate itself.
    quiet = advised(stacks=samples(200, 3, 797), of=server(102, owner=102), load=UNPOLLED)
    assert (quiet.choice.trusted, quiet.cpu_pct) == ("sampled", quiet.sampled)


def test_samples_may_show_less_than_one_per_cent() -> None:
    # For a session that polls 1,000 times a CPU second the counted estimate is 0.06 %.
    seldom = SessionLoad(busy=0.5, rate=PollRate(500, 490, 510))
    found = advised(load=seldom, stacks=samples(90, 0, 9910))
    assert found.choice.trusted == "sampled"
    assert found.cpu_pct.value == pytest.approx(0.9)
    assert found.out_of_band_saved.value == pytest.approx(0.9)


UNPOLLED = SessionLoad(busy=0.5, rate=PollRate(0.0, 0.0, 30.0))


def test_a_session_that_does_not_poll_is_out_of_band_and_has_no_forecast() -> None:
    found = advised(load=UNPOLLED, stacks=samples(0, 0, 500), of=server(102, owner=102))
    assert (found.mode, found.why.cause) == (BreakMode.OUT_OF_BAND, Cause.NOT_IN_BAND)
    assert (found.forecast, found.reason) == ([], "")
    assert found.cpu_pct == found.counted
    assert found.counted.value == 0
    assert found.out_of_band_saved.value == 0


def test_one_poll_in_two_seconds_is_a_poll() -> None:
    seldom = SessionLoad(busy=0.5, rate=PollRate(0.5, 0.4, 0.6))
    # The owner of its socket could not be read: the poll alone shows that it is in-band.
    found = advised(load=seldom, stacks=[], of=server(102, owner=None))
    assert found.mode is BreakMode.IN_BAND
    assert found.forecast
    unpolled = advised(load=UNPOLLED, stacks=[], of=server(102, owner=None))
    assert unpolled.mode is BreakMode.UNKNOWN


def test_with_exact_polls_only_the_checks_are_uncertain() -> None:
    # At a skip of 30 the checks that do not poll may take all that the samples leave them.
    load = SessionLoad(busy=0.5, rate=PollRate(50_000, 50_000, 50_000))
    extras = Extras(burst=Burst(30_000, 1_000, 0.02))
    few = samples(5, 3, 992)  # so few that the counted estimate is chosen
    found = advised(load=load, poll_cost=constant(exactly(600e-9)), extras=extras, stacks=few)
    checks = proportion(3, 1000)
    assert (found.choice.trusted, found.checks) == ("counted", checks)
    assert (found.cpu_pct.value, found.cpu_pct.low, found.cpu_pct.high) == pytest.approx(
        (6.3, 6 + checks.low, 6 + checks.high)
    )


def test_whether_an_idle_session_polls_is_not_known() -> None:
    assert "hardly on CPU" in " ".join(advised(load=IDLE, stacks=[]).why.evidence)
    working = " ".join(advised(load=UNPOLLED, stacks=[]).why.evidence)
    assert "made no break poll" in working
    polling = advised(stacks=[])
    assert "break polls were seen" in " ".join(polling.why.evidence)
    assert polling.reason == polling.why.reason != ""


def test_without_a_cost_per_poll_nothing_costs_anything() -> None:
    found = advised(poll_cost=None)
    assert (found.counted, found.checks) == (exactly(0), exactly(0))
    assert (found.forecast, found.out_of_band_saved) == ([], exactly(0))
    assert found.load.polls_per_cpu_s == 100_000


def test_the_cost_per_poll_is_that_of_the_sessions_own_interval() -> None:
    curve = PollCost([(1e-6, exactly(1e-7)), (1e-5, exactly(6e-7)), (1e-4, exactly(9e-7))])
    found = advised(poll_cost=curve)
    assert found.poll_cost_s.value == pytest.approx(6e-7)


def test_the_cost_rises_with_the_interval_as_the_model_has_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    flat = next(each for each in advised().forecast if each.break_poll_skip == 30)
    monkeypatch.setattr(cost_model, "_shipped", lambda: replace(PLAIN, rise=exactly(0.2)))
    risen = next(each for each in advised().forecast if each.break_poll_skip == 30)
    # Ten times the interval, and what the work takes less at that skip; the checks stay.
    more = 10**0.2
    assert risen.cpu_pct.value - 0.3 == pytest.approx(more * (flat.cpu_pct.value - 0.3), rel=0.03)
    assert advised().out_of_band_saved.value == pytest.approx(6.3)


def test_samples_without_names_are_no_estimate() -> None:
    # Of 1,000 samples 60 are expected in the check, of 100 fewer than ten.
    assert advised(stacks=[named_stack(NAMELESS, 1000)]).sampled is None
    assert advised(stacks=[named_stack(NAMELESS, 100)]).sampled == proportion(0, 100)
    # With the engine's own names, no sample in the check means zero.
    named = [named_stack("nioqts main", 1), named_stack(NAMELESS, 999)]
    assert advised(stacks=named).sampled == Estimate(0.0, 0.0, proportion(0, 1000).high)
    assert advised(stacks=[]).sampled is None


def test_ten_expected_samples_are_not_yet_enough_to_miss() -> None:
    cost = constant(exactly(500e-9))
    assert advised(poll_cost=cost, stacks=[named_stack(NAMELESS, 200)]).sampled is not None
    assert advised(poll_cost=cost, stacks=[named_stack(NAMELESS, 201)]).sampled is None


def test_checks_that_nobody_sampled_take_no_longer_than_ten_nanoseconds_each() -> None:
    for stacks in ([], [named_stack(NAMELESS, 100)]):
        found = advised(stacks=stacks).checks
        assert (found.value, found.low, found.high) == pytest.approx((0.075, 0.0, 0.3))
    many = advised(stacks=samples(60, 40, 900)).checks
    assert (many.value, many.low, many.high) == pytest.approx((0.3, 0.3, 0.3))


def test_samples_below_the_checks_scale_polls_to_nothing_and_not_below() -> None:
    unsure = replace(LOAD, rate=PollRate(50, 49, 51))
    found = advised(load=unsure, stacks=samples(0, 900, 100))
    assert found.choice.trusted == "sampled"
    assert all(each.cpu_pct.low >= 0 for each in found.forecast)


def test_the_saving_that_the_process_missed_so_far() -> None:
    found = advised(extras=Extras(job_cpu_s=200.0))
    thirty = next(each for each in found.forecast if each.break_poll_skip == 30)
    assert found.saved_s(thirty) == pytest.approx(2 * thirty.saved_pct.value)
    assert advised().saved_s(thirty) is None


def test_the_cost_of_counting_is_reported_in_per_cent() -> None:
    assert advised(extras=Extras(probe_s_per_poll=200e-9)).probe_added_pct == pytest.approx(2)


def test_the_reason_for_an_unmeasured_skip_is_reported() -> None:
    assert "its checks were not counted" in advised().skip_in_force.how
    found = advised(extras=Extras(why_not_burst="no symbol"))
    assert "no symbol" in found.skip_in_force.how
    edited = replace(
        server(102), settings=replace(server(102).settings, changed_at=1000.0), started_at=900.0
    )
    late = advised(of=edited, extras=Extras(started_at=900.0))
    assert "after the process started" in late.skip_in_force.finding


def test_text_and_data_have_the_bounds_in_order() -> None:
    # GIVEN skewed intervals, and gaps whose median, 99th percentile and longest are far apart
    gaps = (Bucket(10_000, 10_001, 9_000), Bucket(5_000_000, 5_000_001, 5))
    found = advised(extras=Extras(gaps=gaps))
    cancel = found.forecast[0].cancel_ms
    assert cancel is not None
    assert cancel.median < cancel.p99 < cancel.worst
    # THEN the data has the lower end first, and each latency by its name
    data = advice_data(found, CancelLimits())
    for forecast, entry in zip(found.forecast, data["forecast"], strict=True):
        assert entry["cpu_pct_ci95"] == [forecast.cpu_pct.low, forecast.cpu_pct.high]
        assert entry["saved_pct_ci95"] == [forecast.saved_pct.low, forecast.saved_pct.high]
        assert forecast.cancel_ms is not None
        assert entry["cancel_ms"] == asdict(forecast.cancel_ms)
    assert data["cpu_pct_ci95"][0] < data["cpu_pct"] < data["cpu_pct_ci95"][1]
    # AND the table has them in the order of its heading
    lines = advice_text(found, CancelLimits()).splitlines()
    line = next(line for line in lines if line.split()[:1] == ["1"])
    assert f"{ms(cancel.median)} {ms(cancel.p99)} {ms(cancel.worst)}" in " ".join(line.split())
