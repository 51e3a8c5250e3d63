# SPDX-License-Identifier: GPL-2.0-or-later
"""The sequence that a session executes: weights, bind rows, intended starts and think times."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from polltrace.scenarios.load.load_plan import SessionPlan, think_times
from polltrace.scenarios.load.workload import BIND_ORDERS, ORDERS, ThinkTime

from .conftest import workload


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("bind_order", BIND_ORDERS)
def test_a_seed_gives_the_same_sequence_however_it_is_cut(order: str, bind_order: str) -> None:
    made = workload(order=order, bind_order=bind_order, rate=10.0)
    again, other = SessionPlan(made, 0, 7).entries(60), SessionPlan(made, 0, 8).entries(60)
    plan = SessionPlan(made, 0, 7)
    pieces = np.concatenate([plan.entries(count) for count in (1, 9, 20, 30)])
    assert (pieces[["statement", "row"]] == again[["statement", "row"]]).all()
    np.testing.assert_allclose(pieces["due_ns"], again["due_ns"])
    assert not (again == other).all()
    assert set(again["statement"].tolist()) == {0, 1}


def test_sequential_order_begins_with_the_first_and_keeps_weights() -> None:
    plan = SessionPlan(workload(order="sequential", bind_order="sequential"), 0, 1)
    entries = np.concatenate([plan.entries(3), plan.entries(9)])
    assert entries["statement"].tolist() == [0, 1, 1, 1] * 3
    rows = entries["row"][entries["statement"] == 1].tolist()
    assert rows == [0, 1, 2, 3, 4, 0, 1, 2, 3]


def test_semi_random_order_keeps_weights_in_every_round() -> None:
    statements = SessionPlan(workload(order="semi-random"), 0, 1).entries(400)["statement"]
    rounds = statements.reshape(100, 4)
    assert (rounds.sum(axis=1) == 3).all()
    assert len({tuple(each) for each in rounds.tolist()}) == 4


def test_random_order_keeps_weights_on_average() -> None:
    statements = SessionPlan(workload(), 0, 1).entries(40_000)["statement"]
    # Four standard deviations of a binomial count.
    assert abs(int(statements.sum()) - 30_000) < 4 * (40_000 * 0.75 * 0.25) ** 0.5


@pytest.mark.parametrize("bind_order", ["shuffled", "sequential"])
def test_every_row_is_used_once_in_each_pass(bind_order: str) -> None:
    plan = SessionPlan(workload(order="sequential", bind_order=bind_order), 0, 3)
    entries = plan.entries(4 * 5 * 10)
    rows = entries["row"][entries["statement"] == 1].reshape(-1, 5)
    assert all(sorted(each) == [0, 1, 2, 3, 4] for each in rows.tolist())
    assert (len({tuple(each) for each in rows.tolist()}) > 1) == (bind_order == "shuffled")


def test_sessions_begin_at_different_rows() -> None:
    made = workload(sessions=5, order="sequential", bind_order="sequential")
    firsts = [SessionPlan(made, n, 1).entries(2)["row"][1] for n in range(5)]
    assert sorted(firsts) == [0, 1, 2, 3, 4]


def test_constant_arrivals_of_all_sessions_are_equally_far_apart() -> None:
    made = workload(sessions=4, rate=100.0, arrivals="constant")
    starts = np.sort(
        np.concatenate([SessionPlan(made, n, 1).entries(50)["due_ns"] for n in range(4)])
    )
    assert starts[0] == 0
    np.testing.assert_allclose(np.diff(starts), 1e7, rtol=1e-6)


def test_poisson_arrivals_have_the_rate_and_no_memory() -> None:
    made = workload(sessions=4, rate=1000.0, arrivals="poisson")
    starts = np.sort(
        np.concatenate([SessionPlan(made, n, 5).entries(20_000)["due_ns"] for n in range(4)])
    )
    gaps = np.diff(starts[:60_000]) / 1e9
    assert gaps.mean() == pytest.approx(1e-3, rel=0.02)
    # Of an exponential distribution, the standard deviation equals the mean.
    assert gaps.std() == pytest.approx(gaps.mean(), rel=0.03)
    assert abs(np.corrcoef(gaps[:-1], gaps[1:])[0, 1]) < 0.02


@pytest.mark.parametrize(
    ("distribution", "values", "mean", "sd"),
    [
        ("constant", {"mean": 0.2}, 0.2, 0.0),
        ("exponential", {"mean": 0.2}, 0.2, 0.2),
        ("uniform", {"low": 0.1, "high": 0.3}, 0.2, 0.2 / 12**0.5),
        ("normal", {"mean": 0.2, "sd": 0.02}, 0.2, 0.02),
        ("lognormal", {"mean": 0.2, "sd": 0.1}, 0.2, 0.1),
    ],
)
def test_think_times_have_their_distribution(
    distribution: str, values: dict[str, float], mean: float, sd: float
) -> None:
    times = think_times(ThinkTime(distribution, values), np.random.default_rng(2), 200_000)
    assert times.mean() == pytest.approx(mean, rel=0.02)
    assert times.std() == pytest.approx(sd, rel=0.03, abs=1e-12)


def test_no_think_time_is_negative() -> None:
    think = ThinkTime("normal", {"mean": 0.01, "sd": 0.1})
    times = think_times(think, np.random.default_rng(2), 1000)
    assert times.min() == 0
    assert Counter(times > 0)[True] > 400
