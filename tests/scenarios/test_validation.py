# SPDX-License-Identifier: GPL-2.0-or-later
"""What fits and validates the cost model: its arithmetic; neither uses the other's data."""

from __future__ import annotations

import math
import random
from dataclasses import replace
from pathlib import Path

import pytest

from bench.break_cost.fit import OTHER_HOSTS, _student, fitted
from bench.break_cost.page import clopper_pearson, page
from bench.break_cost.record import SessionRecord, missing, read_records
from bench.break_cost.truth import Turns, trimmed_mean
from bench.break_cost.workload import read_plan

FOLDER = Path("bench/break_cost")
GOOD = SessionRecord(
    driver="a driver",
    statement="a statement",
    kind="a kind",
    skip=3,
    at="2026-01-02 03:04:05",
    kernel="6.1",
    host="a processor",
    turns=500,
    saved_pct=(6.0, 5.9, 6.1),
    null_pct=(0.01, -0.1, 0.12),
    advised_pct=(6.3, 5.7, 6.9),
    first_pct=(9.0, 6.1, 12.0),
    model="2026-01-01",
    polls_per_cpu_s=100_000,
    timed_ns=300.0,
    calibrated_ns=400.0,
    sampled_pct=4.0,
    checks_pct=0.0,
    samples=10_000,
    waiting=0.01,
    steal=0.0,
    elsewhere=0.3,
)


def test_the_plans_share_no_statement_and_no_table() -> None:
    fit, validation = (read_plan(FOLDER / name) for name in ("fit.toml", "validate.toml"))
    assert not {each.sql for each in fit.statements.values()} & {
        each.sql for each in validation.statements.values()
    }
    assert not fit.statements.keys() & validation.statements.keys()
    assert len(validation.sessions) == len(set(validation.sessions)) >= 60
    assert len({each.kind for each in validation.statements.values()}) >= 8
    assert len({driver for driver, _, _ in validation.sessions}) == 4


def test_what_was_measured_belongs_to_the_plan() -> None:
    for name in ("fit", "validate"):
        plan = read_plan(FOLDER / f"{name}.toml")
        for record in read_records(FOLDER / f"{name}.jsonl"):
            assert record.key in plan.sessions


def test_the_truth_is_found_in_noise_and_an_a_a_finds_none() -> None:
    chance = random.Random(7)

    def cpu_s(share: float) -> float:
        # A shared machine: two per cent of noise, and one execution in twenty disturbed.
        noise = chance.gauss(1.0, 0.02) + (chance.random() < 0.05) * chance.expovariate(5)
        return 0.005 / (1 - share) * noise

    turns = Turns([(cpu_s(0.06), cpu_s(0.06), cpu_s(0.0), cpu_s(0.0)) for _ in range(2000)])
    assert turns.saved_pct.value == pytest.approx(6.0, abs=0.15)
    assert turns.saved_pct.low < 6 < turns.saved_pct.high
    assert turns.saved_pct.half_width < 0.15
    assert turns.null_pct.low < 0 < turns.null_pct.high


def test_the_interval_of_a_trimmed_mean_covers() -> None:
    chance, hits = random.Random(11), 0
    for _ in range(400):
        found = trimmed_mean([chance.gauss(1.0, 1.0) for _ in range(60)])
        hits += found.low <= 1.0 <= found.high
    assert 0.92 < hits / 400 < 0.98


def test_students_quantiles() -> None:
    # Any table: 4 degrees of freedom 2.776, 7 2.365, 30 2.042.
    assert [_student(free) for free in (4, 7, 30)] == pytest.approx([2.776, 2.365, 2.042], abs=0.01)


def test_clopper_and_pearsons_interval() -> None:
    assert clopper_pearson(57, 60) == pytest.approx((0.8608, 0.9896), abs=1e-4)
    assert clopper_pearson(0, 10) == pytest.approx((0.0, 0.3085), abs=1e-4)
    assert clopper_pearson(10, 10) == pytest.approx((0.6915, 1.0), abs=1e-4)


def planted(timed_rise: float = 0.0) -> list[SessionRecord]:
    """A poll costs twice its duration, and 3 ** 0.1 as much at three times the interval.
    Statements differ by 5 %, sessions of one by 2 %. `timed_rise`: of
    a rise by 0.1, the part that the duration does not have. Samples do not have it either."""
    chance, records = random.Random(3), []
    for number in range(40):
        of_it = math.exp(chance.gauss(0, 0.05))
        for skip in (1, 3):
            timed_ns = 300.0 * skip ** (0.1 - timed_rise)
            cost_ns = 2 * 300.0 * skip**0.1 * of_it * math.exp(chance.gauss(0, 0.02))
            saved = 100 * cost_ns * 1e-9 * 100_000 / skip
            records.append(
                replace(
                    GOOD,
                    statement=f"{number}",
                    skip=skip,
                    saved_pct=(saved, saved - 0.1, saved + 0.1),
                    polls_per_cpu_s=100_000 / skip,
                    timed_ns=timed_ns,
                    samples=10**9,
                )
            )
    return records


