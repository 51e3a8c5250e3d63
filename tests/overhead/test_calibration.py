# SPDX-License-Identifier: GPL-2.0-or-later
"""The cost of a poll by interval: the curve made of what polltrace-calibrate prints."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from polltrace.engines import BREAK_POLL, TIMER_CHECK
from polltrace.errors import HostError
from polltrace.intervals import Estimate, exactly
from polltrace.overhead.calibration import (
    CHECK_ROUNDS,
    ROUNDS,
    SLOW_ROUNDS,
    calibrate,
    calibrate_check,
    cost_per_check,
)
from polltrace.overhead.measurements import Durations
from polltrace.overhead.poll_cost import Knot, PollCost, constant

TEN = Knot(BREAK_POLL, 10)


def test_between_knots_by_the_logarithm_and_beyond_them_the_last() -> None:
    curve = PollCost([(1e-6, exactly(4e-7)), (1e-4, Estimate(8e-7, 6e-7, 1e-6))])
    assert curve.at(1e-7).value == 4e-7
    assert curve.at(1e-5).value == pytest.approx(6e-7)
    assert curve.at(1e-5).high == pytest.approx(7e-7)
    assert curve.at(1.0).value == 8e-7
    assert constant(exactly(5e-7)).at(1e-3).value == 5e-7


def test_a_slower_processor_has_the_same_curve_higher_up() -> None:
    curve = PollCost([(1e-6, Estimate(4.0, 2.0, 6.0)), (1e-4, Estimate(8.0, 6.0, 10.0))])
    slower = PollCost([(1e-6, Estimate(6.0, 3.0, 9.0)), (1e-4, Estimate(12.0, 9.0, 15.0))])
    assert curve.scaled(1.5) == slower


# The output of polltrace-calibrate, by interval in microseconds.
Rounds = dict[str, Any]
Printed = Mapping[int, Rounds]
Tool = Callable[[Printed], Path]


@pytest.fixture
def tool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Tool:
    """A polltrace-calibrate that prints the given rounds, and keeps its arguments in a file."""

    def made(printed: Printed) -> Path:
        for us, found in printed.items():
            (tmp_path / str(us)).write_text(json.dumps({"interval_us": us, **found}))
        script = tmp_path / "tool"
        script.write_text(
            f'#!/bin/sh\ncd {tmp_path}; echo "$@" >> asked\n'
            'while [ "${1#-}" != "$1" ]; do case $1 in -[it]) shift;; *) shift 2;; esac; done\n'
            'printf "["; comma=; for us; do printf "$comma"; cat "$us" || exit; comma=,; done\n'
            'printf "]"\n'
        )
        script.chmod(0o755)
        monkeypatch.setenv("POLLTRACE_CALIBRATE", str(script))
        return tmp_path / "asked"

    return made


def polls(*by_footprint: float) -> Rounds:
    """Eight rounds each, all alike."""
    return {"poll_ns": [[ns] * 8 for ns in by_footprint]}


def test_the_cost_is_that_of_the_middle_footprint_by_the_models_factor(tool: Tool) -> None:
    tool({10: polls(300, 600, 400)})
    found = cost_per_check(TEN).cost_s
    assert (found.value, found.low, found.high) == pytest.approx((400e-9, 200e-9, 600e-9))


def test_one_round_in_three_may_be_disturbed(tool: Tool) -> None:
    disturbed = {"poll_ns": [[9000, 400, 400, 400, 8000]] * 3}
    tool({10: disturbed})
    assert cost_per_check(TEN).cost_s.value == pytest.approx(400e-9)


class Told:
    """An Observer that keeps what it is told."""

    def __init__(self) -> None:
        self.remarks: list[str] = []

    def step(self, what: str) -> None:
        pass

    def remark(self, what: str) -> None:
        self.remarks.append(what)


@pytest.mark.parametrize(("waited", "remarked"), [(None, False), (0.05, False), (0.34, True)])
def test_a_disturbed_calibration_is_reported(
    tool: Tool, waited: float | None, remarked: bool
) -> None:
    quiet = polls(300, 300, 300)
    tool({10: quiet if waited is None else {**quiet, "waited": waited}, 400: quiet})
    told = Told()
    calibrate([10e-6, 400e-6], observer=told)
    assert bool(told.remarks) == remarked
    assert all("waited 34 % of its time for a processor" in each for each in told.remarks)
    assert cost_per_check(TEN).disturbed == (0.34 if remarked else None)


def test_a_disturbed_calibrations_interval_begins_with_its_cheapest_rounds(tool: Tool) -> None:
    """Others' work between the rounds makes most of them dearer, and none cheaper."""
    rounds = [[150, 300, 400, 400, 400, 400, 400, 400, 400, 400]] * 3
    quiet, busy = {"poll_ns": rounds, "waited": 0.0}, {"poll_ns": rounds, "waited": 0.5}
    tool({10: quiet})
    usual = cost_per_check(TEN).cost_s
    assert (usual.value, usual.low, usual.high) == pytest.approx((400e-9, 200e-9, 600e-9))
    tool({10: busy})
    less_known = cost_per_check(TEN).cost_s
    assert (less_known.value, less_known.high) == (usual.value, usual.high)
    assert less_known.low == pytest.approx(150e-9)


