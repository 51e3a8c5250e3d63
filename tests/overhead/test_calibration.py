# SPDX-License-Identifier: GPL-2.0-or-later
"""The cost of a poll by interval: the curve made of what polltrace-calibrate prints."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from polltrace.errors import HostError
from polltrace.intervals import Estimate, exactly
from polltrace.overhead.calibration import (
    ROUNDS,
    SLOW_ROUNDS,
    calibrate,
    calibration_running,
    cost_per_poll,
    cost_per_poll_by,
)
from polltrace.overhead.measurements import Durations
from polltrace.overhead.poll_cost import PollCost, constant


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
Rounds = dict[str, list[list[Any]]]
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
            'while [ "${1#-}" != "$1" ]; do [ "$1" = -t ] && shift || shift 2; done\n'
            'printf "["; comma=; for us; do printf "$comma"; cat "$us" || exit; comma=,; done\n'
            'printf "]"\n'
        )
        script.chmod(0o755)
        monkeypatch.setenv("POLLTRACE_CALIBRATE", str(script))
        return tmp_path / "asked"

    return made


def polls(*by_footprint: float, after: float | None = None) -> Rounds:
    """Eight rounds each, all alike; with polls, work takes `after` ns longer than these do."""
    return {
        "poll_ns": [[ns] * 8 for ns in by_footprint],
        "whole_ns": [[ns + after if after is not None else None] * 8 for ns in by_footprint],
    }


def test_the_cost_is_the_poll_and_what_it_makes_slower(tool: Tool) -> None:
    tool({10: polls(300, 600, 400, after=50)})
    found = cost_per_poll(10e-6)
    # The middle one of the footprints; all three are in the interval, and what ours is unlike.
    assert (found.value, found.low, found.high) == pytest.approx((450e-9, 225e-9, 675e-9))


def test_rarer_polls_cost_no_less(tool: Tool) -> None:
    tool({1: polls(500, after=0), 10: polls(600, after=0), 20: polls(400, after=0)})
    curve = calibrate([1e-6, 1e-5, 2e-5])
    assert [curve.at(s).value for s in (1e-6, 1e-5, 2e-5)] == pytest.approx([5e-7] * 3)
    tool({400: polls(900, after=0), 1000: polls(700, after=0), 2000: polls(2000, after=0)})
    slow = calibrate([4e-4, 1e-3, 2e-3])
    assert [slow.at(s).value for s in (4e-4, 1e-3)] == pytest.approx([8e-7] * 2)
    assert slow.at(2e-3).value == pytest.approx(2e-6)


def test_short_intervals_lie_on_a_line_over_the_logarithm(tool: Tool) -> None:
    tool(
        {
            1: polls(500, after=0),
            4: polls(700, after=0),
            16: polls(600, after=0),
            64: polls(3000, after=0),
        }
    )
    curve = calibrate([1e-6, 4e-6, 16e-6, 64e-6])
    quick = [curve.at(s) for s in (1e-6, 4e-6, 16e-6)]
    assert [cost.value for cost in quick] == pytest.approx([5.5e-7, 6e-7, 6.5e-7])
    # Half of it either way, as of a cost that was not moved.
    assert [cost.low for cost in quick] == pytest.approx([2.75e-7, 3e-7, 3.25e-7])
    # A long one is no part of it: by then more than the nearest caches has gone cold.
    assert curve.at(64e-6).value == pytest.approx(3e-6)


def test_the_line_rises_as_that_of_the_middle_footprint(tool: Tool) -> None:
    # Flat, by 100 ns for an interval twice as long, and one that leaps.
    tool(
        {
            4: polls(400, 500, 300, after=0),
            8: polls(400, 600, 500, after=0),
            16: polls(400, 700, 1600, after=0),
        }
    )
    costs = [cost for _, cost in calibrate([4e-6, 8e-6, 16e-6]).knots]
    # The middle ones are 400, 500 and 700; they rise by a sixth of 600 each time.
    middle = 1600e-9 / 3
    assert [cost.value for cost in costs] == pytest.approx([middle * 5 / 6, middle, middle * 7 / 6])


def test_two_short_intervals_are_a_line_too(tool: Tool) -> None:
    tool({4: polls(400, 500, 300, after=0), 16: polls(400, 600, 900, after=0)})
    costs = [cost for _, cost in calibrate([4e-6, 16e-6]).knots]
    # The middle ones are 400 and 600; they rise by two elevenths of 500.
    assert [cost.value for cost in costs] == pytest.approx([5e-6 / 11, 6e-6 / 11])
    assert [cost.high for cost in costs] == pytest.approx([7.5e-6 / 11, 6e-6 / 11 * 1.5])


def test_the_line_ends_at_sixty_microseconds(tool: Tool) -> None:
    tool({15: polls(100, 500, 600, after=0), 60: polls(700, 500, 800, after=0)})
    costs = [cost.value for _, cost in calibrate([15e-6, 60e-6]).knots]
    # The middle ones are 500 and 700; they rise by two sevenths of 600.
    assert costs == pytest.approx([6e-7 * 6 / 7, 6e-7 * 8 / 7])


def test_a_footprint_without_a_cost_neither_rises_nor_falls(tool: Tool) -> None:
    tool({4: polls(0, 500, 500, after=0), 16: polls(0, 600, 400, after=0)})
    costs = [cost.value for _, cost in calibrate([4e-6, 16e-6]).knots]
    assert costs == pytest.approx([450e-9] * 2)


def test_equal_costs_keep_intervals_of_their_own(tool: Tool) -> None:
    tool({100: polls(300, 300, 300, after=0), 200: polls(300, 300, 900, after=0)})
    costs = [cost for _, cost in calibrate([1e-4, 2e-4]).knots]
    assert [cost.value for cost in costs] == pytest.approx([3e-7] * 2)
    assert [cost.high for cost in costs] == pytest.approx([4.5e-7, 9e-7])


def test_unmeasured_slowing_is_its_usual_part(tool: Tool) -> None:
    tool({400: polls(200, 600, 400)})
    found = cost_per_poll(400e-6)
    # Two fifths of each poll, or none, or twice as much.
    assert (found.value, found.low, found.high) == pytest.approx((560e-9, 200e-9, 1080e-9))


def test_a_difference_lost_in_noise_counts_as_not_measured(tool: Tool) -> None:
    rests = [-1000, 900, 20, 30, -900, 1000, 10, 40]
    noisy = polls(400.0, 400.0, 400.0)
    noisy["whole_ns"] = [[400.0 + rest for rest in rests]] * 3
    tool({10: noisy})
    found = cost_per_poll(10e-6)
    assert (found.value, found.low, found.high) == pytest.approx((560e-9, 280e-9, 840e-9))
    # A difference that is as wide as the usual part still counts as measured.
    noisy["whole_ns"] = [[400.0 + rest for rest in (-110, -110, -110, 50, 50, 210, 210, 210)]] * 3
    tool({10: noisy})
    found = cost_per_poll(10e-6)
    assert (found.value, found.low, found.high) == pytest.approx((450e-9, 225e-9, 675e-9))


def test_slowing_is_measured_at_short_intervals_for_all(tool: Tool) -> None:
    tool({30: polls(300, 300, 300, after=100), 31: polls(500, 500, 500, after=9000)})
    curve = calibrate([30e-6, 31e-6])
    assert [cost.value for _, cost in curve.knots] == pytest.approx([400e-9, 600e-9])
    # Thirty is short: the median of 100 and 200.
    tool({20: polls(300, 300, 300, after=100), 30: polls(300, 300, 300, after=200)})
    curve = calibrate([20e-6, 30e-6])
    assert [cost.value for _, cost in curve.knots] == pytest.approx([450e-9, 450e-9])
    # Where all are long, at the first.
    tool({40: polls(300, 300, 300, after=60), 50: polls(500, 500, 500, after=9000)})
    curve = calibrate([40e-6, 50e-6])
    assert [cost.value for _, cost in curve.knots] == pytest.approx([360e-9, 560e-9])


def test_the_usual_part_is_of_the_polls_of_its_footprint(tool: Tool) -> None:
    tool({10: polls(100, 100, 100), 20: polls(300, 300, 300)})
    # Of both intervals together, the median is 200: 80 more for either.
    curve = calibrate([10e-6, 20e-6])
    assert [cost.value for _, cost in curve.knots] == pytest.approx([180e-9, 380e-9])


def test_rounds_that_lack_their_other_half_are_a_mistake(tool: Tool) -> None:
    torn = polls(300, 300, 300, after=50)
    torn["whole_ns"] = [values[1:] for values in torn["whole_ns"]]
    tool({10: torn})
    with pytest.raises(ValueError, match="longer"):
        cost_per_poll(10e-6)
    tool({100: polls(300, 300, 300, after=0), 200: polls(300, 300, after=0)})
    with pytest.raises(ValueError, match="longer"):
        calibrate([100e-6, 200e-6])


def test_a_poll_that_seems_to_take_less_than_no_time_takes_next_to_none(tool: Tool) -> None:
    tool({10: polls(-50, -50, -50)})
    found = cost_per_poll(10e-6)
    assert (found.value, found.low, found.high) == pytest.approx((1e-9, 0.0, 1.5e-9))


def test_long_intervals_have_fewer_rounds_and_all_have_limits(tool: Tool) -> None:
    same = polls(300, 300, 300, after=0)
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
    cost_per_poll(300e-6)
    calibrate([10e-6], rounds=77)
    assert asked.read_text().splitlines() == [
        f"-r {ROUNDS} -s tcp 10",
        f"-r {SLOW_ROUNDS} -s tcp 300",
        "-r 77 -s tcp 10",
    ]


def test_the_cost_by_a_command_that_runs_it_elsewhere(tool: Tool, tmp_path: Path) -> None:
    asked = tool({10: polls(300, 300, 300, after=0)})
    found = cost_per_poll_by(["env", str(tmp_path / "tool")], 10e-6)
    assert found.value == pytest.approx(300e-9)
    assert asked.read_text() == f"-r {ROUNDS} 10\n"


def test_input_typed_meanwhile_is_not_the_commands(tool: Tool, tmp_path: Path) -> None:
    """ssh reads what there is to read, wanted or not."""
    tool({10: polls(300, 300, 300, after=0)})
    (tmp_path / "typed").write_text("q")
    with (tmp_path / "typed").open() as typed:
        ours = os.dup(0)
        os.dup2(typed.fileno(), 0)
        try:
            cost_per_poll_by(["sh", "-c", 'cat >&2; exec "$0" "$@"', str(tmp_path / "tool")], 10e-6)
            assert os.read(0, 2) == b"q"
        finally:
            os.dup2(ours, 0)
            os.close(ours)


def test_a_failure_is_reported_without_the_programs_name() -> None:
    with pytest.raises(HostError, match=r"^no such socket$"):
        cost_per_poll_by(
            ["sh", "-c", "echo polltrace-calibrate: no such socket >&2; exit 4"], 10e-6
        )


def test_a_background_calibration_ends_with_us_and_prints_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    script, asked = tmp_path / "tool", tmp_path / "asked"
    os.mkfifo(asked)
    script.write_text(f'#!/bin/sh\necho noise\necho $$ "$@" > {asked}\nexec sleep 1000\n')
    script.chmod(0o755)
    monkeypatch.setenv("POLLTRACE_CALIBRATE", str(script))

    @calibration_running()
    def failing_measurement() -> None:
        pid, *options = asked.read_text().split()
        assert options == ["-r", "10000"]
        assert Path("/proc", pid).exists()
        raise HostError(pid)

    with pytest.raises(HostError) as failed:
        failing_measurement()
    assert not Path("/proc", str(failed.value)).exists()
    assert capfd.readouterr().out == ""


def test_a_longer_measurement_calibrates_for_longer() -> None:
    found = [Durations(sampled=seconds).calibration_rounds for seconds in (1, 8, 24, 3600)]
    assert found == [ROUNDS, ROUNDS, 3 * ROUNDS, 10 * ROUNDS]