def test_a_fit_finds_what_was_planted() -> None:
    found = fitted(planted())
    factor, low, high = found["timed"]
    assert factor == pytest.approx(2.0, rel=0.03)
    assert (factor / low, high / factor) == pytest.approx((math.exp(0.109), math.exp(0.109)), 0.03)
    # Of two hosts' rises the middle; the other one's is a datum of the fit.
    middle = (0.1 + OTHER_HOSTS[0].rise) / 2
    assert found["rise"][0] == pytest.approx(middle, abs=0.01)
    assert 0 <= found["rise"][1] < found["rise"][0] < found["rise"][2] < 0.2
    assert found["timed_rise"] == pytest.approx(0.0, abs=0.01)
    assert found["highest_skip"] == 3
    assert found["errors_log"]["timed"]["statement"] == pytest.approx(0.05, rel=0.3)
    assert found["errors_log"]["timed"]["session"] == pytest.approx(0.02, rel=0.3)
    assert (found["provenance"]["sessions"], len(found["provenance"]["statements"])) == (80, 40)


def test_a_fit_finds_the_rise_that_durations_do_not_have() -> None:
    found = fitted(planted(timed_rise=0.04))
    assert found["timed_rise"] == pytest.approx(0.04, abs=0.01)
    assert found["timed"][0] == pytest.approx(2.0, rel=0.03)


def test_what_the_truth_is_uncertain_by_is_no_error_of_the_model() -> None:
    chance, noise = random.Random(5), 0.15

    def blurred(one: SessionRecord) -> SessionRecord:
        saved = one.saved.value * math.exp(chance.gauss(0, noise))
        half = 1.96 * noise * saved
        return replace(one, saved_pct=(saved, saved - half, saved + half))

    sharp, blunt = fitted(planted()), fitted([blurred(one) for one in planted()])
    for factor in ("timed", "sampled"):
        assert blunt[factor][0] == pytest.approx(sharp[factor][0], rel=0.06)
        wide = math.log(blunt[factor][2] / blunt[factor][0])
        # With the truth's own error it would be three times as wide.
        assert wide < 2 * math.log(sharp[factor][2] / sharp[factor][0])


def test_errors_that_cancel_make_a_mean_without_one() -> None:
    # Samples that miss a statement as far the other way.
    opposite = [
        replace(
            one, sampled_pct=one.saved.value**2 / (2e-7 * (one.timed_ns or 0) * one.polls_per_cpu_s)
        )
        for one in planted()
    ]
    assert fitted(opposite)["together"] < 0.1


def test_disturbed_sessions_are_measured_again_and_never_used() -> None:
    waited, stolen = replace(GOOD, waiting=0.3), replace(GOOD, steal=0.4)
    unequal = replace(GOOD, null_pct=(0.5, 0.4, 0.6))
    assert [bool(each.disturbance) for each in (GOOD, waited, stolen, unequal)] == [0, 1, 1, 1]
    plan = replace(read_plan(FOLDER / "fit.toml"), sessions=[GOOD.key, ("b", "c", 1)])
    assert missing(plan, [waited]) == [("b", "c", 1), GOOD.key]
    assert missing(plan, [waited, GOOD]) == [("b", "c", 1)]
    with pytest.raises(ValueError, match="three"):
        fitted([GOOD, replace(GOOD, statement="b"), replace(waited, statement="c")])


def test_the_page_counts_what_is_near_and_what_is_inside() -> None:
    far = replace(GOOD, skip=1, advised_pct=(9.0, 8.0, 10.0))
    text = page([GOOD, far, replace(GOOD, waiting=0.5)], 60)
    assert "2 of the plan's 60 sessions, over 1 statements; 1 measurements" in text
    assert "within 10 % in 1 of 2 (50 %), worst +50 %" in text
    assert "inside the interval in 1 of 2 (50 %, 95 % Clopper-Pearson 1 to 99 %)" in text
    assert "| 6.00 [5.90, 6.10] | 6.30 [5.70, 6.90] | +5.0 % | yes | 9.00 [6.10, 12.00] |" in text
    assert "| +50.0 % | no |" in text
    assert "it waited 50 % as long as it ran" in text
    assert "aimed at: intervals narrower than ±15 % (±10 %). Not reached: within 10 %" in text
    assert "(50 %); a coverage whose lower bound is above 90 % (1 %)." in text


def test_a_truth_that_is_nothing_has_no_error() -> None:
    nothing = replace(GOOD, skip=9, saved_pct=(-0.1, -0.3, 0.1), advised_pct=(0.05, 0.04, 0.07))
    beyond = replace(nothing, skip=8, advised_pct=(0.4, 0.3, 0.5))
    text = page([GOOD, nothing, beyond], 60)
    assert "within 10 % in 1 of 1 (100 %)" in text
    assert "In 2 more the truth cannot be told from nothing" in text
    assert "have a value in common in 1 of them" in text
    assert "| -0.10 [-0.30, 0.10] | 0.05 [0.04, 0.07] | - | - |" in text