def test_rarer_polls_cost_no_less(tool: Tool) -> None:
    tool({1: polls(500), 10: polls(600), 20: polls(400)})
    curve = calibrate([1e-6, 1e-5, 2e-5])
    assert [curve.at(s).value for s in (1e-6, 1e-5, 2e-5)] == pytest.approx([5e-7] * 3)
    tool({400: polls(900), 1000: polls(700), 2000: polls(2000)})
    slow = calibrate([4e-4, 1e-3, 2e-3])
    assert [slow.at(s).value for s in (4e-4, 1e-3)] == pytest.approx([8e-7] * 2)
    assert slow.at(2e-3).value == pytest.approx(2e-6)


def test_a_negative_measurement_counts_as_almost_zero(tool: Tool) -> None:
    tool({10: polls(-50, -50, -50)})
    found = cost_per_check(TEN).cost_s
    assert (found.value, found.low, found.high) == pytest.approx((1e-9, 0.5e-9, 1.5e-9))


def test_long_intervals_have_fewer_rounds_and_all_have_limits(tool: Tool) -> None:
    same = polls(300, 300, 300)
    asked = tool(dict.fromkeys((1, 10, 299, 300, 10_000), same))
    curve = calibrate([10e-6, 0.1e-6, 10.2e-6, 5.0, 300e-6, 299e-6], "unix", threaded=True)
    assert [interval_s for interval_s, _ in curve.knots] == pytest.approx(
        [1e-6, 1e-5, 299e-6, 3e-4, 1e-2]
    )
    assert asked.read_text().splitlines() == [
        f"-r {ROUNDS} -s unix -t 1 10 299",
        f"-r {SLOW_ROUNDS} -s unix -t 300 10000",
    ]
    asked.unlink()
    calibrate([10e-6])
    cost_per_check(Knot(BREAK_POLL, 300))
    calibrate([10e-6], rounds=77)
    assert asked.read_text().splitlines() == [
        f"-r {ROUNDS} -s tcp 10",
        f"-r {SLOW_ROUNDS} 300",
        "-r 77 -s tcp 10",
    ]


def test_a_timers_check_is_measured_as_a_whole(tool: Tool) -> None:
    asked = tool({1024: polls(30_000, 30_000, 30_000)})
    found = cost_per_check(Knot(TIMER_CHECK, 1024)).cost_s
    assert found.value == pytest.approx(30e-6)
    assert asked.read_text() == f"-r {CHECK_ROUNDS} -i -c epoll_wait 1024\n"


def test_a_timer_is_set_no_faster_than_its_handler_runs(tool: Tool) -> None:
    """At a microsecond it would leave no time for the work between two."""
    asked = tool({1024: polls(30_000, 30_000, 30_000)})
    assert calibrate_check(TIMER_CHECK, [1e-6, 1e-3]).at(1e-6).value == pytest.approx(30e-6)
    assert asked.read_text() == f"-r {CHECK_ROUNDS} -i -c epoll_wait 1024\n"


def test_the_cost_by_a_command_that_runs_it_elsewhere(tool: Tool, tmp_path: Path) -> None:
    asked = tool({10: polls(300, 300, 300)})
    found = cost_per_check(TEN, ["env", str(tmp_path / "tool")]).cost_s
    assert found.value == pytest.approx(300e-9)
    assert asked.read_text() == f"-r {ROUNDS} 10\n"


def test_input_typed_meanwhile_is_not_the_commands(tool: Tool, tmp_path: Path) -> None:
    """ssh reads what there is to read, wanted or not."""
    tool({10: polls(300, 300, 300)})
    (tmp_path / "typed").write_text("q")
    with (tmp_path / "typed").open() as typed:
        ours = os.dup(0)
        os.dup2(typed.fileno(), 0)
        try:
            cost_per_check(TEN, ["sh", "-c", 'cat >&2; exec "$0" "$@"', str(tmp_path / "tool")])
            assert os.read(0, 2) == b"q"
        finally:
            os.dup2(ours, 0)
            os.close(ours)


def test_a_failure_is_reported_without_the_programs_name() -> None:
    with pytest.raises(HostError, match=r"^no such socket$"):
        cost_per_check(TEN, ["sh", "-c", "echo polltrace-calibrate: no such socket >&2; exit 4"])


def test_a_longer_measurement_calibrates_for_longer() -> None:
    found = [Durations(sampled=seconds).calibration_rounds for seconds in (1, 8, 24, 3600)]
    assert found == [ROUNDS, ROUNDS, 3 * ROUNDS, 10 * ROUNDS]
