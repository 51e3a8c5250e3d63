# SPDX-License-Identifier: GPL-2.0-or-later
"""The price of a poll by its pace: the curve, and what is made of what polltrace-price prints."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from polltrace.errors import HostError
from polltrace.intervals import Estimate, exactly
from polltrace.overhead.looks import Durations
from polltrace.overhead.price import (
    ROUNDS,
    SLOW_ROUNDS,
    PriceCurve,
    flat,
    price_curve,
    price_s,
    priced_by,
    pricing_beside,
)


def test_between_knots_by_the_logarithm_and_beyond_them_the_last() -> None:
    curve = PriceCurve([(1e-6, exactly(4e-7)), (1e-4, Estimate(8e-7, 6e-7, 1e-6))])
    assert curve.at(1e-7).value == 4e-7
    assert curve.at(1e-5).value == pytest.approx(6e-7)
    assert curve.at(1e-5).high == pytest.approx(7e-7)
    assert curve.at(1.0).value == 8e-7
    assert flat(exactly(5e-7)).at(1e-3).value == 5e-7


def test_a_slower_processor_has_the_same_curve_higher_up() -> None:
    curve = PriceCurve([(1e-6, Estimate(4.0, 2.0, 6.0)), (1e-4, Estimate(8.0, 6.0, 10.0))])
    slower = PriceCurve([(1e-6, Estimate(6.0, 3.0, 9.0)), (1e-4, Estimate(12.0, 9.0, 15.0))])
    assert curve.times(1.5) == slower


# What polltrace-price would print, by pace in microseconds.
Rounds = dict[str, list[list[Any]]]
Printed = Mapping[int, Rounds]
Tool = Callable[[Printed], Path]


@pytest.fixture
def tool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Tool:
    """A polltrace-price that prints what it is told to, and keeps what it was asked."""

    def made(printed: Printed) -> Path:
        for pace, found in printed.items():
            (tmp_path / str(pace)).write_text(json.dumps({"pace_us": pace, **found}))
        script = tmp_path / "price"
        script.write_text(
            f'#!/bin/sh\ncd {tmp_path}; echo "$@" >> asked\n'
            'while [ "${1#-}" != "$1" ]; do [ "$1" = -t ] && shift || shift 2; done\n'
            'printf "["; comma=; for pace; do printf "$comma"; cat "$pace" || exit; comma=,; done\n'
            'printf "]"\n'
        )
        script.chmod(0o755)
        monkeypatch.setenv("POLLTRACE_PRICE", str(script))
        return tmp_path / "asked"

    return made


def polls(*by_footprint: float, after: float | None = None) -> Rounds:
    """Eight rounds each, all alike; with polls, work takes `after` ns longer than these do."""
    return {
        "poll_ns": [[ns] * 8 for ns in by_footprint],
        "whole_ns": [[ns + after if after is not None else None] * 8 for ns in by_footprint],
    }


def test_a_price_is_the_poll_and_what_it_makes_slower(tool: Tool) -> None:
    tool({10: polls(300, 600, 400, after=50)})
    found = price_s(10e-6)
    # The middle one of the footprints; all three are in the interval, and what ours is unlike.
    assert (found.value, found.low, found.high) == pytest.approx((450e-9, 225e-9, 675e-9))


def test_what_comes_more_seldom_is_none_the_cheaper(tool: Tool) -> None:
    tool({1: polls(500, after=0), 10: polls(600, after=0), 20: polls(400, after=0)})
    curve = price_curve([1e-6, 1e-5, 2e-5])
    assert [curve.at(pace).value for pace in (1e-6, 1e-5, 2e-5)] == pytest.approx([5e-7] * 3)
    tool({400: polls(900, after=0), 1000: polls(700, after=0), 2000: polls(2000, after=0)})
    slow = price_curve([4e-4, 1e-3, 2e-3])
    assert [slow.at(pace).value for pace in (4e-4, 1e-3)] == pytest.approx([8e-7] * 2)
    assert slow.at(2e-3).value == pytest.approx(2e-6)


def test_quick_paces_lie_on_a_line_over_the_logarithm(tool: Tool) -> None:
    tool(
        {
            1: polls(500, after=0),
            4: polls(700, after=0),
            16: polls(600, after=0),
            64: polls(3000, after=0),
        }
    )
    curve = price_curve([1e-6, 4e-6, 16e-6, 64e-6])
    quick = [curve.at(pace) for pace in (1e-6, 4e-6, 16e-6)]
    assert [price.value for price in quick] == pytest.approx([5.5e-7, 6e-7, 6.5e-7])
    # Half of it either way, as of a price that was not moved.
    assert [price.low for price in quick] == pytest.approx([2.75e-7, 3e-7, 3.25e-7])
    # A slow one is no part of it: by then more than the nearest caches has gone cold.
    assert curve.at(64e-6).value == pytest.approx(3e-6)


def test_the_line_rises_as_that_of_the_middle_footprint(tool: Tool) -> None:
    # Flat, by 100 ns for a pace twice as long, and one that leaps.
    tool(
        {
            4: polls(400, 500, 300, after=0),
            8: polls(400, 600, 500, after=0),
            16: polls(400, 700, 1600, after=0),
        }
    )
    prices = [price for _, price in price_curve([4e-6, 8e-6, 16e-6]).knots]
    # The middle ones are 400, 500 and 700; they rise by a sixth of 600 each time.
    middle = 1600e-9 / 3
    assert [price.value for price in prices] == pytest.approx(
        [middle * 5 / 6, middle, middle * 7 / 6]
    )


def test_two_quick_paces_are_a_line_too(tool: Tool) -> None:
    tool({4: polls(400, 500, 300, after=0), 16: polls(400, 600, 900, after=0)})
    prices = [price for _, price in price_curve([4e-6, 16e-6]).knots]
    # The middle ones are 400 and 600; they rise by two elevenths of 500.
    assert [price.value for price in prices] == pytest.approx([5e-6 / 11, 6e-6 / 11])
    assert [price.high for price in prices] == pytest.approx([7.5e-6 / 11, 6e-6 / 11 * 1.5])


def test_the_line_ends_at_sixty_microseconds(tool: Tool) -> None:
    tool({15: polls(100, 500, 600, after=0), 60: polls(700, 500, 800, after=0)})
    prices = [price.value for _, price in price_curve([15e-6, 60e-6]).knots]
    # The middle ones are 500 and 700; they rise by two sevenths of 600.
    assert prices == pytest.approx([6e-7 * 6 / 7, 6e-7 * 8 / 7])


def test_a_footprint_without_a_price_neither_rises_nor_falls(tool: Tool) -> None:
    tool({4: polls(0, 500, 500, after=0), 16: polls(0, 600, 400, after=0)})
    prices = [price.value for _, price in price_curve([4e-6, 16e-6]).knots]
    assert prices == pytest.approx([450e-9] * 2)


def test_who_costs_the_same_keeps_an_interval_of_its_own(tool: Tool) -> None:
    tool({100: polls(300, 300, 300, after=0), 200: polls(300, 300, 900, after=0)})
    prices = [price for _, price in price_curve([1e-4, 2e-4]).knots]
    assert [price.value for price in prices] == pytest.approx([3e-7] * 2)
    assert [price.high for price in prices] == pytest.approx([4.5e-7, 9e-7])


def test_what_it_makes_slower_and_cannot_be_told_is_its_usual_part(tool: Tool) -> None:
    tool({400: polls(200, 600, 400)})
    found = price_s(400e-6)
    # Two fifths of each poll, or none, or twice as much.
    assert (found.value, found.low, found.high) == pytest.approx((560e-9, 200e-9, 1080e-9))


def test_a_difference_that_drowns_counts_as_not_told(tool: Tool) -> None:
    rests = [-1000, 900, 20, 30, -900, 1000, 10, 40]
    noisy = polls(400.0, 400.0, 400.0)
    noisy["whole_ns"] = [[400.0 + rest for rest in rests]] * 3
    tool({10: noisy})
    found = price_s(10e-6)
    assert (found.value, found.low, found.high) == pytest.approx((560e-9, 280e-9, 840e-9))
    # One that is as wide as the usual part is still told.
    noisy["whole_ns"] = [[400.0 + rest for rest in (-110, -110, -110, 50, 50, 210, 210, 210)]] * 3
    tool({10: noisy})
    found = price_s(10e-6)
    assert (found.value, found.low, found.high) == pytest.approx((450e-9, 225e-9, 675e-9))


def test_what_comes_after_is_measured_at_quick_paces_for_all(tool: Tool) -> None:
    tool({30: polls(300, 300, 300, after=100), 31: polls(500, 500, 500, after=9000)})
    curve = price_curve([30e-6, 31e-6])
    assert [price.value for _, price in curve.knots] == pytest.approx([400e-9, 600e-9])
    # Thirty is quick: the median of 100 and 200.
    tool({20: polls(300, 300, 300, after=100), 30: polls(300, 300, 300, after=200)})
    curve = price_curve([20e-6, 30e-6])
    assert [price.value for _, price in curve.knots] == pytest.approx([450e-9, 450e-9])
    # Where all are slow, at the first.
    tool({40: polls(300, 300, 300, after=60), 50: polls(500, 500, 500, after=9000)})
    curve = price_curve([40e-6, 50e-6])
    assert [price.value for _, price in curve.knots] == pytest.approx([360e-9, 560e-9])


def test_the_usual_part_is_of_the_polls_of_its_footprint(tool: Tool) -> None:
    tool({10: polls(100, 100, 100), 20: polls(300, 300, 300)})
    # Of both paces together, the median is 200: 80 more for either.
    curve = price_curve([10e-6, 20e-6])
    assert [price.value for _, price in curve.knots] == pytest.approx([180e-9, 380e-9])


def test_rounds_that_lack_their_other_half_are_a_mistake(tool: Tool) -> None:
    torn = polls(300, 300, 300, after=50)
    torn["whole_ns"] = [values[1:] for values in torn["whole_ns"]]
    tool({10: torn})
    with pytest.raises(ValueError, match="longer"):
        price_s(10e-6)
    tool({100: polls(300, 300, 300, after=0), 200: polls(300, 300, after=0)})
    with pytest.raises(ValueError, match="longer"):
        price_curve([100e-6, 200e-6])


def test_a_poll_that_seems_to_take_less_than_no_time_takes_next_to_none(tool: Tool) -> None:
    tool({10: polls(-50, -50, -50)})
    found = price_s(10e-6)
    assert (found.value, found.low, found.high) == pytest.approx((1e-9, 0.0, 1.5e-9))


def test_slow_paces_have_fewer_rounds_and_all_their_limits(tool: Tool) -> None:
    same = polls(300, 300, 300, after=0)
    asked = tool(dict.fromkeys((1, 10, 299, 300, 10_000), same))
    curve = price_curve([10e-6, 0.1e-6, 10.2e-6, 5.0, 300e-6, 299e-6], "unix", threaded=True)
    assert [pace for pace, _ in curve.knots] == pytest.approx([1e-6, 1e-5, 299e-6, 3e-4, 1e-2])
    assert asked.read_text().splitlines() == [
        f"-r {ROUNDS} -s unix -t 1 10 299",
        f"-r {SLOW_ROUNDS} -s unix -t 300 10000",
    ]
    asked.unlink()
    price_curve([10e-6])
    price_s(300e-6)
    price_curve([10e-6], rounds=77)
    assert asked.read_text().splitlines() == [
        f"-r {ROUNDS} -s tcp 10",
        f"-r {SLOW_ROUNDS} -s tcp 300",
        "-r 77 -s tcp 10",
    ]


def test_a_price_by_a_command_that_runs_it_elsewhere(tool: Tool, tmp_path: Path) -> None:
    asked = tool({10: polls(300, 300, 300, after=0)})
    found = priced_by(["env", str(tmp_path / "price")], 10e-6)
    assert found.value == pytest.approx(300e-9)
    assert asked.read_text() == f"-r {ROUNDS} 10\n"


def test_what_is_typed_meanwhile_is_not_the_commands(tool: Tool, tmp_path: Path) -> None:
    """ssh reads what there is to read, wanted or not."""
    tool({10: polls(300, 300, 300, after=0)})
    (tmp_path / "typed").write_text("q")
    with (tmp_path / "typed").open() as typed:
        ours = os.dup(0)
        os.dup2(typed.fileno(), 0)
        try:
            priced_by(["sh", "-c", 'cat >&2; exec "$0" "$@"', str(tmp_path / "price")], 10e-6)
            assert os.read(0, 2) == b"q"
        finally:
            os.dup2(ours, 0)
            os.close(ours)


def test_what_fails_is_said_without_its_name() -> None:
    with pytest.raises(HostError, match=r"^no such socket$"):
        priced_by(["sh", "-c", "echo polltrace-price: no such socket >&2; exit 4"], 10e-6)


def test_what_works_beside_ends_with_us_and_says_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    script, asked = tmp_path / "price", tmp_path / "asked"
    os.mkfifo(asked)
    script.write_text(f'#!/bin/sh\necho noise\necho $$ "$@" > {asked}\nexec sleep 1000\n')
    script.chmod(0o755)
    monkeypatch.setenv("POLLTRACE_PRICE", str(script))

    @pricing_beside()
    def failing_look() -> None:
        pid, *options = asked.read_text().split()
        assert options == ["-r", "10000"]
        assert Path("/proc", pid).exists()
        raise HostError(pid)

    with pytest.raises(HostError) as failed:
        failing_look()
    assert not Path("/proc", str(failed.value)).exists()
    assert capfd.readouterr().out == ""


def test_a_longer_look_measures_prices_for_longer() -> None:
    found = [Durations(sampled=seconds).price_rounds for seconds in (1, 8, 24, 3600)]
    assert found == [ROUNDS, ROUNDS, 3 * ROUNDS, 10 * ROUNDS]
